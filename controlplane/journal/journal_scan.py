"""Goes through the lines of a journal's file, and checks each of them once.

A journal is a file of JSON lines. Each line repeats the hash of the line before it, so that a
changed or missing line is found. Most lines are events; the others are texts that events
refer to. Another process may still be adding lines.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from controlplane.agent.events import TrialStarted
from controlplane.errors import JournalDamaged, NotAJournal
from controlplane.journal.event_places import EventPlaces
from controlplane.journal.journal_files import lines_of, open_to_read, reading_faults
from controlplane.journal.journal_lines import GENESIS, checked_hash
from controlplane.journal.line_heads import LineHead, head_of, text_key
from controlplane.journal.line_parser import LineParser, fault_of_line
from controlplane.journal.run_events import SCHEMA_VERSION, JournalEvent, RunOpened
from controlplane.journal.stored_texts import StoredTexts, TextLine
from controlplane.journal.user_key import own_key

MAX_BYTES_BEFORE_OPENING: Final = 4 << 20
"""Bytes of stored texts that may precede the `run_opened` event, which refers to them."""


class JournalScan:
    """Goes through the file of a journal once, and later continues where it stopped.

    An incomplete last line is accepted, since another process may still be writing
    it. Any other fault is damage.

    `read_on` reads the lines that were not read so far. It advances the position (how far the
    file was read: `whole_lines`, `length`, `last_hash` ...) line by line, so the next call
    continues there, even after an error.
    """

    def __init__(self, path: Path) -> None:
        """Open the journal at `path` without reading it. Raises `NotAJournal`."""
        self.path = path
        self.file = open_to_read(path)
        self.close = weakref.finalize(self, self.file.close)
        """Closes the file; a second call does nothing. Without a call, the file is closed
        when this object is freed."""
        self.texts = StoredTexts(self.file)
        """The long strings of its events. Each is stored in a line of its own."""
        self.places = EventPlaces(path, self.file, self.texts)
        """Where the events of each trial are, to read them again."""
        self._parser = LineParser(self.texts)

        # The position: how far the file was read
        self.whole_lines = 0
        """The number of complete lines read so far."""
        self.length = 0
        """Bytes of these lines."""
        self.last_hash = GENESIS
        """The hash of the last of these lines. The next line repeats it in its field `prev`."""
        self.is_opened = False
        """True once the `run_opened` event was read, the first event of every journal."""
        self.is_torn = False
        """True if an incomplete line follows the complete ones."""
        self.last_skipped_ms = 0
        """The time of the latest event that `read_on` did not yield, as totals do not need it."""

        # Whose journal it is
        self._key = own_key()
        """This user's secret key; None without one."""
        self.first_unsigned_line = 0
        """The number of the first event line that this key has not signed; 0 if there is none."""

    def read_on(self, *, for_totals: bool = False) -> Iterator[JournalEvent]:
        """Check the unread lines, and yield their events.

        With `for_totals`, yields only the events that the totals need, without texts
        that they do not need.

        Stops at the end of the file, and before an incomplete last line. Yields nothing
        if the journal is still empty. Raises `NotAJournal` and `JournalDamaged`.
        """
        # This reading gets a file object of its own, which has its own buffer and is closed at the
        # end of the block. Closing it also closes its descriptor. So it gets a copy (`dup`):
        # `self.file` stays open, from which single events and texts are read later.
        with (
            reading_faults(self.path),
            os.fdopen(os.dup(self.file.fileno()), "rb") as file,
            self._damage_reported(),
        ):
            file.seek(self.length)
            for line in self._complete_lines(file):
                event = self._take_line(line, for_totals=for_totals)
                if event is not None:
                    yield event

    def _complete_lines(self, file: BinaryIO) -> Iterator[bytes]:
        """Yield the lines from here on, up to an incomplete last one."""
        for line in lines_of(file):
            if not line.endswith(b"\n"):
                self.is_torn = True
                return
            yield line
        self.is_torn = False

    @contextmanager
    def _damage_reported(self) -> Iterator[None]:
        """Translate the fault of a line into `JournalDamaged`, with the number of the line."""
        try:
            yield
        except (ValueError, KeyError) as error:
            number = self.whole_lines + 1
            msg = f"{self.path} is damaged at line {number}: {fault_of_line(error)}"
            raise JournalDamaged(msg) from error

    def _take_line(self, line: bytes, *, for_totals: bool) -> JournalEvent | None:
        """Check the next line, record where it is, and return its event.

        Returns None for the line of a stored text (a long string that events refer to)
        and, with `for_totals`, for an event that the totals do not need.

        Raises `ValueError` and `KeyError` if the line is damaged, and `NotAJournal`.
        """
        if self.whole_lines == 0 and not line.startswith(b'{"prev":"'):
            msg = (
                f"{self.path} is not a journal: its first line is not one of a journal"
            )
            raise NotAJournal(msg)
        # After the first line that this user has not signed, the journal counts as another
        # user's. To check further signatures would take time and change nothing.
        key_to_check = None if self.first_unsigned_line else self._key
        line_hash, is_signed = checked_hash(line[:-1], self.last_hash, key_to_check)

        # Only lines of events are signed. A text is protected by its hash, which is its key.
        head = head_of(line)
        event = None
        if head is not None and head.event_type == b"text":
            self._take_text(line, head)
        else:
            event = self._take_event(line, head, for_totals=for_totals)
            if not is_signed and not self.first_unsigned_line:
                self.first_unsigned_line = self.whole_lines + 1

        self.last_hash = line_hash
        self.whole_lines += 1
        self.length += len(line)
        return event

    def _take_text(self, line: bytes, head: LineHead) -> None:
        """Record where a stored text is: at `self.length`, the end of the last line.

        Raises `ValueError`.
        """
        key = text_key(line, head)
        if key is None:
            msg = "a stored text does not match its key"
            raise ValueError(msg)
        self.texts.add(key, TextLine(place=self.length, size=len(line)))
        if not self.is_opened and self.length > MAX_BYTES_BEFORE_OPENING:
            msg = "the opening of the run does not come before it"
            raise ValueError(msg)

    def _take_event(
        self, line: bytes, head: LineHead | None, *, for_totals: bool
    ) -> JournalEvent | None:
        """Parse the line of an event, and record where it is.

        `head` has the fields at the beginning of the line, as bytes; None if they were not
        found. Raises `ValueError` and `KeyError`.
        """
        self.texts.count_references(line, self.length + len(line))
        event_type = head.event_type if head is not None else b""
        if for_totals:
            event = self._parser.counted_event_of(line, event_type)
        else:
            event = self._parser.event_of(line)
        if head is None:
            # The parser comes first, because it names the fault of most such lines.
            msg = "it does not have the form of a journal's line"
            raise ValueError(msg)

        if event is None:  # the totals do not need it, except for its time
            self.last_skipped_ms = max(self.last_skipped_ms, head.at_ms)
        else:
            self._check_opening(event)
        starts_over = isinstance(event, TrialStarted) and event.begins_anew
        self.places.add(head.trial, self.length, starts_over=starts_over)
        return event

    def _check_opening(self, event: JournalEvent) -> None:
        """Raise an error unless the first event, and no other, opens the run.

        It is `NotAJournal` for the first event, and `ValueError` for a later one.
        """
        if not self.is_opened:
            _check_version(self.path, event)
            self.is_opened = True
        elif isinstance(event, RunOpened):
            msg = "it opens the run a second time"
            raise ValueError(msg)

    @property
    def read_bytes(self) -> int:
        """Bytes that were read for single trials so far, stored texts included."""
        return self.places.read_bytes + self.texts.read_bytes

    @property
    def is_own(self) -> bool:
        """True if this user's key has signed every event: each line has its mark."""
        return self._key is not None and self.is_opened and not self.first_unsigned_line

    @property
    def fault_of_marks(self) -> str:
        """Why the journal does not count as this user's own; empty if it does."""
        if self.is_own:
            return ""
        if self._key is None:
            return "you have no key on this machine that marks journals as yours"
        return f"you did not write its line {self.first_unsigned_line} here"


def _check_version(path: Path, event: JournalEvent) -> None:
    if not isinstance(event, RunOpened):
        msg = f"{path} is not a journal: it does not begin with the opening of a run"
        raise NotAJournal(msg)
    if event.schema_version != SCHEMA_VERSION:
        msg = (
            f"{path} is a journal of schema version {event.schema_version}; "
            f"this version of the control plane reads version {SCHEMA_VERSION} alone"
        )
        raise NotAJournal(msg)
