"""The result of converting a document: its parts as texts, or the reason why there are none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

WorkerReply: TypeAlias = list[list[str]] | str
"""What a worker returns: `[["page-1", "Text", "a note"], ["page-2", "More"]]`, or a reason.

Each part is a list of its place, its text and any notes.
"""


@dataclass(frozen=True, slots=True)
class DocumentPart:
    """A part of a document, such as a page."""

    place: str
    """Its path below the document, such as `page-3`; empty for the whole document."""
    text: str
    notes: tuple[str, ...]
    """Facts that the text does not show, such as merged cells."""


@dataclass(frozen=True, slots=True)
class Conversion:
    """The parts of a document, or the reason why there are none."""

    parts: Sequence[DocumentPart] = ()
    fault: str = ""

    @classmethod
    def of(cls, reply: WorkerReply) -> Conversion:
        """Read the reply of a worker, or one from the cache."""
        if isinstance(reply, str):
            return cls(fault=reply)
        parts = []
        for place, text, *notes in reply:
            parts.append(DocumentPart(place, text, tuple(notes)))
        return cls(parts)
