"""Decides which files fit a request well enough to be shown, if there is room.

A file is a document (a text for all requests) or a record (about one case). Its *word score*,
from 0 to 1, says how well its words fit the request. Its *score* is the word score and the
points of other reasons to show it, such as that the request names it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

from controlplane.agent.retrieval.file_candidate import (
    Candidate,
    DocumentCandidate,
    RecordCandidate,
)
from controlplane.agent.retrieval.ranking_reasons import Reason

# Limits for files without a strong reason, such as that the request names them.

MIN_DOCUMENT_SCORES_BY_RANK: Final = (0.0, 0.45, 0.6, 0.8)
"""The score that a document needs, by its rank: the best one is always shown, the second best
needs 0.45, and the fifth is never shown."""
MIN_RECORD_WORD_SCORE: Final = 0.5
"""The word score that a record needs."""
NEARLY_BEST: Final = 0.9
"""A record with this share of the best word score of its kind fits nearly as well as the best."""
MAX_NEARLY_BEST_RECORDS: Final = 6
"""If more records of one kind fit nearly as well as the best, none of them is shown: the words
do not tell which one is meant."""


def wanted_files(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the files that fit well enough to be shown if there is room, in their order."""
    distinct = _distinct_records(candidates)
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


def _distinct_records(candidates: Iterable[Candidate]) -> set[str]:
    """Return the paths of the records that fit better than others of their kind.

    They are the best records of each kind, such as loans, and those that fit nearly as well.
    With more than `MAX_NEARLY_BEST_RECORDS` of a kind, none of this kind is returned.
    """
    records_by_kind: dict[str, list[RecordCandidate]] = defaultdict(list)
    for record in candidates:
        if not isinstance(record, RecordCandidate):
            continue
        is_withheld = Reason.WITHHELD in record.reasons
        if record.word_score >= MIN_RECORD_WORD_SCORE and not is_withheld:
            records_by_kind[record.kind].append(record)

    distinct: set[str] = set()
    for records in records_by_kind.values():
        best = max(record.word_score for record in records)
        min_word_score = NEARLY_BEST * best
        paths = [
            record.path for record in records if record.word_score >= min_word_score
        ]
        if len(paths) <= MAX_NEARLY_BEST_RECORDS:
            distinct.update(paths)
    return distinct
