"""Tells which of the listed files have not been read yet, and may be read for a request.

The first calls of a trial have listed all files, and read some for every request:

    listed files        /RULES.md, /docs/loans.md, /records/loans/loan-12.json, /logs/a.txt
    read                /RULES.md
    documents           /docs/loans.md, a text for all requests: these are found in another way
        -> /records/loans/loan-12.json, /logs/a.txt

The list may also have `/old/UNLISTED`, which is no file: it says that the folder `/old` may have
files that are not listed. It is left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from controlplane.agent.initial_calls.initial_calls import InitialCalls
from controlplane.agent.retrieval.listing.unlisted_files import is_unlisted


def unread_files(
    listed_files: Iterable[str], documents: Collection[str], calls: InitialCalls
) -> list[str]:
    """Return the listed files that are not documents, and that no call has as its `path`."""
    left_out = set(documents)
    for sent in calls.all_calls:
        path = sent.call.arguments.get("path")
        if isinstance(path, str):
            left_out.add(path)
    return [
        path for path in listed_files if path not in left_out and not is_unlisted(path)
    ]
