"""Ranks the documents of a workspace by how well they fit a request.

A document is a text for all requests. A *notice* is a document that changes others from the day
in its name on. For "Where may cars stand?":

| document | reasons and their points | score |
|---|---|---|
| `/docs/parking.md`, whose words fit best | `WORDS` 1.0, `LINKED` 1.5 | 2.5 |
| `/docs/news/2031-05-02-cars.md`, which changes it | `NOTICE` 2.0 | 2.0 |
| `/docs/loans.md`, which has no word of the request | none | 0.0 |
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
    best: list[str]
    """The paths of the documents that fit the topic of the request, the best first."""
    candidates: dict[str, DocumentCandidate]
    """All documents with their scores, by path, in the order of the listing."""

    def notices_in_force(self) -> list[str]:
        """Return the notices except those that are certainly not in force."""
        notices = self.known.calendar.notices
        return [path for path in notices if not self.candidates[path].is_refused]


def rank_documents(
    documents: KnownDocuments, topic: RequestTopic, ranking: WordRanking
) -> RankedDocuments:
    """Return all documents with their scores. `ranking` compares words with texts."""
    # 1. The documents that fit the topic have a score. The others begin with 0.
    fitting = fitting_documents(documents, topic, ranking)
    best = [document.path for document in fitting]
    fitting_by_path = dict(zip(best, fitting, strict=True))
    candidates: dict[str, DocumentCandidate] = {}
    for path in documents.listed.paths:
        candidates[path] = fitting_by_path.get(path) or documents.candidate(path)

    # 2. Other reasons do not depend on the topic.
    for path in topic.named_documents:
        candidates[path].add(Reason.NAMED)
    for candidate in candidates.values():
        if candidate.validity.is_out_of_force:
            candidate.refuse(Reason.NOT_IN_FORCE)
    score_notices(documents, candidates)
    return RankedDocuments(documents, best, candidates)
