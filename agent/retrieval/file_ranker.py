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

    The methods are called in this order. For "Close loan-12", they do this:

    1. `search` sends calls that read `/records/loans/loan-12.json`, and calls that search all
       files for `close` and `loan-12`.
    2. `read_found` sends calls that read the best files among those with found lines.
    3. `rank` sets `candidates`, by all texts that were read.
    4. `read_linked` sends calls that read the documents that the best document names.
    5. `rank` sets `candidates` again, now with these documents.

    Each method waits for the results of earlier calls that it needs, so other calls can be
    sent in between.
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
        """The files to choose from, the best first. Empty until `rank` is called."""

    def search(self) -> None:
        """Send calls that read records, and calls that search all files for the request's words.

        The records to read are those that the request names, and those of the user who asks.
        """
        self._records.read_named()
        if self._search.is_possible:
            self._records.search(self._search, self._facts)
            self._documents.search(self._search, self._records.known.folders())

    def read_found(self) -> None:
        """Send calls that read the files whose found lines fit best.

        Also read notices (documents that change others), and the files that the records of
        the request name.
        """
        # 1. Score the records by the found lines. The documents keep their lines until they
        #    are read.
        found_lines = self._search.lines()  # by path
        self._records.score_words(found_lines)
        self._documents.take_found_lines(found_lines)

        # 2. If the request names no record, it is about the found ones. The documents are then
        #    also compared with the words by which the rules describe these records.
        matches = self._records.matches
        self._documents.add_words_about(matches.found_instead_of_named())

        # 3. Read the best documents and the best records.
        self._documents.read_best(matches.request_folders())
        self._records.read_found()

    def rank(self) -> None:
        """Give every file its score, from all texts that were read so far. Set `candidates`."""
        self._documents.take_read_texts()
        request_folders = self._records.matches.request_folders()
        documents = self._documents.ranker.candidates(request_folders)
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
        self._documents.read_linked(self._records.matches.request_folders())

    @property
    def best_document_text(self) -> str:
        """The text of the document with the highest score; empty if none was read."""
        paths = [candidate.path for candidate in self.candidates]
        return self._documents.documents.first_text(paths)
