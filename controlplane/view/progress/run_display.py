"""Shows a run in the foreground: as a live picture on a terminal or in a notebook, else in lines."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Final

from controlplane.errors import ControlPlaneError
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.terminal_text import sanitize
from controlplane.view.progress.plain_display import plain_display
from controlplane.view.result_json import print_result


@dataclass(kw_only=True)
class RunView:
    """The user's screen for one run.

    The run is played within `showing`, and `report` is called at its end. The screen reads
    the run's summary in its own thread, so that no trial waits for it.
    """

    quiet: bool
    as_json: bool
    reports: bool = True
    """True if the result is printed when the run ends."""
    display: Callable[[Run], AbstractContextManager[object]] | None = None
    """Creates the display; None for a picture on a terminal and lines elsewhere."""
    on_terminated: Callable[[Run], None] | None = None
    """Called at the first SIGTERM, before the process ends."""

    @contextmanager
    def showing(self, run: Run) -> Iterator[None]:
        """Show `run` until the block ends. With `as_json`, all output meanwhile goes to stderr."""
        stdout = _stdout_to_stderr() if self.as_json else contextlib.nullcontext()
        with stdout, self._display_of(run):
            yield

    def _display_of(self, run: Run) -> AbstractContextManager[object]:
        """Return a context manager that shows a run.

        The first that applies:
        - `quiet`: nothing.
        - On a terminal, without a `display` of the caller: the live picture. It is drawn on
          standard error, so that it does not disturb the JSON of `as_json`.
        - `as_json`: nothing. Whoever reads JSON in a pipe needs no lines of progress.
        - The caller's `display`, or else plain lines.
        """
        if self.quiet:
            return contextlib.nullcontext()
        is_terminal = bool(sys.stderr) and sys.stderr.isatty()
        if self.display is None and is_terminal:
            from controlplane.view.progress.live_display import (
                live_display,  # It loads slowly.
            )

            picture = live_display(run)
            if picture is not None:
                return picture
        if self.as_json:
            return contextlib.nullcontext()
        if self.display is not None:
            return self.display(run)
        return plain_display(run)

    def report(self, run: Run, error: ControlPlaneError | None) -> None:
        """Print the run's result, and the error that ended it."""
        if self.reports and self.as_json:
            print_result(run.summary, run.journal.path, error)
        elif self.reports:
            from controlplane.view.tables.run_table import print_run_table

            print_run_table(run.summary, run.journal.path)
        if error is not None:
            print(f"controlplane: {sanitize(str(error))}", file=sys.stderr)


SILENT: Final = RunView(quiet=True, as_json=False, reports=False)


def notebook_display(run: Run) -> AbstractContextManager[object]:
    """Return a context manager that shows a run below a notebook's cell, and elsewhere nothing.

    With ipywidgets, rich redraws one picture in place. Without it, lines are printed one
    below the other, as in a pipe.
    """
    if "ipykernel" not in sys.modules:
        return contextlib.nullcontext()
    if find_spec("ipywidgets") is None:
        return plain_display(run)

    from controlplane.view.printed_columns import CleanConsole
    from controlplane.view.progress.live_display import live_picture

    return live_picture(run, CleanConsole(force_jupyter=True, highlight=False))


@contextmanager
def _stdout_to_stderr() -> Iterator[None]:
    """Send the output of solvers, benchmarks and their programs to stderr until the block ends.

    With --json, only the JSON may be on standard output.
    """
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
    saved_stdout = os.dup(1)
    try:
        os.dup2(2, 1)
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        os.dup2(saved_stdout, 1)
        os.close(saved_stdout)
