"""Shows a run while it works and reports it at the end: live on a terminal, plain lines elsewhere, or nothing."""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from controlplane.errors import ControlPlaneError
from controlplane.view.cost_estimate import estimate_text
from controlplane.view.progress.plain_display import PlainDisplay
from controlplane.view.result_json import result_object

if TYPE_CHECKING:
    from controlplane.lifecycle.run_lifecycle import Run
    from controlplane.view.cost_estimate import CostEstimate
    from controlplane.view.progress.live_display import LiveDisplay


class RunView:
    """Shows a run. It reads the run's summary from a thread of its own, so that no trial waits for a screen."""

    def __init__(
        self, *, quiet: bool, as_json: bool, reports: bool = True, estimate: CostEstimate | None = None
    ) -> None:
        """`reports` says whether the result is printed when the run ends, `estimate` what it is expected to take."""
        self._quiet = quiet
        self._as_json = as_json
        self._reports = reports
        self._estimate = estimate
        self._display: LiveDisplay | PlainDisplay | None = None

    @contextmanager
    def showing(self, run: Run, keys: Mapping[str, Callable[[], None]]) -> Iterator[None]:
        """Show `run` for the length of the block; `keys` maps the keys accepted while it stops to their actions."""
        if self._estimate is not None and not (self._quiet or self._as_json):
            print(estimate_text(self._estimate, run.settings.run_cost), file=sys.stderr)
        self._display = None if self._quiet else self._display_of(run, keys)
        if self._display is None:
            yield
            return
        self._display.start()
        try:
            yield
        finally:
            display, self._display = self._display, None
            display.stop()

    def _display_of(self, run: Run, keys: Mapping[str, Callable[[], None]]) -> LiveDisplay | PlainDisplay | None:
        if sys.stderr and sys.stderr.isatty():
            from controlplane.view.progress.live_display import LiveDisplay  # Its library is slow to import.

            if LiveDisplay.is_possible():
                return LiveDisplay(run, keys)
        return None if self._as_json else PlainDisplay(run)

    def abandon(self, text: str) -> None:
        """Print `text` and restore the terminal, from a signal handler of a process that is about to exit."""
        if self._display is None or isinstance(self._display, PlainDisplay):
            os.write(2, f"{text}\n".encode())
        else:
            self._display.abandon(text)

    def report(self, run: Run, error: ControlPlaneError | None) -> None:
        """Print the run's result, and the error that ended it."""
        if not self._reports:
            pass
        elif self._as_json:
            estimate = None if self._estimate is None else dataclasses.asdict(self._estimate)
            print(json.dumps({**result_object(run.summary, run.journal.path, error), "estimate": estimate}))
        else:
            from controlplane.view.report import print_report

            print_report(run.summary, run.journal.path)
        if error is not None:
            print(f"controlplane: {error}", file=sys.stderr)
