"""What is known of a workspace's files before any is read for a request, and how they are searched.

For "Close loan-12 for the late returns", after the first calls have listed the files:

| field | for example |
|---|---|
| `records`, files about one case | `/records/loans/loan-12.json` |
| `documents`, texts for all requests | `/docs/loans.md` |
| `request`, its words and the files that it names | `close`, `late`; `loan-12.json` |
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from controlplane.agent.initial_calls.initial_calls import InitialCalls
from controlplane.agent.retrieval.document_search.known_documents import KnownDocuments
from controlplane.agent.retrieval.document_search.listed_documents import (
    ListedDocuments,
)
from controlplane.agent.retrieval.document_search.request_topic import (
    RequestTopic,
    topic_of,
)
from controlplane.agent.retrieval.file_search import search_files
from controlplane.agent.retrieval.record_search.known_records import KnownRecords
from controlplane.agent.retrieval.request_facts import RequestFacts
from controlplane.agent.retrieval.request_searches import (
    document_searches,
    record_searches,
)
from controlplane.agent.retrieval.request_terms import RequestTerms


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
        records = KnownRecords.of(calls, facts, listed.paths)
        dates = calls.tool_schema.document_dates
        return cls(
            records=records,
            documents=KnownDocuments.unread(listed, facts, dates),
            request=RequestTerms.of(facts, listed.paths, records.names),
        )

    def topic(self, records: Collection[str]) -> RequestTopic:
        """Return what the request is about, if it is about these records.

        By the rule "/records/loans: lent books", `loan-12.json` is about `lent` and `books`.
        """
        descriptions = self.documents.descriptions
        return topic_of(self.request, records, self.records.kinds, descriptions)

    def search(self, calls: InitialCalls, facts: RequestFacts) -> dict[str, str]:
        """Search all files for words of the request. Return the found lines by path.

        `{"/docs/loans.md": "Late returns cost a fee.\\n"}`
        """
        topic = self.topic(self.request.named_records)
        searches = [
            *record_searches(self.request, self.records, facts),
            *document_searches(topic.words, self.records, self.documents.listed),
        ]
        return search_files(calls, self.records.declared.search, searches)
