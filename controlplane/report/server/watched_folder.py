"""The journals of a folder, some of which running processes still write.

A request for a page reads them for a short time, in slices, and not to their ends.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal, TypeAlias

from controlplane.errors import ControlPlaneError, UsageError
from controlplane.journal.journal_files import (
    LOOP_FILE,
    is_being_written,
    newest_first,
    open_to_read,
)
from controlplane.journal.line_parser import fields_of
from controlplane.report.server.run_row import RunRow, loop_row
from controlplane.report.server.watched_run import WatchedRun, id_as_text, key_of
from controlplane.sandbox.interface import bounds
from controlplane.terminal_text import one_line

# The record of an improvement loop, which a running process may still write.

_LAST_LINE_BYTES: Final = 1 << 16
"""Bytes at the end of a loop's record that contain its last line."""


class WatchedLoop:
    """The record of a loop. Only its row in the list of runs is kept: its page reads the file.

    The folder treats it like a `WatchedRun`, so it has the same attributes.
    """

    is_loop: Literal[True] = True
    has_more = False
    """There is never more to read: `advance` reads only the last line of the file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.id = id_as_text(path)
        self.key = key_of(self.id, is_loop=True)
        self.row: RunRow | None = None
        """Its row in the list; None until it was read."""
        self.is_running = False
        """True if a process was writing the record when it was last read."""

    def advance(self) -> bool:
        """Update the row if the loop has begun or ended. Return True if it was updated."""
        is_running = is_being_written(self.path)
        if self.row is not None and is_running == self.is_running:
            return False
        self.is_running = is_running
        self.row = loop_row(self, _result_of_loop(self.path))
        return True

    def close(self) -> None:
        """Do nothing: the file is not kept open."""


def _result_of_loop(path: Path) -> str:
    """Return the result in the last line of a loop's record; empty if the loop has not ended."""
    try:
        with open_to_read(path) as file:
            file.seek(max(path.stat().st_size - _LAST_LINE_BYTES, 0))
            last_line = fields_of(file.read().splitlines()[-1])
    except (OSError, ControlPlaneError, ValueError, KeyError, IndexError):
        return ""  # The page of the loop shows the error.
    if last_line.get("kind") != "loop_ended":
        return ""
    return one_line(str(last_line.get("text", "")))


# The journals of a folder, and the records of improvement loops (`improve`), as `view` lists them.

_Watched: TypeAlias = WatchedRun | WatchedLoop


class _JournalList:
    """The journals and loops of a folder, or a single one."""

    def __init__(self, folder: Path, only: Path | None = None) -> None:
        """List the journals. Raises `UsageError` if the folder cannot be read."""
        self.folder = folder
        self.only = only
        self.runs: dict[str, _Watched] = {}
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


def _watched(path: Path) -> _Watched:
    if path.name == LOOP_FILE:
        return WatchedLoop(path)
    return WatchedRun(path)


class _ViewedRuns:
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
        self._list = _JournalList(folder, only)
        self._readings = 0
        """How often something new of a journal was read."""
        self._viewed = _ViewedRuns()
        """The runs whose journals stay open."""

    @property
    def runs(self) -> Mapping[str, _Watched]:
        """The journals and loops by key, the last written first."""
        return self._list.runs

    @property
    def version(self) -> int:
        """Increases when the list of journals changes, and when something new of one was read."""
        return self._list.changes + self._readings

    def look_at(self, key: str) -> _Watched | None:
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

    def read(self, chosen: Sequence[_Watched] = (), *, seconds: float) -> None:
        """Read in the `chosen` journals, or in all of the folder, for about `seconds`."""
        until = time.monotonic() + seconds
        # Reading a file that was removed fails. The next list does not contain it any more.
        with self.lock, suppress(OSError):
            if not chosen:
                self._list.update()
            for run in chosen or self.runs.values():
                self._read_run(run, until)
            self._close_unneeded()

    def _read_run(self, run: _Watched, until: float) -> None:
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
