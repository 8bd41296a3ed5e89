"""What a request is about, as far as documents are compared with it.

For "Close l-12 by /docs/loans.md", if the workspace's rules say "/records/loans: lent books":

    RequestTopic(
        words=["close", "l-12", "loans", "lent", "books"],
        record_folders={"/records/loans"},
        named_documents=["/docs/loans.md"],
    )

So a document about lent books fits this request, even if it has no word of it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from controlplane.agent.retrieval.record_search.record_kinds import RecordKinds
from controlplane.agent.retrieval.request_terms import RequestTerms
from controlplane.sandbox.files.text_words import words_of


@dataclass(frozen=True, slots=True)
class RequestTopic:
    """What a request is about."""

    words: Sequence[str]
    """The words of the request, and those by which the rules describe its records."""
    record_folders: Collection[str]
    """The folders of the records that the request is about."""
    named_documents: Sequence[str]
    """The documents that the request names, by their paths."""


def topic_of(
    request: RequestTerms,
    records: Collection[str],
    kinds: RecordKinds,
    descriptions: Mapping[str, str],
) -> RequestTopic:
    """Return the topic of a request that is about these records.

    `descriptions` has what the rules say of paths: `{"/records/loans": "lent books"}`.
    """
    words = list(request.words)
    for path, description in descriptions.items():
        is_about_records = any(record.startswith(f"{path}/") for record in records)
        if is_about_records:
            words += words_of(description)
    return RequestTopic(
        words=words,
        record_folders={kinds.kind_of(record) for record in records},
        named_documents=request.named_documents,
    )
