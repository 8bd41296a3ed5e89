"""Decides which files fit a request well enough to be shown, if there is room.

A file is a document, a text for all requests, or a record, which is about one case. A file
has a word score, from 0 to 1, for the words that it shares with the request. Its score
also has points for other reasons (`Reason`), such as that the request names it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Final

from controlplane.agent.retrieval.file_candidate import Candidate
from controlplane.agent.retrieval.ranking_reasons import Reason

# Limits for files that are only found by their words. Files with a strong reason, such
# as that the request names them, are always wanted.

MIN_DOCUMENT_SCORES_BY_RANK: Final = (0.0, 0.45, 0.6, 0.8)
"""The score that a document needs, by its rank: the best one is always
shown, the second best needs 0.45, and the fifth is never shown."""
MIN_RECORD_WORD_SCORE: Final = 0.5
"""The word score that a record needs."""
NEARLY_BEST: Final = 0.9
"""A record with this share of its kind's best word score fits about as well as the best."""
MAX_NEARLY_BEST_RECORDS: Final = 6
"""If more records of one kind fit about as well as the best,
none is shown: their words don't show which one is meant."""


def is_wanted(candidate: Candidate, distinct: set[str]) -> bool:
    """Return True if a file fits well enough to be shown if there is room.

    `distinct` has the paths of the records that fit better than others of their kind (see
    `distinct_records`).
    """
    if not candidate.reasons or candidate.is_refused:
        return False
    if candidate.has_strong_reason:
        return True
    if not candidate.is_document:
        return candidate.path in distinct

    rank = candidate.rank
    if rank is None or rank >= len(MIN_DOCUMENT_SCORES_BY_RANK):
        return False
    return candidate.score >= MIN_DOCUMENT_SCORES_BY_RANK[rank]


def distinct_records(candidates: Iterable[Candidate]) -> set[str]:
    """Return the paths of the records whose words tell them apart from others of their kind.

    They are the best ones of each kind, such as loans. If more than `MAX_NEARLY_BEST_RECORDS`
    fit about equally well, the words don't show which one is meant, so none is returned.
    """
    records_by_kind: dict[str, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        if candidate.is_document or Reason.WITHHELD in candidate.reasons:
            continue
        if candidate.word_score >= MIN_RECORD_WORD_SCORE:
            records_by_kind[candidate.kind].append(candidate)

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
