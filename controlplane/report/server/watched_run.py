"""A journal that is read in slices, while a running process may still write it."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

from controlplane.errors import ControlPlaneError
from controlplane.journal.journal_reader import Journal
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.report.server.run_keys import id_as_text, key_of
from controlplane.report.server.run_row import RunRow, run_row
from controlplane.report.server.watched_file import WatchedFile

SLICE_S: Final = 0.05
"""Seconds for which one journal is read before others get their turn."""


class WatchedRun:
    """One journal of the folder.

    It is created when the folder lists the file. `advance` reads the next part. `close`
    frees the memory; the run's row in the list of runs stays.
    """

    is_loop: Literal[False] = False

    def __init__(self, path: Path) -> None:
        self.path = path
        self.id = id_as_text(path)
        self.key = key_of(self.id, is_loop=False)
        self.row: RunRow | None = None
        """Its row in the list; None until it was read."""
        self.version = 0
        """The number of times that something new was read. Pages compare it with their own."""
        self.journal: Journal | None = None
        """The journal, as far as it is read; None before the first reading and after `close`."""
        self.has_more = True
        """True if the file is not read to its end."""
        self.fault = ""
        """The error of a file that cannot be read as a journal; empty without one."""
        self._file = WatchedFile(path)

    @property
    def is_running(self) -> bool:
        """True if a process was writing the journal when it was last read."""
        return self._file.is_written

    @property
    def read_share(self) -> float:
        """The share of the file that was read, 0 to 1."""
        if self.journal is None or not self._file.size:
            return 0.0
        return min(self.journal.length / self._file.size, 1.0)

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
        try:
            status = self.path.stat()
        except OSError:
            return False
        if not self.has_more and not self._file.has_changed(status):
            return False

        if status.st_size < self._file.size:  # Another file has replaced it.
            self.close()
        self._file.note(status)
        self._read_slice()
        # A new journal has its row after the first slice, so that the list shows it soon.
        is_at_end = not self.has_more
        if is_at_end or self.row is None:
            summary = RunSummary() if self.journal is None else self.journal.summary
            self.row = run_row(self, summary)
        self.version += 1
        return True

    def _read_slice(self) -> None:
        """Read for a short time, and note whether the journal has a fault."""
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
