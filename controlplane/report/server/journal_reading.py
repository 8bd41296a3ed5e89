"""The reading of a journal in slices, between which other work is done."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from controlplane.errors import ControlPlaneError
from controlplane.journal.journal_reader import Journal

SLICE_S: Final = 0.05
"""Seconds for which one journal is read before others get their turn."""


class JournalReading:
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
