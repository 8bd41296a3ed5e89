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

CALLS_KEPT_FOR_LATER: Final = 4
"""Calls that records must leave for linked documents and the help texts of tools."""


@dataclass(frozen=True, slots=True)
class RecordFinder:
    """Finds the records that fit a request: sends calls that search and read them.

    A record is a file about one case, such as `/records/loans/l-12.json`. The methods are used
    in this order: `read_named`, `search`, `score_words`, `read_found` and `candidates`. The
    calls that one sends are waited for in a later one.
    """

    matches: RecordMatches
    """The records that were found so far."""
    reader: FileReader
    """Sends the calls that read records, and has the texts that they return."""
    ranking: WordRanking
    """Scores texts by the words that they contain."""

    @property
    def folders(self) -> list[str]:
        """The folders of all records, one for each kind: `/records/loans`, `/records/cards`."""
        return self.matches.known.folders()

    @property
    def request_folders(self) -> set[str]:
        """Those of the folders that the request is about, as far as its records are found."""
        return self.matches.request_folders()

    @property
    def found_instead_of_named(self) -> list[str]:
        """The best found records if the request names none; empty if it names some.

        They show what the request is about: a loan, if the best is `/records/loans/l-12.json`.
        """
        if self.matches.request.named_records:
            return []
        return self.matches.best_of_kinds()

    def read_named(self) -> None:
        """Send calls that read the named records, and those of the user who asks."""
        request = self.matches.request
        records = [*request.named_records, *request.asker_records]
        self.reader.send(records, max_files=self.matches.known.declared.most)

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
        named_texts = self.reader.texts(matches.request.named_records)
        matches.links = matches.known.links_in(named_texts.values())
        remaining_calls = self.reader.calls.remaining_calls - CALLS_KEPT_FOR_LATER
        max_records = min(matches.known.declared.most, remaining_calls)
        self.reader.send([*matches.links, *matches.word_scores], max_records)

    def candidates(self) -> dict[str, Candidate]:
        """Return the found records with their scores, by path."""
        return self.matches.candidates(self.reader.operation)
