"""The draft of an answer: its outcome, its message, and the documents and records that it cites."""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.benchmarks.shop.workspace.kinds import kind_of


@dataclass(frozen=True, slots=True)
class Answer:
    """A draft of an answer, before its references are checked and sorted."""

    outcome: str
    message: str = ""
    task_type: str = "other"
    """What the request is about, such as `refund`, `stock_lookup` or `count`."""
    documents: tuple[str, ...] = ()
    records: tuple[str, ...] = ()
    is_protected: bool = False
    """True if the answer may cite documents, but no records."""
    request: str = ""
    rules: str = ""
    """The workspace's rules document."""


def record_kind(path: str) -> str:
    """Return the kind of the record at a path, or an empty text for any other path."""
    return str(kind_of(path) or "")


def is_document(path: str) -> bool:
    """Return True if a path is that of a document, and not of a record."""
    return path.casefold().endswith(".md")
