"""The journals of a folder, and the records of improvement loops, some of which still grow.

A request for a page reads them for a short time, in slices, and not to their ends.
"""

from __future__ import annotations

import itertools
import os
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final, TypeAlias

from controlplane.agent.events import TrialStarted
from controlplane.errors import ControlPlaneError, UsageError
from controlplane.facts.run_facts import (
    KnownJournals,
    facts_of_unreadable,
    run_facts,
)
from controlplane.journal.journal_files import (
    LOOP_FILE,
    is_being_written,
    journal_id,
    newest_first,
    open_to_read,
)
from controlplane.journal.journal_lines import head_of
from controlplane.journal.journal_reader import Journal
from controlplane.journal.line_parser import fields_of
from controlplane.journal.run_events import JOURNAL_EVENT
from controlplane.journal.totals.run_summary import RunSummary, fold_event
from controlplane.report.server.run_list import ListedRun, row_of_loop, row_of_run
from controlplane.sandbox.interface import bounds
from controlplane.terminal_text import one_line

SLICE_S: Final = 0.05
"""Seconds for which one journal is read before others get their turn."""
_LAST_LINES_BYTES: Final = 1 << 16
"""Bytes at the end of a journal or a loop's record that contain its last lines."""
_LONG_BYTES: Final = 1 << 18
"""The row of a journal of more bytes is made first from its first and its last lines."""
_MOST_FIRST_EVENTS: Final = 20
"""The events at the beginning of a journal among which its first trial starts."""
_LAST_TYPES: Final = (b"run_submitted", b"run_polled", b"run_resumed", b"run_closed")
"""The events in the last lines of a journal that tell how the run stands."""
_MOST_UNSAVED: Final = 200
"""The facts of this many journals are saved before all are read: the user may leave before."""


def key_of(run_id: str, *, is_loop: bool) -> str:
    """Return the path of the page of a run or a loop. A loop and a run may have the same id."""
    return f"loops/{run_id}" if is_loop else f"runs/{run_id}"


def id_as_text(path: Path) -> str:
    """Return the id of a journal as valid Unicode text.

    The name of a file may be bytes that are not UTF-8.
    """
    return os.fsencode(journal_id(path)).decode("utf-8", "backslashreplace")


class WatchedRun:
    """One journal of the folder. `advance` reads the next part of it.

    `close` frees its memory; the run's row in the list of runs stays. A journal that was read
    before has its row at once, and is read only if its page is viewed. `glance` makes the row of a
    long one that was not.
    """

    def __init__(self, path: Path, known: KnownJournals) -> None:
        self.path = path
        self._known = known
        self.id = id_as_text(path)
        self.key = key_of(self.id, is_loop=False)
        self.row: ListedRun | None = None
        """Its row in the list; None until it was read."""
        self.version = 0
        """The number of times that something new was read. Pages compare it with their own."""

        # How far it is read
        self.journal: Journal | None = None
        """The journal, as far as it is read; None before the first reading and after `close`."""
        self.has_more = True
        """True if the file is not read to its end."""
        self.fault: ControlPlaneError | None = None
        """The error of a file that cannot be read as a journal."""

        # The file, as it was when it was last read
        self.is_running = False
        """True if a process was writing it."""
        self._size = 0
        self._change_ns = 0

        facts = known.facts_of(path)
        if facts is not None:
            with suppress(OSError):  # The file was removed just now.
                self._note(path.stat())
                self.row = row_of_run(self, facts)
                self.has_more = False

    def glance(self) -> bool:
        """Make the row of a long journal from its ends, until it is read. Return True if it is made."""
        if self.row is not None or self.journal is not None or self.fault is not None:
            return False
        try:
            if self.path.stat().st_size <= _LONG_BYTES:
                return False
            summary = _summary_of_ends(self.path)
        except (OSError, ControlPlaneError, ValueError, KeyError):
            return False  # Reading all of it will tell the fault.
        row = row_of_run(self, run_facts(summary, self.path))
        self.row = replace(row, is_partial=True)
        return True

    def _note(self, status: os.stat_result) -> None:
        self._size = status.st_size
        self._change_ns = status.st_mtime_ns

    @property
    def read_share(self) -> float:
        """The share of the file that was read, 0 to 1."""
        if self.journal is None or not self._size:
            return 0.0
        return min(self.journal.length / self._size, 1.0)

    def close(self) -> None:
        """Close the journal to free its memory."""
        if self.journal is not None:
            self.journal.close()
        self.journal = None

    def advance(self) -> bool:
        """Read for a short time, if there is more to read. Return True if something changed."""
        try:
            status = self.path.stat()
        except OSError:
            return False
        if not self.has_more and not self._has_changed(status):
            return False

        if status.st_size < self._size:  # Another file has replaced it.
            self.close()
        self._note(status)
        self.is_running = is_being_written(self.path)
        self._read_slice()
        # A new journal has its row after the first slice, so that the list shows it soon.
        is_at_end = not self.has_more
        if is_at_end or self.row is None:
            if self.fault is not None:
                facts = facts_of_unreadable(self.path, self.fault)
            else:
                summary = RunSummary() if self.journal is None else self.journal.summary
                facts = run_facts(summary, self.path)
            self.row = row_of_run(self, facts)
            can_be_kept = is_at_end and not self.is_running and self.fault is None
            if can_be_kept and self.journal and not self.journal.unknown_types:
                self._known.add(self.path, status, facts)
        self.version += 1
        return True

    def _has_changed(self, status: os.stat_result) -> bool:
        """Return True if the file has changed, or the process that wrote it has ended."""
        if status.st_size != self._size or status.st_mtime_ns != self._change_ns:
            return True
        return self.is_running and not is_being_written(self.path)

    def _read_slice(self) -> None:
        """Read for a short time. At the end of a journal that nobody writes, open trials stop."""
        self.fault = None
        try:
            if self.journal is None:
                self.journal = Journal(self.path)
            self.has_more = self.journal.read(SLICE_S)
            if not self.has_more and not self.is_running:
                self.journal.summary.trials.mark_stopped()
        except ControlPlaneError as error:
            self.fault = error
            self.has_more = False


