"""References to stored texts, which stand for the long strings of a journal's events.

A long string has a line of its own, of the type `text`. Others refer to it: `"@text:9f8e…"`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any, Final

_TYPES_IN_JSON: Final = frozenset({int, float, bool, type(None)})

LONG: Final = 200
"""Strings of this many characters or more are stored in lines of their own."""
_IDS: Final = frozenset({"trial_id", "task_id"})
"""Fields that stand whole in every line, since a trial's lines are found by them."""
_LONGEST_ID_CHARS: Final = 5_000
"""The id of a trial is that of its task, of up to 4,000 characters, and what a benchmark adds."""
REFERENCE: Final = "@text:"
"""A reference to a stored string is this and the string's key.

A string that only looks like a reference is stored, too, or it would be taken for one.
"""


_QUOTED_REFERENCE: Final = f'"{REFERENCE}'.encode()
_KEY_CHARS: Final = 32
_MOST_REFERENCES: Final = 16
"""After this many references a text is stored again: readers refuse a small journal that
refers to its texts very often (`MAX_REFERENCED_PER_BYTE` in `stored_texts`)."""
_MOST_COUNTED_TEXTS: Final = 20_000
"""A writer remembers which texts it has stored, but only this
many of the latest. If a line needs an older text, it is stored again."""


def key_of(text: str) -> str:
    """Return the key of a stored text: a hash of the text."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return digest[:_KEY_CHARS]


def encoded(value: Any, store: Callable[[str], str]) -> object:
    """Return `value` in the types of JSON, with references in place of long strings.

    Models become dicts, and tuples become lists. `store` gets each long string, and
    returns the reference.
    """
    # Comparing types is faster than `isinstance`. This runs for each value of each event.
    kind = type(value)
    if kind in _TYPES_IN_JSON:
        return value
    if kind is str:
        if len(value) >= LONG or value.startswith(REFERENCE):
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
        if name in _IDS and _stands_whole(item):
            encoded_fields[name] = item
        else:
            encoded_fields[name] = encoded(item, store)
    return encoded_fields


def _stands_whole(value: object) -> bool:
    """Return True for an id of a task or a trial, and False for other values of such a name."""
    if type(value) is not str or len(value) > _LONGEST_ID_CHARS:
        return False
    return not value.startswith(REFERENCE)


def resolved(value: Any, text_of: Callable[[str], str]) -> Any:
    """Return a value of JSON with the stored texts in place of the references to them.

    `text_of` returns the text of a key.
    """
    kind = type(value)
    if kind is str:
        if value.startswith(REFERENCE):
            return text_of(value.removeprefix(REFERENCE))
        return value
    if kind is list:
        return [resolved(item, text_of) for item in value]
    if kind is dict:
        return {name: resolved(item, text_of) for name, item in value.items()}
    return value


def referenced_keys(line: bytes) -> list[bytes]:
    """Return the keys of the texts that a line refers to: `{"reply":"@text:0a1b…"}` -> `0a1b…`.

    Other text may look like a reference, so a key may belong to no stored text.
    """
    parts = line.split(_QUOTED_REFERENCE)
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
        for referenced_key in referenced_keys(line):
            key = referenced_key.decode("utf-8", "replace")
            if key in self._counts:  # Other text may look like a reference.
                self._counts[key] += 1
        while len(self._counts) > _MOST_COUNTED_TEXTS:
            oldest = next(iter(self._counts))
            del self._counts[oldest]
