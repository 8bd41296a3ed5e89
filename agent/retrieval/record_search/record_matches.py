"""The records that fit a request, with their scores.

A record is a file about one case, such as `/records/loans/l-12.json`. Its kind is the
folder `/records/loans`. For "Close l-12", the record is found because the request names it,
and other loans because a search finds words of the request in them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from controlplane.agent.retrieval.file_candidate import Candidate
from controlplane.agent.retrieval.ranking_reasons import Reason
from controlplane.agent.retrieval.record_search.known_records import KnownRecords
from controlplane.agent.retrieval.request_terms import RequestTerms
from controlplane.sandbox.interface import Operation

MAX_KINDS: Final = 2
"""A request that names no record is about the kinds of the best found records, such as loans.
It is about at most this many kinds."""


@dataclass(slots=True)
class RecordMatches:
    """The records that have to do with a request, as far as they are found.

    They are the records that it names, those of the user who asks, the files to which
    named records link, and records with words of the request.
    """

    known: KnownRecords
    """All records that were listed."""
    request: RequestTerms
    """Has the records that the request names, and those of the user who asks."""
    links: list[str] = field(default_factory=list)
    """The files that the named records link to; empty until the records are read."""
    word_scores: dict[str, float] = field(default_factory=dict)
    """The scores of the records with words of the request, by path, the best first; empty until
    the records are searched."""

    def best_of_kinds(self) -> list[str]:
        """Return the best record of each kind, for at most `MAX_KINDS` kinds, the best first."""
        best: dict[str, str] = {}
        for record in self.word_scores:
            best.setdefault(self.known.kind_of(record), record)
        return list(best.values())[:MAX_KINDS]

    def found_instead_of_named(self) -> list[str]:
        """Return the best found records if the request names none; empty if it names some.

        They show what the request is about: a loan, if the best is `/records/loans/l-12.json`.
        """
        if self.request.named_records:
            return []
        return self.best_of_kinds()

    def request_folders(self) -> set[str]:
        """Return the folders of the records that the request names or, if none, seems to mean.

        `close loan-12` -> `/records/loans`
        """
        records = self.request.named_records or self.best_of_kinds()
        return {self.known.kind_of(record) for record in records}

    def candidates(self, read_operation: Operation | None) -> dict[str, Candidate]:
        """Return the records by path, with their scores and the reasons for them.

        `read_operation` reads them; None if the environment has no such operation.
        """
        named = self.request.named_records
        asker = self.request.asker_records
        candidates: dict[str, Candidate] = {}
        for path in (*named, *asker, *self.links, *self.word_scores):
            kind = self.known.kind_of(path)
            candidates[path] = Candidate(
                path, is_document=False, read_operation=read_operation, kind=kind
            )

        for path in named:
            candidates[path].add(Reason.NAMED)
        for path in asker:
            candidates[path].add(Reason.ASKER)
        for path in self.links:
            candidates[path].add(Reason.LINKED)
        for path, score in self.word_scores.items():
            candidates[path].word_score = score
            candidates[path].add(Reason.WORDS, score)
        return candidates
