"""Finds the records that fit a request: searches all of them, and reads the best.

A record is a file about one case, such as `/records/loans/l-12.json`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.agent.initial_calls.file_reader import FileReader
from controlplane.agent.retrieval.file_candidate import Candidate
from controlplane.agent.retrieval.file_search import FileSearch
from controlplane.agent.retrieval.record_search.record_matches import RecordMatches
from controlplane.agent.retrieval.record_search.record_words import record_word_scores
from controlplane.agent.retrieval.request_facts import RequestFacts
from controlplane.sandbox.files.word_ranking import WordRanking

CALLS_NOT_FOR_RECORDS: Final = 4
"""Calls that are left for later steps: linked documents, and help texts."""


@dataclass(frozen=True, slots=True)
class RecordFinder:
    """Sends calls that search and read records."""

    matches: RecordMatches
    """The records that were found so far."""
    reader: FileReader
    ranking: WordRanking

    @property
    def kinds(self) -> list[str]:
        """The kinds of all records: folders such as `/records/loans`."""
        return self.matches.known.kinds()

    @property
    def folders(self) -> set[str]:
        """The kinds of the records that the request is about, as far as they are found."""
        return self.matches.folders()

    @property
    def hints(self) -> list[str]:
        """The best found records if the request names none: they show what it is about."""
        return [] if self.matches.request.records else self.matches.best_of_kinds()

    def read_named(self) -> None:
        """Send calls that read the named records, and those of the user who asks."""
        request = self.matches.request
        records = [*request.records, *request.asker_records]
        self.reader.send(records, self.matches.known.declared.most)

    def search(self, search: FileSearch, facts: RequestFacts) -> None:
        """Search the folders of records for the words of the request."""
        terms = self.matches.request.search_terms(facts.rules)
        for root in self.matches.known.declared.roots:
            is_empty = facts.listed.below(root) == []  # None if that is unknown.
            if terms and not is_empty:
                search.send(root, terms)

    def score_words(self, found_lines: Mapping[str, str]) -> None:
        """Score the records by the lines that the search found in them."""
        self.matches.word_scores = record_word_scores(
            self.matches.known.paths, found_lines, self.matches.request, self.ranking
        )

    def read_found(self) -> None:
        """Send calls that read the files that named records link to, and the best records."""
        matches = self.matches
        named_texts = self.reader.texts(matches.request.records)
        matches.links = matches.known.links_in(named_texts.values())
        room = self.reader.calls.remaining_calls - CALLS_NOT_FOR_RECORDS
        max_records = min(matches.known.declared.most, room)
        self.reader.send([*matches.links, *matches.word_scores], max_records)

    def candidates(self) -> dict[str, Candidate]:
        """Return the found records with their scores, by path."""
        return self.matches.candidates(self.reader.operation)
