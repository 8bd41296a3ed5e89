"""The journals of a folder, some of which running processes still write.

A request for a page reads them for a short time, in slices, and not to their ends.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from controlplane.errors import UsageError
from controlplane.journal.journal_files import newest_first
from controlplane.report.watched_run import WatchedRun
from controlplane.sandbox.interface import bounds


class WatchedFolder:
    """The journals of a folder, or a single one.

    `view` creates one when it starts, and each request reads in what is new.
    To save memory, a journal is closed when it is read to its end, unless it
    is running or was viewed recently.
    """

    def __init__(self, folder: Path, only: Path | None = None) -> None:
        """List the journals. Raises `UsageError` if the folder cannot be read."""
        self.folder = folder
        self.only = only
        self.runs: dict[str, WatchedRun] = {}
        """The journals by key, the last written first."""
        self.version = 0
        """Increases when the list of journals changes, and when something new of one was read."""
        self.lock = threading.Lock()
        """Held while journals are read. A page holds it while it is rendered from them."""
        self._looked_at: list[WatchedRun] = []
        """The journals that were viewed last, as many as a page shows. They stay open."""
        self._list()

    def _list(self) -> None:
        """Update the list if journals were added, removed or written."""
        paths = [self.only] if self.only else newest_first(self.folder, loops=True)
        runs_by_path = {run.path: run for run in self.runs.values()}
        if paths == list(runs_by_path):
            return
        runs = {}
        for path in paths:
            run = runs_by_path.get(path) or WatchedRun(path)
            runs[run.key] = run
        self.runs = runs
        self.version += 1

    def look_at(self, key: str) -> WatchedRun | None:
        """Return the journal with this key, and keep it open; None if there is none."""
        with self.lock:
            if key not in self.runs:
                with suppress(OSError):
                    self._update_list()  # It may be new.
            run = self.runs.get(key)
            if run is None or run.is_loop:
                return run
            self._keep_open(run)
            return run

    def _keep_open(self, run: WatchedRun) -> None:
        """Keep a journal open until `SHOWN_RUNS` others were viewed after it."""
        if run in self._looked_at:
            self._looked_at.remove(run)
        self._looked_at.append(run)
        if len(self._looked_at) > bounds.SHOWN_RUNS:
            self._looked_at.pop(0)
        run.read_again_if_closed()

    def read(self, chosen: Sequence[WatchedRun] = (), *, seconds: float) -> None:
        """Read in the `chosen` journals, or in all of the folder, for about `seconds`."""
        until = time.monotonic() + seconds
        # Reading a file that was removed fails. The next list does not contain it any more.
        with self.lock, suppress(OSError):
            if not chosen:
                self._update_list()
            for run in chosen or self.runs.values():
                self._read_run(run, until)
            self._close_unwatched()

    def _update_list(self) -> None:
        """Update the list. It becomes empty if the folder cannot be read."""
        try:
            self._list()
        except UsageError:
            self.runs = {}

    def _read_run(self, run: WatchedRun, until: float) -> None:
        """Read slices of a journal up to its end, or until the time is over."""
        while time.monotonic() < until:
            has_changed = run.advance()
            if not has_changed:
                return
            self.version += 1
            if not run.has_more:
                return

    def _close_unwatched(self) -> None:
        """Close the journals that are read to their ends, not running, and not viewed."""
        for run in self.runs.values():
            is_needed = run.has_more or run.is_running or run in self._looked_at
            if not is_needed:
                run.close()
