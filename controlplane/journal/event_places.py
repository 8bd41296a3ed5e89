"""Where in a journal's file the events of each trial are.

A journal has the events of all trials of a run in the order in which they happened, and may
have hundreds of megabytes. This index has the place of each event's line, in 8 bytes. So a
reader who wants one trial, such as `show last --trial t-1`, reads that trial's lines alone.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Final

from controlplane.errors import JournalDamaged
from controlplane.journal.line_parser import LineParser, fault_of_line
from controlplane.journal.run_events import JournalEvent
from controlplane.journal.stored_texts import StoredTexts, line_at
from controlplane.sandbox.interface import parse_json

UNSIGNED_64_BITS: Final = "Q"
"""The type of the numbers in an `array`, which takes less memory than a list."""
OF_THE_RUN: Final = b""
"""The key of the events that belong to no trial."""


class EventPlaces:
    """The bytes of a journal at which the lines of events begin, by trial.

    A trial's key is its id as a JSON string, quotes included, as it is in each line: `b'"t-1"'`.
    """

    def __init__(self, path: Path, file: BinaryIO, texts: StoredTexts) -> None:
        self._path = path
        self._file = file
        self._texts = texts
        self._places: dict[bytes, array[int]] = {}
        self.read_bytes = 0
        """Bytes of the lines that were read for single trials so far."""

    def add(self, key: bytes, place: int, *, starts_over: bool) -> None:
        """Record that the line of a trial's event begins at byte `place`.

        `starts_over` is True if the trial begins again without its earlier attempts. Their lines
        are forgotten.
        """
        if b"\\u" in key:
            # The id may have half of a surrogate pair, as in `b'"t-\\ud83d"'`. The parser puts
            # another character in its place, and callers look the trial up by that id.
            key = _key_of(str(parse_json(key)))
        if starts_over or key not in self._places:
            self._places[key] = array(UNSIGNED_64_BITS)
        self._places[key].append(place)

    def of_trial(self, trial_id: str) -> Sequence[int]:
        """Return the places of a trial's events, in order; empty if the trial has not begun."""
        return self._places.get(_key_of(trial_id), ())

    def events_of_trial(self, trial_id: str) -> Iterator[JournalEvent]:
        """Yield the events of a trial, read again from the file. Raises `JournalDamaged`."""
        return self._events_at(_key_of(trial_id))

    def events_of_run(self) -> Iterator[JournalEvent]:
        """Yield the events about the run as a whole, read again. Raises `JournalDamaged`."""
        return self._events_at(OF_THE_RUN)

    def _events_at(self, key: bytes) -> Iterator[JournalEvent]:
        """Yield the events of a trial's key. A line that was changed since raises `JournalDamaged`."""
        parser = LineParser(self._texts)
        for place in self._places.get(key, ()):
            try:
                line = line_at(self._file, place)
                self.read_bytes += len(line)
                event = parser.event_of(line)
            except (ValueError, KeyError) as error:
                msg = f"{self._path} cannot be read at byte {place}: {fault_of_line(error)}"
                raise JournalDamaged(msg) from error
            yield event


def _key_of(trial_id: str) -> bytes:
    """Return a trial's key: `t-1` -> `b'"t-1"'`."""
    return json.dumps(trial_id).encode()
