"""Ranks the documents of a workspace by how well they fit a request.

A document is a text for all requests. A *notice* is a document that changes others from the day
in its name on. For "Where may cars stand?", `/docs/parking.md` has the best words, and a notice
changes it:

    fitting_documents    gives it its word score, 1.0
    score_notices        gives it 1.5 points, and the notice 2
    rank_documents       -> `/docs/parking.md` 2.5, the notice 2.0, all others 0.0
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.retrieval.document_search.document_candidate import (
    DocumentCandidate,
)
from controlplane.agent.retrieval.document_search.fitting_documents import (
    fitting_documents,
)
from controlplane.agent.retrieval.document_search.known_documents import KnownDocuments
from controlplane.agent.retrieval.document_search.notice_scores import score_notices
from controlplane.agent.retrieval.document_search.request_topic import RequestTopic
from controlplane.agent.retrieval.ranking_reasons import Reason
from controlplane.sandbox.files.word_ranking import WordRanking


@dataclass(frozen=True, slots=True)
class RankedDocuments:
    """The documents of a workspace with their scores, as far as their texts are known."""

    known: KnownDocuments
    """The documents with the texts by which they are ranked."""
    fitting: list[str]
    """The paths of the documents that fit the topic of the request, the best first."""
    candidates: dict[str, DocumentCandidate]
    """All documents with their scores, by path, in the order of the listing."""

    @property
    def best_text(self) -> str:
        """The text of the best document whose text is known; empty if there is none."""
        # The sort is stable: of two with the same score, the one listed first counts.
        best_first = sorted(
            self.candidates.values(), key=lambda document: document.score, reverse=True
        )
        for document in best_first:
            text = self.known.texts[document.path]
            if text:
                return text
        return ""

    def notices_in_force(self) -> list[str]:
        """Return the notices except those that are certainly not in force."""
        notices = self.known.calendar.notices
        return [path for path in notices if not self.candidates[path].is_refused]


def rank_documents(
    documents: KnownDocuments, topic: RequestTopic, ranking: WordRanking
) -> RankedDocuments:
    """Return all documents with their scores. `ranking` compares words with texts."""
    fitting = fitting_documents(documents, topic, ranking)
    fitting_by_path = {candidate.path: candidate for candidate in fitting}
    candidates: dict[str, DocumentCandidate] = {}
    for path in documents.listed.paths:
        # A document that does not fit the topic begins with the score 0.
        candidate = fitting_by_path.get(path) or documents.candidate(path)
        if path in topic.named_documents:
            candidate.add(Reason.NAMED)
        if candidate.validity.is_out_of_force:
            candidate.refuse(Reason.NOT_IN_FORCE)
        candidates[path] = candidate
    score_notices(documents, candidates)
    return RankedDocuments(documents, list(fitting_by_path), candidates)
