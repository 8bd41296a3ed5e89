"""Shows a run while it works and reports it at the end: live on a terminal, plain lines elsewhere, or nothing."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from controlplane.errors import ControlPlaneError
from controlplane.view.progress.live_display import LiveDisplay
from controlplane.view.progress.plain_display import PlainDisplay
from controlplane.view.report import print_report
from controlplane.view.result_json import result_object

if TYPE_CHECKING:
    from controlplane.lifecycle.run_lifecycle import Run

NO_KEYS: Final[Mapping[str, Callable[[], None]]] = {}


class RunView:
    """Shows a run. It reads the run's summary from a thread of its own, so that no trial waits for a screen."""

    def __init__(self, *, quiet: bool, as_json: bool) -> None:
        self._quiet = quiet
        self._as_json = as_json
        self._display: LiveDisplay | PlainDisplay | None = None

    @contextmanager
    def showing(self, run: Run, keys: Mapping[str, Callable[[], None]] = NO_KEYS) -> Iterator[None]:
        """Show `run` for the length of the block; `keys` maps the keys accepted while it stops to their actions."""
        if not self._quiet and LiveDisplay.is_possible():
            self._display = LiveDisplay(run, keys)
        elif not self._quiet and not self._as_json:
            self._display = PlainDisplay(run)
        if self._display is None:
            yield
            return
        self._display.start()
        try:
            yield
        finally:
            display, self._display = self._display, None
            display.stop()

    def abandon(self, text: str) -> None:
        """Print `text` and restore the terminal, from a signal handler of a process that is about to exit."""
        if isinstance(self._display, LiveDisplay):
            self._display.abandon(text)
        else:
            os.write(2, f"{text}\n".encode())

    def report(self, run: Run, error: ControlPlaneError | None) -> None:
        """Print the run's result, and the error that ended it."""
        if self._as_json:
            print(json.dumps(result_object(run.summary, run.journal.path, error)))
        else:
            print_report(run.summary, run.journal.path)
        if error is not None:
            print(f"controlplane: {error}", file=sys.stderr)
