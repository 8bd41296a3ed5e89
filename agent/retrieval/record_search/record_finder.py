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
from controlplane.agent.retrieval.record_search.known_records import KnownRecords
from controlplane.agent.retrieval.record_search.record_matches import RecordMatches
from controlplane.agent.retrieval.record_search.record_words import record_word_scores
from controlplane.agent.retrieval.request_facts import RequestFacts
from controlplane.agent.retrieval.request_terms import RequestTerms
from controlplane.sandbox.files.word_ranking import WordRanking

CALLS_KEPT_FOR_LATER: Final = 4
"""So many of the trial's calls are not used for records: linked documents and the help texts
of tools are read later."""


@dataclass(frozen=True, slots=True)
class RecordFinder:
    """Finds the records that fit a request: sends calls that search and read them.

    A record is a file about one case, such as `/records/loans/l-12.json`. The methods are used
    in the order in which they stand. Those that send calls do not wait for the results, so that
    the calls run side by side.
    """

    known: KnownRecords
    """All records that were listed."""
    request: RequestTerms
    """The words of the request, and the records that it names."""
    matches: RecordMatches
    """The records that were found so far."""
    reader: FileReader
    """Sends the calls that read records, and has the texts that they return."""
    ranking: WordRanking
    """Scores texts by the words that they contain."""

    def read_named(self) -> None:
        """Send calls that read the named records, and those of the user who asks."""
        records = [*self.request.named_records, *self.request.asker_records]
        self.reader.send(records, self.known.max_read_files)

    def search(self, search: FileSearch, facts: RequestFacts) -> None:
        """Send calls that search the folders of records for the words of the request."""
        terms = self.request.search_terms(facts.rules)
        if not terms:
            return
        for root in self.known.roots:
            if not facts.listed.is_empty(root):
                search.send(root, terms)

    def score_words(self, found_lines: Mapping[str, str]) -> None:
        """Score the records by the lines that the search found in them, given by path."""
        self.matches.word_scores = record_word_scores(
            self.known.paths, found_lines, self.request, self.ranking
        )

    def read_found(self) -> None:
        """Send calls that read the files that named records link to, and the best records."""
        named_texts = self.reader.texts(self.request.named_records)
        self.matches.links = self.known.links_in(named_texts.values())
        best_records = self.matches.word_scores  # The best records come first.
        remaining_calls = self.reader.calls.remaining_calls - CALLS_KEPT_FOR_LATER
        self.reader.send(
            [*self.matches.links, *best_records],
            max_files=min(self.known.max_read_files, remaining_calls),
        )

    def candidates(self) -> dict[str, Candidate]:
        """Return the found records with their scores, by path."""
        return self.matches.candidates(self.reader.operation)
