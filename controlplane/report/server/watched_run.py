"""A journal of the folder, which a running process may still write."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, Literal

from controlplane.errors import ControlPlaneError
from controlplane.journal.journal_files import is_being_written, journal_id
from controlplane.journal.journal_reader import Journal
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.report.server.run_row import RunRow, run_row


def key_of(run_id: str, *, is_loop: bool) -> str:
    """Return the path of the page of a run or a loop. A loop and a run may have the same id."""
    return f"loops/{run_id}" if is_loop else f"runs/{run_id}"


def id_as_text(path: Path) -> str:
    """Return the id of a journal as valid Unicode text.

    The name of a file may be bytes that are not UTF-8.
    """
    return os.fsencode(journal_id(path)).decode("utf-8", "backslashreplace")


# The reading of a journal in slices, between which other work is done.

SLICE_S: Final = 0.05
"""Seconds for which one journal is read before others get their turn."""


class _JournalReading:
    """How far a journal is read. `close` frees the memory; then it is read again from its start."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.journal: Journal | None = None
        """The journal, as far as it is read; None before the first reading and after `close`."""
        self.has_more = True
        """True if the file is not read to its end."""
        self.fault = ""
        """The error of a file that cannot be read as a journal; empty without one."""

    @property
    def read_bytes(self) -> int:
        return 0 if self.journal is None else self.journal.length

    def read_slice(self, *, is_written: bool) -> None:
        """Read for a short time. `is_written`: a process may still add lines to the journal.

        At the end of a journal to which nobody adds lines, its open trials have stopped.
        """
        self.fault = ""
        try:
            if self.journal is None:
                self.journal = Journal(self.path)
            self.has_more = self.journal.read(SLICE_S)
            if not self.has_more and not is_written:
                self.journal.summary.trials.mark_stopped()
        except ControlPlaneError as error:
            self.fault = str(error)
            self.has_more = False

    def close(self) -> None:
        """Close the journal to free its memory."""
        if self.journal is not None:
            self.journal.close()
        self.journal = None

    def reopen(self) -> None:
        """If the journal was closed, let it be read again."""
        if self.journal is None:
            self.has_more = True


# The file of a journal, which a running process may still write.


class _WatchedFile:
    """A file, as it was when it was last read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.is_written = False
        """True if a process was writing it."""
        self.size = 0
        """Its size, in bytes."""
        self._change_ns = 0
        """The time of its last change."""

    def has_changed(self, status: os.stat_result) -> bool:
        """Return True if the file has changed, or the process that wrote it has ended.

        `status` is the current status of the file.
        """
        is_same_size = status.st_size == self.size
        if not is_same_size or status.st_mtime_ns != self._change_ns:
            return True
        return self.is_written and not is_being_written(self.path)

    def note(self, status: os.stat_result) -> None:
        """Note how the file is now, before it is read."""
        self.size = status.st_size
        self._change_ns = status.st_mtime_ns
        self.is_written = is_being_written(self.path)


class WatchedRun:
    """One journal of the folder. `advance` reads the next part of it.

    When its memory is freed, the run's row in the list of runs stays.
    """

    is_loop: Literal[False] = False
    """True for the other files of the folder, `WatchedLoop`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.id = id_as_text(path)
        self.key = key_of(self.id, is_loop=False)
        self.row: RunRow | None = None
        """Its row in the list; None until it was read."""
        self.version = 0
        """The number of times that something new was read. Pages compare it with their own."""
        self.reading = _JournalReading(path)
        self._file = _WatchedFile(path)

    @property
    def has_more(self) -> bool:
        """True if the journal is not read to its end."""
        return self.reading.has_more

    @property
    def is_running(self) -> bool:
        """True if a process was writing the journal when it was last read."""
        return self._file.is_written

    @property
    def read_share(self) -> float:
        """The share of the file that was read, 0 to 1."""
        if not self._file.size:
            return 0.0
        return min(self.reading.read_bytes / self._file.size, 1.0)

    def close(self) -> None:
        """Free the memory of the journal."""
        self.reading.close()

    def advance(self) -> bool:
        """Read for a short time, if there is more to read. Return True if something changed."""
        try:
            status = self.path.stat()
        except OSError:
            return False
        if not self.has_more and not self._file.has_changed(status):
            return False

        if status.st_size < self._file.size:  # Another file has replaced it.
            self.reading.close()
        self._file.note(status)
        self.reading.read_slice(is_written=self.is_running)
        # A new journal has its row after the first slice, so that the list shows it soon.
        is_at_end = not self.has_more
        if is_at_end or self.row is None:
            journal = self.reading.journal
            summary = RunSummary() if journal is None else journal.summary
            self.row = run_row(self, summary)
        self.version += 1
        return True
