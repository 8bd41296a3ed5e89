"""Writes journals.

A journal is a file with a line of JSON for each event of a run. Each line contains a hash of the
line before it, which shows if a line was damaged or is missing. The user's mark on each event
shows whether somebody else wrote it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from controlplane.agent.events import now_ms
from controlplane.journal.journal_lines import GENESIS, json_of, line_of
from controlplane.journal.locked_file import LockedFile
from controlplane.journal.run_events import JournalEvent
from controlplane.journal.state_files import made_key
from controlplane.journal.step_parts import fields_to_write
from controlplane.journal.text_references import (
    REFERENCE,
    ReferenceCounts,
    encoded,
    key_of,
)
from controlplane.sandbox.interface import well_formed

# The next lines of a journal, each with the hash of the one before it.
#
# A long string of an event has a line of its own, before the event that refers to it by its key:
#
#     {"prev":"0a1b…","type":"text","key":"9f8e…","text":"def price(row): …","hash":"2c3d…"}
#     {"prev":"2c3d…","type":"step","code":"@text:9f8e…","hash":"4e5f…","mark":"6a7b…"}
#
# Only the event is signed by a mark. It contains the key of the text, which is the text's hash.


class _NextLines(NamedTuple):
    """Lines to append: those of stored texts, and then the line that refers to them."""

    data: bytes
    """The lines, each with its end."""
    body: bytes
    """The fields of the last line, as JSON."""
    stored_keys: list[str]
    """The keys of the texts."""
    last_hash: str
    """The hash of the last line."""


@dataclass(slots=True)
class _LineChain:
    """Makes lines. A journal is continued by giving the hash of its last line."""

    key: bytes | None
    """The user's key, which signs the lines of events; None without one."""
    last_hash: str = GENESIS
    """The hash of the last line that was written."""
    _references: ReferenceCounts = field(default_factory=ReferenceCounts)

    def is_stored(self, key: str) -> bool:
        """Return True if a further line may refer to a text without storing it first.

        After many references it is stored again. A small file could otherwise make its reader
        build an enormous amount of text, so readers refuse a journal that refers to its
        texts too often for its size.
        """
        return self._references.allow_another(key)

    def next_lines(self, body: bytes, texts: Mapping[str, str]) -> _NextLines:
        """Return the line of an event with the fields in `body`, and the lines of texts before it.

        `texts` are the long strings to which the event refers, by key. Those that are stored
        already get no further line.
        """
        stored_keys = [key for key in texts if not self.is_stored(key)]
        lines: list[bytes] = []
        last_hash = self.last_hash
        for key in stored_keys:
            line, last_hash = line_of(_text_body(key, texts[key]), last_hash)
            lines.append(line)
        line, last_hash = line_of(body, last_hash, self.key)
        lines.append(line)
        return _NextLines(b"".join(lines), body, stored_keys, last_hash)

    def note_written(self, lines: _NextLines) -> None:
        """Continue after lines that were written."""
        self.last_hash = lines.last_hash
        for key in lines.stored_keys:
            self._references.note_stored(key)
        self._references.note_line(lines.body)


def _text_body(key: str, text: str) -> bytes:
    """Return the fields of a stored text as JSON."""
    return json_of({"at_ms": now_ms(), "type": "text", "key": key, "text": text})


class JournalWriter(LockedFile):
    """Appends events to a journal, from any thread.

    A run creates one when it begins or resumes, and closes it at its end. For an
    existing file, call `continue_after` before the first event is written. After the
    first failure nothing more is written.
    """

    def __init__(self, path: Path, *, create: bool) -> None:
        """Open the file as `LockedFile` does."""
        self._chain = _LineChain(made_key())
        self._lock = threading.Lock()
        super().__init__(path, create=create)

    def continue_after(self, *, length: int, last_hash: str) -> None:
        """Continue after the first `length` bytes, and cut off what follows: an incomplete line.

        `last_hash` is the hash of the last complete line.
        """
        os.ftruncate(self._file, length)
        self._chain.last_hash = last_hash

    def write(self, event: JournalEvent) -> None:
        """Append one event, after its long texts.

        Raises `JournalUnwritable`. After that error, nothing more is written.
        """
        new_texts: dict[str, str] = {}

        def reference_to(text: str) -> str:
            """Return the reference by which a line names a long text: its key."""
            text = well_formed(text)
            key = key_of(text)
            # To save work, only the texts that may have to be stored are passed on.
            # `write_body` asks again, under the lock, since another thread may store them first.
            if not self._chain.is_stored(key):
                new_texts[key] = text
            return REFERENCE + key

        fields = encoded(fields_to_write(event), reference_to)
        self.write_body(json_of(fields), new_texts)

    def write_body(self, body: bytes, texts: Mapping[str, str]) -> None:
        """Append a line with the fields in `body`, as JSON.

        `texts` are long strings that the body refers to, by key. Those that are not
        stored yet get lines of their own before it.
        """
        with self._lock:
            if self.failure:
                raise self.failure
            lines = self._chain.next_lines(body, texts)
            self.append(lines.data)
            self._chain.note_written(lines)

    def __enter__(self) -> JournalWriter:
        return self

    def __exit__(self, *failure: object) -> None:
        """Close the file.

        Remove it if it is empty, as after a run that could not begin: commands would take it for the
        latest run.
        """
        if self._file >= 0 and not os.fstat(self._file).st_size:
            self.discard()
        self.close()