def _summary_of_ends(path: Path) -> RunSummary:
    """Return what the first and the last lines of a journal tell: which run it is, and how it stands.

    Its figures are unknown, and nothing between these lines is checked. Raises `ControlPlaneError`,
    `ValueError` and `KeyError` if the lines are none of a journal.
    """
    with Journal(path) as journal:
        first = itertools.islice(journal.read_on(for_totals=True), _MOST_FIRST_EVENTS)
        for event in first:
            fold_event(journal.summary, event)
            if isinstance(event, TrialStarted):
                break
        summary = journal.summary
    for line in _last_lines(path):
        head = head_of(line)
        if head is not None and head.event_type in _LAST_TYPES:
            fold_event(summary, JOURNAL_EVENT.validate_python(fields_of(line)))
        elif head is not None:
            summary.process.note_time(head.at_ms)
    return summary


def _last_lines(path: Path) -> list[bytes]:
    """Return the last complete lines of a file, of which the first may be incomplete in front."""
    with open_to_read(path) as file:
        file.seek(max(path.stat().st_size - _LAST_LINES_BYTES, 0))
        *lines, _ = file.read(_LAST_LINES_BYTES).split(b"\n")
    return lines


class WatchedLoop:
    """The record of a loop. Only its row in the list of runs is kept: its page reads the file.

    The folder treats it like a `WatchedRun`, so it has the same attributes.
    """

    has_more = False
    """There is never more to read: `advance` reads only the last line of the file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.id = id_as_text(path)
        self.key = key_of(self.id, is_loop=True)
        self.row: ListedRun | None = None
        """Its row in the list; None until it was read."""
        self.is_running = False
        """True if a process was writing the record when it was last read."""

    def advance(self) -> bool:
        """Update the row if the loop has begun or ended. Return True if it was updated."""
        is_running = is_being_written(self.path)
        if self.row is not None and is_running == self.is_running:
            return False
        self.is_running = is_running
        self.row = row_of_loop(self, _result_of_loop(self.path))
        return True

    def close(self) -> None:
        """Do nothing: the file is not kept open."""


def _result_of_loop(path: Path) -> str:
    """Return the result in the last line of a loop's record; empty if the loop has not ended."""
    try:
        last_line = fields_of(_last_lines(path)[-1])
    except (OSError, ControlPlaneError, ValueError, KeyError, IndexError):
        return ""  # The page of the loop shows the error.
    if last_line.get("kind") != "loop_ended":
        return ""
    return one_line(str(last_line.get("text", "")))


