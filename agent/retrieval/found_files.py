"""The files that were found for a request, and how well each fits it.

For "Close loan-12":

    ranked = found.rank()        -> `loan-12.json` (score 8), `/docs/loans.md` (score 1.3)
    found.read_linked(ranked)    reads `/docs/fees.md`, which `/docs/loans.md` names, and
                                 returns the files as they are ranked by its text, too
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.retrieval.document_search.document_reader import DocumentReader
from controlplane.agent.retrieval.document_search.ranked_documents import (
    RankedDocuments,
)
from controlplane.agent.retrieval.file_candidate import Candidate
from controlplane.agent.retrieval.record_search.found_records import FoundRecords
from controlplane.agent.retrieval.record_search.record_reader import RecordReader
from controlplane.agent.retrieval.request_facts import RequestFacts


@dataclass(frozen=True, slots=True)
class RankedFiles:
    """The found files with their scores, by what was known of them at one time."""

    candidates: list[Candidate]
    """All found files, the best first."""
    documents: RankedDocuments
    """Those of them that are documents: texts for all requests."""

    @property
    def best_document_text(self) -> str:
        """The text of the best document whose text is known; empty if there is none."""
        for candidate in self.candidates:
            text = self.documents.texts.get(candidate.path)
            if text:
                return text
        return ""


@dataclass(frozen=True, slots=True)
class FoundFiles:
    """The files that were found for a request. The calls that read them may still run."""

    documents: DocumentReader
    """Reads and ranks documents: texts for all requests."""
    records: RecordReader
    """Reads and ranks records: files about one case."""
    found_records: FoundRecords
    """The records that fit the request, by how they were found."""
    facts: RequestFacts
    """Says who asks, and so which records may be shown."""

    def rank(self) -> RankedFiles:
        """Wait for the calls that were sent, and return all found files, the best first.

        Records that the user who asks must not see are marked as withheld.
        """
        documents = self.documents.rank()
        records = self.records.rank(self.found_records, self.facts.asker)
        # The sort is stable: files of the same score stay in the order of the listings.
        candidates = sorted(
            [*documents.candidates.values(), *records],
            key=lambda candidate: candidate.score,
            reverse=True,
        )
        return RankedFiles(candidates, documents)

    def read_linked(self, ranked: RankedFiles) -> RankedFiles:
        """Read the documents that the best one and the notices name. Return all files anew.

        A *notice* is a document that changes other documents from a day on. By the texts that
        are read here, the order of the files may change.
        """
        self.documents.read_linked(ranked.documents)
        return self.rank()
