"""A journal of the folder, which a running process may still write."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from controlplane.journal.totals.run_summary import RunSummary
from controlplane.report.server.journal_reading import JournalReading
from controlplane.report.server.run_keys import id_as_text, key_of
from controlplane.report.server.run_row import RunRow, run_row
from controlplane.report.server.watched_file import WatchedFile


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
        self.reading = JournalReading(path)
        self._file = WatchedFile(path)

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
