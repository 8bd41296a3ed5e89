"""Scores notices, and the documents that they change.

A *notice* is a document that changes others from the day in its name on. It changes the documents
whose paths are in its text. For "Where may cars stand?", which fits `/docs/parking.md` best:

| notice in force | changes | its points | and those of what it changes |
|---|---|---|---|
| `/docs/news/2031-05-02-cars.md` | `/docs/parking.md` | `NOTICE` 2.0 | `LINKED` 1.5 |
| `/docs/news/2031-05-04-fees.md` | `/docs/loans.md` | `NOTICE` 2.0, off topic -0.8 | none |
| `/docs/news/2031-05-06-all.md` | no document by its path, maybe any | `NOTICE` 2.0 | |
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from controlplane.agent.retrieval.document_search.document_candidate import (
    DocumentCandidate,
)
from controlplane.agent.retrieval.document_search.document_links import linked_documents
from controlplane.agent.retrieval.ranking_reasons import OFF_TOPIC_POINTS, Reason

MIN_TOPIC_WORD_SCORE: Final = 0.75
"""A notice is about the request if it changes a document whose word score is at least this."""


def score_notices(candidates: Mapping[str, DocumentCandidate]) -> None:
    """Add the points of all notices that are not refused. `candidates` are all documents."""
    for candidate in candidates.values():
        if candidate.document.is_notice and not candidate.is_refused:
            changed_paths = linked_documents(candidate.document, candidates)
            _score_notice(candidate, [candidates[path] for path in changed_paths])


def _score_notice(
    notice: DocumentCandidate, changed: Collection[DocumentCandidate]
) -> None:
    """Add the points of one notice, and of the documents that it changes."""
    notice.add(Reason.NOTICE)
    best_word_score = max((document.word_score for document in changed), default=1.0)
    if best_word_score < MIN_TOPIC_WORD_SCORE:
        notice.score += OFF_TOPIC_POINTS
        return
    for document in changed:
        document.add(Reason.LINKED)
