"""Ranks the files of a workspace by how well they fit a request, for the first message to show.

For "Close loan-12", the best may be the record `/records/loans/loan-12.json`, which the
request names, and the document `/docs/loans.md`, which has its words.
"""

from __future__ import annotations

from controlplane.agent.initial_calls.initial_calls import InitialCalls
from controlplane.agent.retrieval.document_search.documents import ListedDocuments
from controlplane.agent.retrieval.file_candidate import Candidate, declared_records
from controlplane.agent.retrieval.file_search import FileSearch
from controlplane.agent.retrieval.finders import finders_for
from controlplane.agent.retrieval.ranking_reasons import Reason
from controlplane.agent.retrieval.record_owners import withheld_records
from controlplane.agent.retrieval.request_facts import RequestFacts
from controlplane.sandbox.files.word_ranking import WordRanking


class FileRanker:
    """Ranks documents (texts for all requests) and records (files about one case).

    Most methods send calls, and the next one waits for their results. They are used in
    this order, and the user of the class may send other calls in between:

    | method | uses | sends calls that |
    |---|---|---|
    | 1. `search` | the request | read `/records/loans/loan-12.json`, search for words |
    | 2. `read_found` | the lines found by 1 | read `/docs/loans.md`, which has such a line |
    | 3. `rank` | the texts read by 1 and 2 | none; sets `candidates` |
    | 4. `read_linked` | the best document of 3 | read the documents that it names |
    | 5. `rank` | all texts | none; sets `candidates` again |
    """

    def __init__(
        self,
        calls: InitialCalls,
        facts: RequestFacts,
        listed: ListedDocuments,
        ranking: WordRanking,
    ) -> None:
        self._facts = facts
        """What is known about the request: its text, the rules, who asks, the listed files."""
        self._owners = calls.tool_schema.record_owners
        """Where records say whom they belong to; None if the environment does not declare it."""
        declared = declared_records(calls.tool_schema)
        self._search = FileSearch(calls, declared.search)
        finders = finders_for(calls, facts, listed, ranking)
        self._records = finders.records
        self._documents = finders.documents
        self.candidates: list[Candidate] = []
        """The files to choose from, the best first."""

    def search(self) -> None:
        """Send calls that read records, and calls that search all files for the request's words.

        The records to read are those that the request names, and those of the user who asks.
        """
        self._records.read_named()
        if self._search.is_possible:
            self._records.search(self._search, self._facts)
            self._documents.search(self._search, self._records.folders)

    def read_found(self) -> None:
        """Send calls that read the files whose found lines fit best.

        Also read the notices, and the files that the request's records name.
        """
        # 1. Give the found lines to records and documents, which are scored by them.
        found_lines = self._search.lines()  # by path
        self._records.score_words(found_lines)
        self._documents.take_found_lines(found_lines)

        # 2. If the request names no record, it is about the found ones: compare the documents
        # also with the words by which the rules describe these records.
        self._documents.add_words_about(self._records.found_instead_of_named)

        # 3. Read the best of both.
        self._documents.read_best(self._records.request_folders)
        self._records.read_found()

    def rank(self) -> None:
        """Give every file its score, from all texts that were read so far. Set `candidates`."""
        self._documents.take_read_texts()  # those that the last calls have read
        documents = self._documents.ranker.candidates(self._records.request_folders)
        records = self._records.candidates()
        if self._owners is not None:
            # The user who asks must not see what belongs to other users.
            texts = self._records.reader.texts(records)
            for path in withheld_records(self._owners, self._facts.asker, texts):
                records[path].refuse(Reason.WITHHELD)
        # The sort is stable: files of the same score stay in the order of the listings.
        self.candidates = sorted(
            [*documents.values(), *records.values()],
            key=lambda candidate: candidate.score,
            reverse=True,
        )

    def read_linked(self) -> None:
        """Send calls that read the documents that the best one and the notices name."""
        self._documents.read_linked(self._records.request_folders)

    @property
    def best_document_text(self) -> str:
        """The text of the document with the highest score; empty if none was read."""
        paths = [candidate.path for candidate in self.candidates]
        return self._documents.documents.first_text(paths)
