"""A journal of a folder, which a running process may still write."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from controlplane.errors import ControlPlaneError
from controlplane.journal.journal_files import (
    LOOP_FILE,
    is_being_written,
    journal_id,
    open_to_read,
)
from controlplane.journal.journal_reader import Journal
from controlplane.journal.line_parser import fields_of
from controlplane.journal.totals.run_process import RunProcess
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.report.run_row import RunRow, run_row
from controlplane.terminal_text import one_line

SLICE_S: Final = 0.05
"""Seconds for which one journal is read before others get their turn."""
LAST_LINE_BYTES: Final = 1 << 16
"""Bytes at the end of a loop's record that contain its last line."""


class WatchedRun:
    """One journal of the folder, or the record of an improvement loop.

    It is created when the folder lists the file. `advance` reads the next part. `close`
    frees the memory; the run's row in the list of runs stays.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.is_loop = path.name == LOOP_FILE
        self.id = _id_as_text(path)
        self.row: RunRow | None = None
        """Its row in the list; None until it was read."""
        self.version = 0
        """The number of times that something new was read. Pages compare it with their own."""

        # How far the journal is read. Only `advance` and `close` change this.
        self.journal: Journal | None = None
        """The journal, as far as it is read; None before the first reading and after `close`."""
        self.has_more = True
        """True if the file is not read to its end."""
        self.fault = ""
        """The error of a file that cannot be read as a journal; empty without one."""

        # The file when it was last read.
        self.is_running = False
        """True if a process was writing it."""
        self._read_size = 0
        """Its size, in bytes."""
        self._read_change_ns = 0
        """The time of its last change."""

    @property
    def key(self) -> str:
        """Its key in the folder, such as `runs/ID`. A loop and a run may have the same id."""
        return key_of(self.id, is_loop=self.is_loop)

    @property
    def read_share(self) -> float:
        """The share of the file that was read, 0 to 1."""
        if self.journal is None or not self._read_size:
            return 0.0
        return min(self.journal.length / self._read_size, 1.0)

    def close(self) -> None:
        """Close the journal to free its memory. Its row stays."""
        if self.journal is not None:
            self.journal.close()
        self.journal = None

    def read_again_if_closed(self) -> None:
        """If the journal was closed, make `advance` read it again from its beginning."""
        if self.journal is None:
            self.has_more = True

    def advance(self) -> bool:
        """Read for a short time, if there is more to read. Return True if something changed."""
        if self.is_loop:
            return self._note_loop()
        try:
            status = self.path.stat()
        except OSError:
            return False
        if not self._has_news(status):
            return False

        if status.st_size < self._read_size:  # Another file has replaced it.
            self.close()
        self._read_size = status.st_size
        self._read_change_ns = status.st_mtime_ns
        self.is_running = is_being_written(self.path)
        self._read_slice()
        self.version += 1
        return True

    def _has_news(self, status: os.stat_result) -> bool:
        """Return True if there is more to read, or the process that wrote the journal has ended.

        `status` is the current status of the file.
        """
        is_same_size = status.st_size == self._read_size
        is_unchanged = is_same_size and status.st_mtime_ns == self._read_change_ns
        if self.has_more or not is_unchanged:
            return True
        return self.is_running and not is_being_written(self.path)

    def _read_slice(self) -> None:
        """Read for a short time. Update the row if that reaches the end of the journal.

        A new journal has its row after the first slice, so that the list shows it soon.
        """
        self.fault = ""
        try:
            if self.journal is None:
                self.journal = Journal(self.path)
            self.has_more = self.journal.read(SLICE_S)
            if not self.has_more and not self.is_running:
                self.journal.summary.trials.mark_stopped()
        except ControlPlaneError as error:
            self.fault = str(error)
            self.has_more = False
        is_at_end = not self.has_more
        if is_at_end or self.row is None:
            summary = RunSummary() if self.journal is None else self.journal.summary
            self.row = run_row(self, summary)

    def _note_loop(self) -> bool:
        """Update the row of a loop if it has begun or ended. Return True if it was updated."""
        is_running = is_being_written(self.path)
        if self.row is not None and is_running == self.is_running:
            return False
        self.is_running = is_running
        self.has_more = False
        result = _result_of_loop(self.path)
        # A row is made from the summary of a run. A loop has none, so it gets an empty
        # one that says only whether the loop has ended.
        summary = RunSummary(process=RunProcess(closed="finished" if result else ""))
        self.row = run_row(self, summary, result)
        return True


def key_of(run_id: str, *, is_loop: bool) -> str:
    """Return the key of a run or a loop in its folder: `runs/ID` or `loops/ID`, its page's path."""
    return f"loops/{run_id}" if is_loop else f"runs/{run_id}"


def _id_as_text(path: Path) -> str:
    """Return the id of a journal as valid Unicode text.

    The name of a file may be bytes that are not UTF-8.
    """
    return os.fsencode(journal_id(path)).decode("utf-8", "backslashreplace")


def _result_of_loop(path: Path) -> str:
    """Return the result in the last line of a loop's record; empty if the loop has not ended."""
    try:
        with open_to_read(path) as file:
            file.seek(max(path.stat().st_size - LAST_LINE_BYTES, 0))
            last_line = fields_of(file.read().splitlines()[-1])
    except (OSError, ControlPlaneError, ValueError, KeyError, IndexError):
        return ""  # The page of the loop shows the error.
    if last_line.get("kind") != "loop_ended":
        return ""
    return one_line(str(last_line.get("text", "")))