_Watched: TypeAlias = WatchedRun | WatchedLoop


class WatchedFolder:
    """The journals and loops of a folder, or a single one.

    `view` creates one when it starts, and each request reads in what is new.
    To save memory, a journal is closed when it is read to its end, unless it
    is running or was viewed recently.
    """

    def __init__(self, folder: Path, only: Path | None = None) -> None:
        """List the journals. Raises `UsageError` if the folder cannot be read."""
        self.folder = folder
        self.only = only
        self.runs: dict[str, _Watched] = {}
        """The journals and loops by key (`runs/ID`), the last written first."""
        self.version = 0
        """Increases when the list of journals changes, and when something new of one was read."""
        self.lock = threading.Lock()
        """Held while journals are read. A page holds it while it is rendered from them."""
        self._viewed: list[WatchedRun] = []
        """The runs that were viewed last, as many as a page shows. Their journals stay open."""
        self._known = KnownJournals(folder)
        self._look_again = 0.0
        """When all files of the folder are to be looked at again, while some are being read."""
        self._list_files()

    def look_at(self, key: str) -> _Watched | None:
        """Return the journal with this key, and keep it open; None if there is none."""
        with self.lock:
            if key not in self.runs:  # It may be new.
                with suppress(OSError):
                    self._update_list()
            run = self.runs.get(key)
            if isinstance(run, WatchedRun):
                if (
                    run.journal is None
                ):  # It was closed, and is read again from its start.
                    run.has_more = True
                if run in self._viewed:
                    self._viewed.remove(run)
                self._viewed.append(run)
                del self._viewed[: -bounds.SHOWN_RUNS]
            return run

    def read(self, chosen: Sequence[_Watched] = (), *, seconds: float) -> bool:
        """Read in the `chosen` journals, or in all of the folder, for about `seconds`.

        Return True if one of them is not read to its end.
        """
        until = time.monotonic() + seconds
        # Reading a file that was removed fails. The next list does not contain it any more.
        with self.lock, suppress(OSError):
            runs = chosen or self._runs_to_read(until)
            for run in runs:
                self._read_run(run, until)
            # Close the journals that are read to their ends, not running, and not viewed.
            for run in self.runs.values():
                if not (run.has_more or run.is_running or run in self._viewed):
                    run.close()
            are_read = not any(run.has_more for run in self.runs.values())
            if are_read or self._known.unsaved >= _MOST_UNSAVED:
                self._known.save()
        return any(run.has_more for run in chosen or self.runs.values())

    def _runs_to_read(self, until: float) -> list[_Watched]:
        """Return the runs of the folder that may have something new.

        While some are not read to their ends, the folder and the others are looked at for a tenth of
        the time: of a thousand files, that takes as long as reading ten.
        """
        unread = [run for run in self.runs.values() if run.has_more]
        began = time.monotonic()
        if unread and began < self._look_again:
            return unread
        self._update_list()
        # The rows of long journals are made from their ends, so that the list is soon whole.
        for run in self.runs.values():
            has_time = time.monotonic() < until
            if has_time and isinstance(run, WatchedRun) and run.glance():
                self.version += 1
        now = time.monotonic()
        self._look_again = now + 9 * (now - began)
        return list(self.runs.values())

    def _read_run(self, run: _Watched, until: float) -> None:
        """Read slices of a journal up to its end, or until the time is over."""
        while time.monotonic() < until:
            has_changed = run.advance()
            if not has_changed:
                return
            self.version += 1
            if not run.has_more:
                return

    def _update_list(self) -> None:
        """List the files again. The list becomes empty if the folder cannot be read."""
        try:
            self._list_files()
        except UsageError:
            self.runs = {}

    def _list_files(self) -> None:
        """List the files. Those that are in the list already keep what is known of them."""
        paths = [self.only] if self.only else newest_first(self.folder, loops=True)
        known = {run.path: run for run in self.runs.values()}
        if paths == list(known):  # Neither the files nor their order have changed.
            return
        runs = {}
        for path in paths:
            run = known.get(path)
            if run is None and path.name == LOOP_FILE:
                run = WatchedLoop(path)
            elif run is None:
                run = WatchedRun(path, self._known)
            runs[run.key] = run
        self.runs = runs
        self.version += 1
