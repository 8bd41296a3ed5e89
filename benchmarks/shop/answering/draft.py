"""The draft of an answer: its outcome, its message, and the documents and records that it cites.

A solver makes the draft. What the shop's functions have found changes it (`findings`), and its
references are checked and completed (`final_references`).
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.benchmarks.shop.workspace.kinds import kind_of


@dataclass(frozen=True, slots=True)
class Answer:
    """A draft of an answer, with the request and the rules that it answers by."""

    outcome: str
    message: str = ""
    task_type: str = "other"
    """What the request is about, such as `refund`, `stock_lookup` or `count`."""
    documents: tuple[str, ...] = ()
    """The paths of cited documents: `/docs/returns.md`."""
    records: tuple[str, ...] = ()
    """The paths of cited records, and of rows in a file: `/payments.tsv#row=7`."""
    is_protected: bool = False
    """True if the answer may cite documents, but no records."""
    request: str = ""
    """The text of the request."""
    rules: str = ""
    """The text of the workspace's rules document."""


def record_kind(path: str) -> str:
    """Return the kind of the record at a path, or an empty text for any other path."""
    return str(kind_of(path) or "")


def is_document(path: str) -> bool:
    """Return True if a path is that of a document, and not of a record."""
    return path.casefold().endswith(".md")
