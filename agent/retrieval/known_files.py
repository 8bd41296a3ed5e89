"""What is known of a workspace's files before any of them is read for a request.

For "Close loan-12 for the late returns", after the first calls have listed the files:

| field | for example |
|---|---|
| `records`, files about one case | `/records/loans/loan-12.json` |
| `documents`, texts for all requests | `/docs/loans.md` |
| `request`, its words and the files that it names | `close`, `late`; `loan-12.json` |
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from controlplane.agent.initial_calls.initial_calls import InitialCalls
from controlplane.agent.retrieval.document_search.known_documents import KnownDocuments
from controlplane.agent.retrieval.document_search.listed_documents import (
    ListedDocuments,
)
from controlplane.agent.retrieval.document_search.request_topic import (
    RequestTopic,
    topic_of,
)
from controlplane.agent.retrieval.record_search.known_records import KnownRecords
from controlplane.agent.retrieval.request_facts import RequestFacts
from controlplane.agent.retrieval.request_terms import RequestTerms
from controlplane.agent.retrieval.unread_files import unread_files

MAX_KINDS: Final = 2
"""A request that names no record is about at most this many kinds of records, such as loans."""


@dataclass(frozen=True, slots=True)
class KnownFiles:
    """The listed files, of which none is read yet, and the terms of the request."""

    records: KnownRecords
    documents: KnownDocuments
    request: RequestTerms

    @classmethod
    def of(
        cls, calls: InitialCalls, facts: RequestFacts, listed: ListedDocuments
    ) -> KnownFiles:
        """Return the files that the first calls have listed. `listed` are the documents."""
        files = unread_files(facts.listed.files, listed.paths, calls)
        records = KnownRecords.among(files, calls.tool_schema)
        dates = calls.tool_schema.document_dates
        return cls(
            records=records,
            documents=KnownDocuments.unread(listed, facts, dates),
            request=RequestTerms.of(facts, listed.paths, records.names),
        )

    def topic(self, found_records: Iterable[str] = ()) -> RequestTopic:
        """Return what the request is about, by the records that it names.

        By the rule "/records/loans: lent books", `loan-12.json` is about `lent` and `books`. A
        request that names no record is about the best of `found_records`: records that have words
        of the request, the best first.
        """
        kinds = self.records.kinds
        records = self.request.named_records
        if not records:
            records = kinds.first_of_each(found_records)[:MAX_KINDS]
        return topic_of(self.request, records, kinds, self.documents.descriptions)
