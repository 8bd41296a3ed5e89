"""Decides which files fit a request well enough to be shown, if there is room.

A file is a document (a text for all requests) or a record (about one case). Its *score* says how
well it fits. For "Close loan-12",

    /records/loan-12.json                 is wanted for a strong reason: the request names it
    /docs/loans.md, the best document     is wanted
    /docs/cards.md, the second, score 0.2 is not: it needs 0.45
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
    best_records = distinct_records(candidates)
    return [
        candidate for candidate in candidates if _is_wanted(candidate, best_records)
    ]


def _is_wanted(candidate: Candidate, best_records: set[str]) -> bool:
    """Return True if a file fits well enough to be shown.

    `best_records` has the paths of the records, such as loans, whose words fit the request
    better than those of other loans.
    """
    # A file is refused if it must not be shown, such as a record of another user.
    if not candidate.reasons or candidate.is_refused:
        return False
    if candidate.has_strong_reason:
        return True
    if isinstance(candidate, DocumentCandidate):
        return _fits_by_rank(candidate)
    return candidate.path in best_records


def _fits_by_rank(document: DocumentCandidate) -> bool:
    """Return True if a document has the score that is needed at its rank."""
    rank = document.rank
    if rank is None or rank >= len(MIN_DOCUMENT_SCORES_BY_RANK):
        return False
    return document.score >= MIN_DOCUMENT_SCORES_BY_RANK[rank]
