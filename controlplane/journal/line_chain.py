"""The next lines of a journal, each with the hash of the one before it.

A long string of an event has a line of its own, before the event that refers to it by its key:

    {"prev":"0a1b…","type":"text","key":"9f8e…","text":"def price(row): …","hash":"2c3d…"}
    {"prev":"2c3d…","type":"step","code":"@text:9f8e…","hash":"4e5f…","mark":"6a7b…"}

Only the event is signed by a mark. It contains the key of the text, which is the text's hash.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from controlplane.agent.events import now_ms
from controlplane.journal.journal_lines import GENESIS, json_of, line_of
from controlplane.journal.text_references import ReferenceCounts


class NextLines(NamedTuple):
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
class LineChain:
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

    def next_lines(self, body: bytes, texts: Mapping[str, str]) -> NextLines:
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
        return NextLines(b"".join(lines), body, stored_keys, last_hash)

    def note_written(self, lines: NextLines) -> None:
        """Continue after lines that were written."""
        self.last_hash = lines.last_hash
        for key in lines.stored_keys:
            self._references.note_stored(key)
        self._references.note_line(lines.body)


def _text_body(key: str, text: str) -> bytes:
    """Return the fields of a stored text as JSON."""
    return json_of({"at_ms": now_ms(), "type": "text", "key": key, "text": text})
