"""A run that another process conducts, followed by its journal."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from controlplane.errors import NotAJournal
from controlplane.journal.journal_files import is_being_written
from controlplane.journal.journal_reader import Journal
from controlplane.journal.run_events import JournalEvent
from controlplane.journal.totals.run_folding import fold_event
from controlplane.terminal_text import say

BETWEEN_LOOKS_S: Final = 0.2
"""The pause before a followed journal is read again."""


class FollowedRun:
    """The run of a journal, read on until it ends."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.journal = Journal(path)
        self.summary = self.journal.summary
        self._looks = 0
        """How often the journal was read."""
        self._was_written = False
        """True if a process had locked the journal just before the last look."""

    def read_on(self) -> Iterator[JournalEvent]:
        """Yield the events since the last look, and add them to the summary."""
        if self._looks > 0:
            time.sleep(BETWEEN_LOOKS_S)
        self._looks += 1
        # The lock is checked before reading. If it is free, all events are in the file.
        self._was_written = is_being_written(self.path)
        for event in self.journal.read_on():
            fold_event(self.summary, event)
            yield event

    @property
    def has_ended(self) -> bool:
        """True if the journal gets no more events.

        A process creates its journal, and shortly after that locks it and writes to it.
        So a journal that is empty at the first look may belong to a run that is starting.
        """
        if self._looks == 0:
            return False
        if self.summary.process.closed:
            return True
        may_be_starting = self._looks == 1 and self.summary.opened is None
        return not self._was_written and not may_be_starting

    def check_end(self) -> None:
        """Say if the run was not closed. Raises `NotAJournal` if nothing could be read."""
        if self.summary.opened is None:
            msg = f"{self.path} is not a journal: it holds no whole line of one"
            raise NotAJournal(msg)
        if not self.summary.process.closed:
            say("the process of this run is gone; the journal ends here", err=True)
