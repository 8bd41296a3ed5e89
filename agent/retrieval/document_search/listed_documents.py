"""The documents of a workspace, as a call at the start of the trial lists them.

A document is a text for all requests, such as the policy `/docs/parking.md`. The environment
declares the call `read` for each file below `/docs`. For three files there, of which the call
for `/docs/RULES.md` was sent for every request:

    ListedDocuments(read, root="/docs", paths=("/docs/fees.md", "/docs/parking.md"))

Those that fit a request best are read later.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.sandbox.interface import Operation


@dataclass(frozen=True, slots=True)
class ListedDocuments:
    """The paths of the documents, and how to read them."""

    read: Operation | None = None
    """The operation that reads a document; None if there are no documents."""
    root: str = "/"
    """The folder that holds the documents."""
    paths: tuple[str, ...] = ()
    """The paths of the documents: `/docs/parking.md`."""
