"""Decides which files fit a request well enough to be shown, if there is room.

A file is a document (a text for all requests) or a record (about one case). Its *word score*,
from 0 to 1, says how well its words fit the request. Its *score* is the word score and the
points of other reasons to show it, such as that the request names it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from controlplane.agent.retrieval.document_search.document_candidate import (
    DocumentCandidate,
)
from controlplane.agent.retrieval.file_candidate import Candidate
from controlplane.agent.retrieval.selection.distinct_records import distinct_records

MIN_DOCUMENT_SCORES_BY_RANK: Final = (0.0, 0.45, 0.6, 0.8)
"""The score that a document needs, by its rank: the best one is always shown, the second best
needs 0.45, and the fifth is never shown."""


def wanted_files(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the files that fit well enough to be shown if there is room, in their order."""
    distinct = distinct_records(candidates)
    return [candidate for candidate in candidates if _is_wanted(candidate, distinct)]


def _is_wanted(candidate: Candidate, distinct: set[str]) -> bool:
    """Return True if a file fits well enough to be shown.

    `distinct` has the paths of the records that fit better than others of their kind.
    """
    if not candidate.reasons or candidate.is_refused:
        return False
    if candidate.has_strong_reason:
        return True
    if isinstance(candidate, DocumentCandidate):
        return _fits_by_rank(candidate)
    return candidate.path in distinct


def _fits_by_rank(document: DocumentCandidate) -> bool:
    """Return True if a document has the score that is needed at its rank."""
    rank = document.rank
    if rank is None or rank >= len(MIN_DOCUMENT_SCORES_BY_RANK):
        return False
    return document.score >= MIN_DOCUMENT_SCORES_BY_RANK[rank]
