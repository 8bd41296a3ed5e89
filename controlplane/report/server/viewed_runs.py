"""The runs that were viewed last. Their journals stay open."""

from __future__ import annotations

from controlplane.report.server.watched_run import WatchedRun
from controlplane.sandbox.interface import bounds


class ViewedRuns:
    """The runs that were viewed last, as many as a page shows."""

    def __init__(self) -> None:
        self._runs: list[WatchedRun] = []

    def __contains__(self, run: object) -> bool:
        return run in self._runs

    def add(self, run: WatchedRun) -> None:
        """Note that a run is viewed now, and forget the one that was not viewed for longest."""
        if run in self._runs:
            self._runs.remove(run)
        self._runs.append(run)
        if len(self._runs) > bounds.SHOWN_RUNS:
            self._runs.pop(0)
