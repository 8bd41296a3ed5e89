"""A run while it goes on: few plain lines, and the report at its end."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from controlplane.errors import ControlPlaneError
from controlplane.journal.events import JournalEvent, RunNotice, RunStarted, TrialEnded, TrialFailed
from controlplane.run import Run
from controlplane.view.report import print_report, result_object


class RunView:
    """Hears a run's events and shows them."""

    def __init__(self, *, quiet: bool, as_json: bool) -> None:
        self._quiet = quiet or as_json
        self._as_json = as_json
        self._run: Run | None = None

    @classmethod
    def choose(cls, *, quiet: bool, as_json: bool) -> RunView:
        """Return the view that fits the flags and the terminal."""
        return cls(quiet=quiet, as_json=as_json)

    @contextmanager
    def showing(self, run: Run) -> Iterator[None]:
        """Show `run` for as long as the block lasts."""
        self._run = run
        yield

    def hear(self, event: JournalEvent) -> None:
        """Show one event."""
        if self._quiet or self._run is None:
            return
        if isinstance(event, RunStarted):
            self._say(f"run {self._run.journal.path.stem}: {len(event.trials)} trials")
        elif isinstance(event, TrialEnded | TrialFailed):
            self._say(self._progress())
        elif isinstance(event, RunNotice):
            self._say(event.text)

    def _progress(self) -> str:
        assert self._run is not None
        summary = self._run.summary
        over = sum(each.is_over for each in summary.trials.values())
        return f"{over} of {len(summary.trials)} trials over"

    def report(self, run: Run, error: ControlPlaneError | None) -> None:
        """Print what came of the run."""
        if self._as_json:
            print(json.dumps(result_object(run.summary, run.journal.path, error)))
        else:
            print_report(run.summary, run.journal.path)
        if error is not None:
            self._say(f"controlplane: {error}")

    def _say(self, text: str) -> None:
        print(text, file=sys.stderr)
