"""The journals of a folder, some of which running processes still write.

A request for a page reads them for a short time, in slices, and not to their ends.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from controlplane.report.server.journal_list import JournalList, Watched
from controlplane.report.server.watched_run import WatchedRun
from controlplane.sandbox.interface import bounds


class ViewedRuns:
    """The runs that were viewed last, as many as a page shows. Their journals stay open."""

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


class WatchedFolder:
    """The journals of a folder, or a single one.

    `view` creates one when it starts, and each request reads in what is new.
    To save memory, a journal is closed when it is read to its end, unless it
    is running or was viewed recently.
    """

    def __init__(self, folder: Path, only: Path | None = None) -> None:
        """List the journals. Raises `UsageError` if the folder cannot be read."""
        self.folder = folder
        self.lock = threading.Lock()
        """Held while journals are read. A page holds it while it is rendered from them."""
        self._list = JournalList(folder, only)
        self._readings = 0
        """How often something new of a journal was read."""
        self._viewed = ViewedRuns()
        """The runs whose journals stay open."""

    @property
    def runs(self) -> Mapping[str, Watched]:
        """The journals and loops by key, the last written first."""
        return self._list.runs

    @property
    def version(self) -> int:
        """Increases when the list of journals changes, and when something new of one was read."""
        return self._list.changes + self._readings

    def look_at(self, key: str) -> Watched | None:
        """Return the journal with this key, and keep it open; None if there is none."""
        with self.lock:
            if key not in self.runs:
                with suppress(OSError):
                    self._list.update()  # It may be new.
            run = self.runs.get(key)
            if isinstance(run, WatchedRun):
                self._viewed.add(run)
                run.reading.reopen()
            return run

    def read(self, chosen: Sequence[Watched] = (), *, seconds: float) -> None:
        """Read in the `chosen` journals, or in all of the folder, for about `seconds`."""
        until = time.monotonic() + seconds
        # Reading a file that was removed fails. The next list does not contain it any more.
        with self.lock, suppress(OSError):
            if not chosen:
                self._list.update()
            for run in chosen or self.runs.values():
                self._read_run(run, until)
            self._close_unneeded()

    def _read_run(self, run: Watched, until: float) -> None:
        """Read slices of a journal up to its end, or until the time is over."""
        while time.monotonic() < until:
            has_changed = run.advance()
            if not has_changed:
                return
            self._readings += 1
            if not run.has_more:
                return

    def _close_unneeded(self) -> None:
        """Close the journals that are read to their ends, not running, and not viewed."""
        for run in self.runs.values():
            is_needed = run.has_more or run.is_running or run in self._viewed
            if not is_needed:
                run.close()
