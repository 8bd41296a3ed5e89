"""The draft of an answer: its outcome, its message, and the files that it cites.

    Draft("OUTCOME_OK", "basket_12 is open.", records=("/proc/carts/basket_12.json",), ...)

A solver makes the draft. Results of the shop's functions change it (`findings`), and its
references are completed and checked (`final_references`).
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.benchmarks.shop.workspace.kinds import kind_of


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer before it is submitted, with the request that it answers."""

    outcome: str
    message: str = ""
    task_type: str = "other"
    """What the request is about, such as `refund`, `stock_lookup` or `count`."""
    documents: tuple[str, ...] = ()
    """The paths of cited documents: `/docs/returns.md`."""
    records: tuple[str, ...] = ()
    """The paths of cited records, and of rows in a file: `/payments.tsv#row=7`."""
    is_protected: bool = False
    """True if it may cite no records, because they are not for the asker's eyes."""
    request: str = ""
    """The text of the request."""
    rules: str = ""
    """The text of the workspace's rules document, which says how to answer."""


def record_kind(path: str) -> str:
    """Return the kind of the record at a path, or an empty text for any other path."""
    return str(kind_of(path) or "")


def is_document(path: str) -> bool:
    """Return True if a path is that of a document, and not of a record."""
    return path.casefold().endswith(".md")
