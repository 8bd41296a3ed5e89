"""Scores the records that were found for a request.

A record is a file about one case, such as `/records/loans/l-12.json`. For "Close l-12", which
also finds words of the request in `/records/loans/l-4.json`, the candidates are:

    /records/loans/l-12.json   NAMED: the request names it
    /records/books/b7.json     LINKED: `l-12` names it, as in {"book": "b7"}
    /records/loans/l-4.json    WORDS: a search found words of the request in it
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from controlplane.agent.retrieval.file_candidate import RecordCandidate
from controlplane.agent.retrieval.ranking_reasons import Reason
from controlplane.agent.retrieval.record_search.record_kinds import RecordKinds
from controlplane.sandbox.interface import Operation


@dataclass(frozen=True, slots=True)
class FoundRecords:
    """The paths of the records that were found for a request, by how they were found."""

    named: Sequence[str]
    """Those that the request names."""
    of_asker: Sequence[str]
    """Those of the user who asks."""
    linked: Sequence[str]
    """Those that the named records name."""
    word_scores: Mapping[str, float]
    """Those with words of the request, the best first: `{"/records/loans/l-4.json": 1.0}`."""

    def candidates(
        self, kinds: RecordKinds, read_operation: Operation | None
    ) -> dict[str, RecordCandidate]:
        """Return the records by path, with their scores and the reasons for them.

        `kinds` tells of which kind each is. `read_operation` reads them; None if none can.
        """
        candidates: dict[str, RecordCandidate] = {}
        for path in (*self.named, *self.of_asker, *self.linked, *self.word_scores):
            candidates[path] = RecordCandidate(
                path=path,
                read_operation=read_operation,
                kind=kinds.kind_of(path),
            )

        for path in self.named:
            candidates[path].add(Reason.NAMED)
        for path in self.of_asker:
            candidates[path].add(Reason.ASKER)
        for path in self.linked:
            candidates[path].add(Reason.LINKED)
        for path, score in self.word_scores.items():
            candidates[path].word_score = score
            candidates[path].add(Reason.WORDS, score)
        return candidates
