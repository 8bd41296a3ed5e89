"""The long texts and results of a journal, each stored once in a line of its own.

A long string of an event, or the long result of a call, has a line of the type `text`. Others refer
to it by its key: `"reply":"@text:9f8e…"`. `encoded` puts such references into the fields of an event,
and `resolved` replaces them by what is stored.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from typing import Any, BinaryIO, Final, NamedTuple

from pydantic import JsonValue

from controlplane.journal.journal_lines import stored_json
from controlplane.sandbox.interface import bounds, parse_json, well_formed

_TYPES_IN_JSON: Final = frozenset({int, float, bool, type(None)})

_LONG: Final = 200
"""Strings of this many characters or more are stored in lines of their own."""
LONG_DATA_BYTES: Final = 1_000
"""So is the result of a call whose JSON has this many bytes, such as the tree of a workspace, which
each trial of a run may ask for. For a shorter one, a line of its own would cost more than it saves."""
_IDS: Final = frozenset({"trial_id", "task_id"})
"""Fields that stand whole in every line, since a trial's lines are found by them."""
_LONGEST_ID_CHARS: Final = 5_000
"""The id of a trial is that of its task, of up to 4,000 characters, and what a benchmark adds."""
REFERENCE: Final = "@text:"
"""A reference to a stored string is this and the string's key.

A string that only looks like a reference is stored, too, or it would be taken for one.
"""


REFERENCE_BYTES: Final = f'"{REFERENCE}'.encode()
"""The bytes `"@text:`. A line that refers to a stored text contains them."""
_KEY_CHARS: Final = 32
_MOST_REFERENCES: Final = 16
"""After this many references a text is stored again: readers refuse a small journal that
refers to its texts very often (`_MAX_REFERENCED_PER_BYTE`)."""
_MOST_COUNTED_TEXTS: Final = 20_000
"""A writer remembers which texts it has stored, but only this
many of the latest. If a line needs an older text, it is stored again."""


def key_of(text: str) -> str:
    """Return the key of a stored text: a hash of the text."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return digest[:_KEY_CHARS]


def key_of_data(data: bytes) -> str:
    """Return the key of stored data, such as a result: a hash of its JSON.

    No text has the same key: none begins with the byte `0xff` in UTF-8. Otherwise a script could
    print the JSON of a result, and its output would be read as the result.
    """
    return hashlib.sha256(b"\xff" + data).hexdigest()[:_KEY_CHARS]


def is_stored_once(data: bytes) -> bool:
    """Return True if encoded data, such as the result of a call, gets a line of its own.

    Data with a long string does not: the string has its own line already, and stored data refer to
    nothing, so that the amount of text to which a line refers can be told from its own references.
    """
    return len(data) >= LONG_DATA_BYTES and REFERENCE_BYTES not in data


def encoded(value: Any, store: Callable[[str], str]) -> Any:
    """Return `value` in the types of JSON, with references in place of long strings.

    Models become dicts, and tuples become lists. `store` gets each long string, and
    returns the reference.
    """
    # Comparing types is faster than `isinstance`. This runs for each value of each event.
    kind = type(value)
    if kind in _TYPES_IN_JSON:
        return value
    if kind is str:
        if len(value) >= _LONG or value.startswith(REFERENCE):
            return store(value)
        return value
    if kind is list or kind is tuple:
        return [encoded(item, store) for item in value]
    if isinstance(value, str):  # such as the member of an enumeration
        return encoded(str(value), store)

    # Only dicts and models are left.
    fields = value if isinstance(value, dict) else value.__dict__
    encoded_fields: dict[str, object] = {}
    for name, item in fields.items():
        # Most values are numbers and truth values. They need no call of their own.
        if type(item) in _TYPES_IN_JSON or (name in _IDS and _stands_whole(item)):
            encoded_fields[name] = item
        else:
            encoded_fields[name] = encoded(item, store)
    return encoded_fields


def _stands_whole(value: object) -> bool:
    """Return True for an id of a task or a trial, and False for other values of such a name."""
    if type(value) is not str or len(value) > _LONGEST_ID_CHARS:
        return False
    return not value.startswith(REFERENCE)


def resolved(value: Any, stored: Callable[[str], Any]) -> Any:
    """Return a value of JSON with what is stored in place of the references to it.

    `stored` returns the text, or the data, of a key.
    """
    kind = type(value)
    if kind is str:
        if value.startswith(REFERENCE):
            return stored(value.removeprefix(REFERENCE))
        return value
    if kind is list:
        return [resolved(item, stored) for item in value]
    if kind is dict:
        return {name: resolved(item, stored) for name, item in value.items()}
    return value


def _referenced_keys(line: bytes) -> list[bytes]:
    """Return the keys of the texts that a line refers to: `{"reply":"@text:0a1b…"}` -> `0a1b…`.

    Other text may look like a reference, so a key may belong to no stored text.
    """
    parts = line.split(REFERENCE_BYTES)
    return [part[:_KEY_CHARS] for part in parts[1:]]


class ReferenceCounts:
    """How often lines have referred to each of the latest texts since it was stored."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        """The counts by the text's key, in the order in which the texts were first stored."""

    def allow_another(self, key: str) -> bool:
        """Return True if a line may refer to the stored text of `key`.

        False if the text has to be stored first, because it is new, or stored once more,
        because lines have referred to it too often.
        """
        count = self._counts.get(key)
        return count is not None and count < _MOST_REFERENCES

    def note_stored(self, key: str) -> None:
        """Record that the text of `key` was stored."""
        self._counts[key] = 0

    def note_line(self, line: bytes) -> None:
        """Count the references in a line, and forget the oldest texts."""
        for referenced_key in _referenced_keys(line):
            key = referenced_key.decode("utf-8", "replace")
            if key in self._counts:  # Other text may look like a reference.
                self._counts[key] += 1
        while len(self._counts) > _MOST_COUNTED_TEXTS:
            oldest = next(iter(self._counts))
            del self._counts[oldest]


