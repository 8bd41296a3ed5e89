"""Finds the records that fit a request: searches all of them, and reads the best.

A record is a file about one case, such as `/records/loans/l-12.json`. Its kind is the folder
`/records/loans`. For the request "Close l-12 for the late returns":

    read_named    sends a call that reads `/records/loans/l-12.json`
    search        sends a call that finds lines with `l-12`, `late` or `returns`
    word_scores   -> {"/records/loans/l-4.json": 1.0}, by the found lines
    read_found    sends calls that read this record, and -> the files that `l-12` names
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.agent.initial_calls.file_reader import FileReader
from controlplane.agent.initial_calls.initial_calls import InitialCalls
from controlplane.agent.retrieval.document_search.documents import ListedDocuments
from controlplane.agent.retrieval.file_candidate import declared_records
from controlplane.agent.retrieval.file_search import FileSearch
from controlplane.agent.retrieval.record_search.known_records import KnownRecords
from controlplane.agent.retrieval.record_search.record_words import record_word_scores
from controlplane.agent.retrieval.request_facts import RequestFacts
from controlplane.agent.retrieval.request_terms import RequestTerms
from controlplane.agent.retrieval.unlisted_files import is_unlisted
from controlplane.sandbox.files.word_ranking import WordRanking

CALLS_KEPT_FOR_LATER: Final = 4
"""So many of the trial's calls are not used for records: linked documents and the help texts
of tools are read later."""


@dataclass(frozen=True, slots=True)
class RecordFinder:
    """Searches and reads the records of one request. No method waits for the calls it sends.

    So the calls run side by side.
    """

    known: KnownRecords
    """All records that were listed."""
    request: RequestTerms
    """The words of the request, and the records that it names."""
    reader: FileReader
    """Sends the calls that read records, and has the texts that they return."""
    ranking: WordRanking
    """Scores texts by the words that they contain."""

    @classmethod
    def of(
        cls,
        calls: InitialCalls,
        facts: RequestFacts,
        documents: ListedDocuments,
        ranking: WordRanking,
    ) -> RecordFinder:
        """Return the finder of the records among the files that were listed so far.

        `documents`, which are texts for all requests, are not among them.
        """
        declared = declared_records(calls.tool_schema)
        known = KnownRecords.of(declared, _other_files(calls, facts, documents))
        return cls(
            known=known,
            request=RequestTerms.of(facts, documents.paths, known.names),
            reader=FileReader(calls, calls.tool_schema.operation(declared.read)),
            ranking=ranking,
        )

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

    def word_scores(self, found_lines: Mapping[str, str]) -> dict[str, float]:
        """Return the scores of the records with words of the request, the best first.

        `found_lines` are the lines that the search found, by path.
        """
        return record_word_scores(
            self.known.paths, found_lines, self.request, self.ranking
        )

    def meant_records(self, word_scores: Mapping[str, float]) -> list[str]:
        """Return the records that the request is about: those that it names.

        If it names none, they are the best found record of each kind: they show whether the
        request is about loans or about members.
        """
        return self.request.named_records or self.known.first_of_kinds(word_scores)

    def read_found(self, word_scores: Mapping[str, float]) -> list[str]:
        """Send calls that read the files that named records link to, and the best records.

        Return the linked files. For this, it waits for the named records.
        """
        named_texts = self.reader.texts(self.request.named_records)
        links = self.known.links_in(named_texts.values())
        remaining_calls = self.reader.calls.remaining_calls - CALLS_KEPT_FOR_LATER
        self.reader.send(
            [*links, *word_scores],  # The best records come first.
            max_files=min(self.known.max_read_files, remaining_calls),
        )
        return links


def _other_files(
    calls: InitialCalls, facts: RequestFacts, documents: ListedDocuments
) -> list[str]:
    """Return the listed files except documents and files that other initial calls read."""
    left_out = set(documents.paths)
    for sent in calls.all_calls:
        # A call without a path adds "None", which does no harm: it is not a file's path.
        left_out.add(str(sent.call.arguments.get("path")))
    files: list[str] = []
    for path in facts.listed.files:
        if path not in left_out and not is_unlisted(path):
            files.append(path)
    return files
