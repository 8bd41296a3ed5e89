"""Finds the records that fit a request better than others of their kind.

A record is a file about one case, and loans, for example, are one kind of records. The *word
score* of a record, from 0 to 1, says how well its words fit the request:

| word scores of loans | distinct |
|---|---|
| `l-4` 1.0, `l-7` 0.6 | `l-4` |
| `l-4` 1.0, `l-7` 0.95 | both: they fit nearly equally well |
| `l-4` 0.4 | none: it hardly fits |
| 12 loans with 1.0 | none: the words do not tell which one is meant |
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Final

from controlplane.agent.retrieval.file_candidate import Candidate
from controlplane.agent.retrieval.ranking_reasons import Reason
from controlplane.agent.retrieval.record_search.ranked_records import RecordCandidate

MIN_RECORD_WORD_SCORE: Final = 0.5
"""The word score that a record needs."""
NEARLY_BEST: Final = 0.9
"""A record with this share of the best word score of its kind fits nearly as well as the best."""
MAX_NEARLY_BEST_RECORDS: Final = 6
"""If more records of one kind fit nearly as well as the best, none of them is distinct."""


def distinct_records(candidates: Iterable[Candidate]) -> set[str]:
    """Return the paths of the best records of each kind, if there are not too many of them.

    Records that the user who asks must not see are left out.
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