_MOST_KEPT_CHARS: Final = 1_000_000
"""Characters of stored texts kept in memory, since later lines may refer to them again.
This is enough for the documents of one prompt, which every trial repeats."""
_FIRST_READ_BYTES: Final = 2_048
"""Bytes of a line that are read at first. Most lines are shorter."""

# A reader replaces each reference by the text, so a small malicious journal could fill the
# memory. Example: one text of 1 MB, and 1,000 short lines that refer to it. The journal has
# about 1 MB, and is read as 1,000 MB of text.
#
# So a journal of `size` bytes may refer to this many bytes of text, where a text counts once
# for each reference to it:
#
#     FREE_REFERENCED_BYTES + MAX_REFERENCED_PER_BYTE * size
#
# In the example these are 16 + 24 * 1 = 40 MB, so the journal is refused.
_MAX_REFERENCED_PER_BYTE: Final = 24
"""More than a run needs. It stores a text again after 16 references (`_MOST_REFERENCES`): 1,000
references to a text of 1 MB come with 63 copies of it, or 16 MB of text for each MB of the journal.
The rest is for lines that refer to a text several times."""
_FREE_REFERENCED_BYTES: Final = 16 << 20
"""What any journal may refer to. A short one, such as one with a
single text, may thus refer to the text more often."""


def line_at(file: BinaryIO, place: int) -> bytes:
    """Return the line that begins at byte `place` of a journal.

    Raises `ValueError` if the file is closed.
    """
    data = b""
    size = _FIRST_READ_BYTES
    while b"\n" not in data:
        more = os.pread(file.fileno(), size, place + len(data))
        if not more:
            return data  # The last line is incomplete.
        data += more
        size *= 4  # A line of a million bytes then takes six reads instead of hundreds.
    line, end, _ = data.partition(b"\n")
    return line + end


class TextLine(NamedTuple):
    """Where in the journal the line of a stored text is."""

    place: int
    """Its first byte."""
    size: int
    """Its length in bytes."""


class StoredTexts:
    """The long texts of a journal, each stored in a line of its own and found by its key.

    Those that were read lately are kept in memory.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._lines: dict[bytes, TextLine] = {}
        """The line of each text, by its key."""
        self._kept: dict[str, str | bytes] = {}
        """The texts in memory, by key, and the data as JSON, since each reader may change its own."""
        self._kept_chars = 0
        """The characters of these texts together."""
        self._referenced_bytes = 0
        """Bytes of the texts that lines refer to, counted once per reference."""

    def add(self, key: bytes, text_line: TextLine) -> None:
        """Record which line has the text of `key`. If a text is stored twice, the first counts."""
        self._lines.setdefault(key, text_line)

    def stored(self, key: str) -> str | dict[str, JsonValue]:
        """Return the text of `key`, or its data, such as a result, from memory or from the file.

        Raises `KeyError` if it is missing, and `ValueError` if it has another key.
        """
        kept = self._kept.get(key)
        if kept is None:
            kept = self._read(key)
            self._kept_chars += len(kept)
            if self._kept_chars > _MOST_KEPT_CHARS:
                # All texts are dropped together: a prompt uses the same ones again and
                # again, so none of them deserves to stay longer than the others.
                self._kept.clear()
                self._kept_chars = len(kept)
            self._kept[key] = kept
        if isinstance(kept, str):
            return kept
        data: dict[str, JsonValue] = parse_json(kept, most_bytes=bounds.MOST_LINE_BYTES)
        return data

    def _read(self, key: str) -> str | bytes:
        """Return the text of `key`, or the JSON of its data, from the file. Raises as `stored` does."""
        line = line_at(self._file, self._lines[key.encode()].place)
        value = stored_json(line)
        if value.startswith(b"{"):
            _check_key(key, key_of_data(value))
            return value
        text = str(json.loads(value))
        # The key is a hash of the text in the file. So check it before `well_formed`,
        # which may change the text.
        _check_key(key, key_of(text))
        return well_formed(text)

    def count_references(self, line: bytes, journal_bytes: int) -> None:
        """Count the bytes of the texts that a line refers to.

        Raises `ValueError` if the lines so far, which have `journal_bytes`, refer to more text
        than is permitted: see the limits at the top of this module.
        """
        if REFERENCE_BYTES not in line:
            return
        for key in _referenced_keys(line):
            text_line = self._lines.get(key)
            if text_line is not None:
                self._referenced_bytes += text_line.size
        limit = _FREE_REFERENCED_BYTES + _MAX_REFERENCED_PER_BYTE * journal_bytes
        if self._referenced_bytes > limit:
            msg = (
                "the lines up to it show their texts more often than those of a run do"
            )
            raise ValueError(msg)


def _check_key(key: str, found: str) -> None:
    """Raise `ValueError` if what a line stores has another key than the line says."""
    if found != key:
        msg = "a stored text does not match its key"
        raise ValueError(msg)
