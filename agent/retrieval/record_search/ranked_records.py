"""Scores the records that were found for a request, and marks those that must not be shown.

A record is a file about one case, such as `/records/loans/l-12.json`. For "Close l-12":

| record | reason and its points | score |
|---|---|---|
| `/records/loans/l-12.json` | `NAMED` 8: the request names it | 8 |
| `/records/books/b7.json` | `LINKED` 1.5: `l-12` names it, as in `{"book": "b7"}` | 1.5 |
| `/records/loans/l-4.json` | `WORDS` 0, and its word score 1: it has words of the request | 1 |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.agent.initial_calls.file_reader import FileReader
from controlplane.agent.retrieval.asker import Asker
from controlplane.agent.retrieval.file_candidate import Candidate
from controlplane.agent.retrieval.ranking_reasons import Reason
from controlplane.agent.retrieval.record_search.found_records import FoundRecords
from controlplane.agent.retrieval.record_search.known_records import KnownRecords
from controlplane.agent.retrieval.record_search.withheld_records import (
    withheld_records,
)


@dataclass(slots=True, kw_only=True)
class RecordCandidate(Candidate):
    """A record that may be shown."""

    kind: str
    """The folder with all records of the same kind, such as `/records/loans`."""


def rank_records(
    found: FoundRecords, known: KnownRecords, file_reader: FileReader, asker: Asker
) -> list[RecordCandidate]:
    """Wait for the calls that read records, and return the found ones with their scores.

    Those that belong to somebody else than `asker`, the user who asks, may be withheld.
    """
    candidates: dict[str, RecordCandidate] = {}
    for path in found.paths:
        candidates[path] = RecordCandidate(
            path=path,
            read_operation=file_reader.operation,
            kind=known.kinds.kind_of(path),
        )
    _add_reasons(candidates, found)
    if known.owners is not None:
        texts = file_reader.texts(candidates)  # waits
        for path in withheld_records(known.owners, asker, texts):
            candidates[path].refuse(Reason.WITHHELD)
    return list(candidates.values())


def _add_reasons(
    candidates: Mapping[str, RecordCandidate], found: FoundRecords
) -> None:
    """Add the reasons for which the records were found, with their points."""
    for path in found.named:
        candidates[path].add(Reason.NAMED)
    for path in found.of_asker:
        candidates[path].add(Reason.ASKER)
    for path in found.linked:
        candidates[path].add(Reason.LINKED)
    for path, score in found.word_scores.items():
        candidates[path].count_words(score)
        candidates[path].add(Reason.WORDS)
