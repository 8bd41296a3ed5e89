"""The files that were found for a request, and how well each fits it.

`find_files` returns them for "Close loan-12" as `found: FoundFiles`. They are ranked twice, as the
best document may name further ones:

    ranked = found.rank()                     -> `loan-12.json` (score 8), `/docs/loans.md` (1.3)
    ranked_again = found.read_linked(ranked)  reads `/docs/fees.md`, which `/docs/loans.md` names
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
class RankedFiles:
    """The found files with their scores, by the texts that were read so far."""

    candidates: list[Candidate]
    """All found files, the best first."""
    documents: RankedDocuments
    """Those of them that are documents: texts for all requests."""

    @property
    def best_document_text(self) -> str:
        """The text of the best document whose text is known; empty if there is none."""
        texts = self.documents.known.texts
        for candidate in self.candidates:
            text = texts.get(candidate.path)
            if text:
                return text
        return ""


@dataclass(frozen=True, slots=True)
class FoundFiles:
    """The files that were found for a request. The calls that read them may still run.

    The two readers know which calls they have sent. So `rank` sees the text of a file as soon as
    it was asked for, by `read_linked` or before.
    """

    documents: DocumentReader
    """Reads and ranks documents."""
    records: RecordReader
    """Reads records: files about one case."""
    found_records: FoundRecords
    """The records that fit the request, by how they were found."""
    facts: RequestFacts
    """Says who asks, and so which records may be shown."""

    def rank(self) -> RankedFiles:
        """Wait for the calls that were sent, and return all found files, the best first."""
        documents = self.documents.rank()
        records = rank_records(self.found_records, self.records, self.facts.asker)
        # The sort is stable: files of the same score stay in the order of the listings.
        candidates = sorted(
            [*documents.candidates.values(), *records],
            key=lambda candidate: candidate.score,
            reverse=True,
        )
        return RankedFiles(candidates, documents)

    def read_linked(self, ranked: RankedFiles) -> RankedFiles:
        """Read the documents that the best one names, and rank all files again."""
        self.documents.read_linked(ranked.documents)
        return self.rank()
