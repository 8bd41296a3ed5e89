"""The result of converting a document: its parts as texts, or the reason why there are none.

A PDF becomes a part for each page. A worker process converts it, and its reply is JSON. So
there are two forms of the same: `DocumentPart`, and a list in a `WorkerReply`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

WorkerReply: TypeAlias = list[list[Any]] | str
"""What a worker returns, and what is cached: the parts, or the reason why there are none.

Each part is a list of its place, its text and any notes: `[["page-1", "Text", ["a note"]],
["page-2", "More", []]]`.
"""


class DocumentPart(NamedTuple):
    """A part of a document, such as a page, which becomes a separate file."""

    place: str
    """Its path below the document, such as `page-3`; empty for the whole document."""
    text: str
    notes: Sequence[str] = ()
    """Facts that the text does not show, such as merged cells."""


class Conversion(NamedTuple):
    """The parts of a document, or the reason why there are none."""

    parts: Sequence[DocumentPart] = ()
    fault: str = ""

    @classmethod
    def of(cls, reply: WorkerReply) -> Conversion:
        """Read the reply of a worker, or one from the cache."""
        if isinstance(reply, str):
            return cls(fault=reply)
        return cls([DocumentPart(*part) for part in reply])
