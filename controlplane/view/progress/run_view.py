"""A run while it goes on, and the report at its end: a picture on a terminal, plain lines elsewhere, or nothing."""

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
    """Shows a run. It looks at the run's summary in its own time, so that no trial ever waits for a screen."""

    def __init__(self, *, quiet: bool, as_json: bool) -> None:
        self._quiet = quiet
        self._as_json = as_json
        self._display: LiveDisplay | PlainDisplay | None = None

    @contextmanager
    def showing(self, run: Run, keys: Mapping[str, Callable[[], None]] = NO_KEYS) -> Iterator[None]:
        """Show `run` for as long as the block lasts; `keys` are what can be pressed once it is being stopped."""
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
        """Say `text` at once, in a signal handler of a process that is about to end, and leave a usable terminal."""
        if isinstance(self._display, LiveDisplay):
            self._display.abandon(text)
        else:
            os.write(2, f"{text}\n".encode())

    def report(self, run: Run, error: ControlPlaneError | None) -> None:
        """Print what came of the run."""
        if self._as_json:
            print(json.dumps(result_object(run.summary, run.journal.path, error)))
        else:
            print_report(run.summary, run.journal.path)
        if error is not None:
            print(f"controlplane: {error}", file=sys.stderr)
