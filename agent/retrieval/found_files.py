"""The files that were found for a request: documents (texts for all requests) and records.

For "Close loan-12", the best document may name further documents. So they are ranked twice:

    ranked = found.documents.rank()        `/docs/loans.md` is the best document
    found.documents.read_linked(ranked)    `/docs/fees.md`, which it names, is read, too
    ranked = found.documents.rank()
    found.best_first(ranked)               -> `loan-12.json` (score 8), `/docs/loans.md` (1.3)
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.retrieval.document_search.document_reader import DocumentReader
from controlplane.agent.retrieval.document_search.ranked_documents import (
    RankedDocuments,
)
from controlplane.agent.retrieval.file_candidate import Candidate
from controlplane.agent.retrieval.record_search.found_records import FoundRecords
from controlplane.agent.retrieval.record_search.ranked_records import rank_records
from controlplane.agent.retrieval.record_search.record_reader import RecordReader
from controlplane.agent.retrieval.request_facts import RequestFacts


@dataclass(frozen=True, slots=True)
class FoundFiles:
    """The files that were found for a request. The calls that read them may still run."""

    documents: DocumentReader
    """Reads and ranks documents."""
    records: RecordReader
    """Has sent the calls that read records: files about one case."""
    found_records: FoundRecords
    """The records that fit the request, by how they were found."""
    facts: RequestFacts
    """Says who asks, and so which records may be shown."""

    def best_first(self, documents: RankedDocuments) -> list[Candidate]:
        """Return these documents and the found records, the best file first.

        Waits for the calls that read records.
        """
        reader = self.records
        records = rank_records(
            self.found_records, reader.known, reader.file_reader, self.facts.asker
        )
        # The sort is stable: files of the same score stay in the order of the listings.
        return sorted(
            [*documents.candidates.values(), *records],
            key=lambda candidate: candidate.score,
            reverse=True,
        )
