"""Ranks the documents of a workspace by how well they fit a request.

A document is a text for all requests. A *notice* is a document that changes others from the day
in its name on. For "Where may cars stand?":

| document | reasons and their points | score |
|---|---|---|
| `/docs/parking.md`, whose words fit best | `WORDS` 1.0, `LINKED` 1.5 | 2.5 |
| `/docs/news/2031-05-02-cars.md`, which changes it | `NOTICE` 2.0 | 2.0 |
| `/docs/news/2031-05-04-fees.md`, which changes `/docs/loans.md` | `NOTICE` 2.0, off topic -0.8 | 1.2 |
| `/docs/loans.md`, which has no word of the request | none | 0.0 |
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.agent.retrieval.document_search.documents import KnownDocuments
from controlplane.agent.retrieval.document_search.fitting_documents import (
    fitting_documents,
)
from controlplane.agent.retrieval.document_search.request_topic import RequestTopic
from controlplane.agent.retrieval.file_candidate import DocumentCandidate
from controlplane.agent.retrieval.ranking_reasons import OFF_TOPIC_POINTS, Reason
from controlplane.sandbox.files.word_ranking import WordRanking

MIN_TOPIC_WORD_SCORE: Final = 0.75
"""A notice is about the request if it changes a document whose word score is at least this."""


@dataclass(frozen=True, slots=True)
class RankedDocuments:
    """The documents of a workspace with their scores, as far as their texts are known."""

    known: KnownDocuments
    """The documents with the texts by which they are ranked."""
    best: list[str]
    """The paths of the documents that fit the topic of the request, the best first."""
    candidates: dict[str, DocumentCandidate]
    """All documents with their scores, by path, in the order of the listing."""

    @property
    def texts(self) -> Mapping[str, str]:
        """The known text of every document, by path; empty if nothing of it is known."""
        return self.known.texts

    def notices_in_force(self) -> list[str]:
        """Return the notices except those that are certainly not in force."""
        return [
            path for path in self.known.notices if not self.candidates[path].is_refused
        ]

    def linked_paths(self) -> list[str]:
        """Return the documents that the notices and the best document name."""
        linked: list[str] = []
        for path in [*self.known.notices, *self.best[:1]]:
            linked += self.known.linked_from(path)
        return linked


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
    _score_notices(documents, candidates)
    return RankedDocuments(documents, best, candidates)


def _score_notices(
    documents: KnownDocuments, candidates: Mapping[str, DocumentCandidate]
) -> None:
    """Score the notices in force, and the documents that they change.

    A notice changes the documents whose paths are in its text.
    """
    for path in documents.notices:
        notice = candidates[path]
        if not notice.is_refused:
            changed_paths = documents.linked_from(path)
            _score_notice(notice, [candidates[changed] for changed in changed_paths])


def _score_notice(
    notice: DocumentCandidate, changed: Collection[DocumentCandidate]
) -> None:
    """Score one notice in force, and the documents that it changes.

    For a request about parking, a notice that changes only `/docs/loans.md` is off topic. A
    notice that names no document may change any of them, so it is on topic.
    """
    best_word_score = max((document.word_score for document in changed), default=1.0)
    if best_word_score < MIN_TOPIC_WORD_SCORE:
        notice.add(Reason.NOTICE, OFF_TOPIC_POINTS)
        return
    notice.add(Reason.NOTICE)
    for document in changed:
        document.add(Reason.LINKED)
