"""Scores notices, and the documents that they change.

A *notice* is a document that changes others from the day in its name on: those whose paths are in
its text. Files with more points are shown first. For "Where may cars stand?", which fits
`/docs/parking.md` best, two notices get points:

    2031-05-04-fees.md, which changes loans.md    2.0 - 0.8, as it is off topic; loans.md none
    2031-05-02-cars.md, which changes parking.md  2.0; parking.md 1.5
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
    notice.add(Reason.NOTICE)  # This also adds the points of the reason to the score.
    # A notice that names no document may change any, so it counts as on topic.
    best_word_score = max((document.word_score for document in changed), default=1.0)
    is_off_topic = best_word_score < MIN_TOPIC_WORD_SCORE
    if is_off_topic:
        notice.score += OFF_TOPIC_POINTS
        return
    for document in changed:
        document.add(Reason.LINKED)
