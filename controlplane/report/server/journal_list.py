"""The journals of a folder, and the records of improvement loops (`improve`), as `view` lists them."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

from controlplane.errors import UsageError
from controlplane.journal.journal_files import LOOP_FILE, newest_first
from controlplane.report.server.watched_loop import WatchedLoop
from controlplane.report.server.watched_run import WatchedRun

Watched: TypeAlias = WatchedRun | WatchedLoop


class JournalList:
    """The journals and loops of a folder, or a single one."""

    def __init__(self, folder: Path, only: Path | None = None) -> None:
        """List the journals. Raises `UsageError` if the folder cannot be read."""
        self.folder = folder
        self.only = only
        self.runs: dict[str, Watched] = {}
        """The journals and loops by key (`runs/ID`), the last written first."""
        self.changes = 0
        """How often the list has changed."""
        self._read()

    def update(self) -> None:
        """Read the list again. It becomes empty if the folder cannot be read."""
        try:
            self._read()
        except UsageError:
            self.runs = {}

    def _read(self) -> None:
        """Read the list. Files that it has already keep what is known of them."""
        paths = [self.only] if self.only else newest_first(self.folder, loops=True)
        known = {run.path: run for run in self.runs.values()}
        if paths == list(known):  # Neither the files nor their order have changed.
            return
        runs = {}
        for path in paths:
            run = known.get(path) or _watched(path)
            runs[run.key] = run
        self.runs = runs
        self.changes += 1


def _watched(path: Path) -> Watched:
    if path.name == LOOP_FILE:
        return WatchedLoop(path)
    return WatchedRun(path)
