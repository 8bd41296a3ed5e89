"""Ranks the documents of a workspace by how well they fit a request.

A document is a text for all requests. A *notice* is a document that changes others from the day
in its name on. For "Where may cars stand?", `/docs/parking.md` has the best words, and a notice
changes it:

    fitting_documents    adds 1.0 to the score of `/docs/parking.md`, for its words
    score_notices        adds 1.5 to it, as a notice changes it, and 2.0 to the notice
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

    fitting: list[str]
    """The paths of the documents that fit the topic of the request, the best first."""
    candidates: dict[str, DocumentCandidate]
    """All documents with their scores, by path, in the order of the listing."""

    @property
    def best_text(self) -> str:
        """The text of the best document whose text is known; empty if there is none."""
        # The sort is stable: of two with the same score, the one listed first counts.
        best_first = sorted(
            self.candidates.values(),
            key=lambda candidate: candidate.score,
            reverse=True,
        )
        for candidate in best_first:
            if candidate.document.text:
                return candidate.document.text
        return ""

    @property
    def notices(self) -> list[DocumentCandidate]:
        """The notices, in the order of the listing."""
        candidates = self.candidates.values()
        return [candidate for candidate in candidates if candidate.document.is_notice]


def rank_documents(
    documents: KnownDocuments, topic: RequestTopic, ranking: WordRanking
) -> RankedDocuments:
    """Return all documents with their scores. `ranking` compares words with texts."""
    candidates: dict[str, DocumentCandidate] = {}
    for path, document in documents.by_path.items():
        candidates[path] = DocumentCandidate(
            path=path, read_operation=documents.listed.read, document=document
        )
    fitting = fitting_documents(candidates, documents.descriptions, topic, ranking)
    for path in topic.named_documents:
        candidates[path].add(Reason.NAMED)
    for candidate in candidates.values():
        if candidate.document.validity.is_out_of_force:
            candidate.refuse(Reason.NOT_IN_FORCE)
    score_notices(candidates)
    return RankedDocuments(fitting, candidates)
