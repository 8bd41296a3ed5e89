"""Ranks the files of a workspace by how well they fit a request, for the first message to show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controlplane.agent.initial_calls.initial_calls import InitialCalls
from controlplane.agent.retrieval.document_ranker import DocumentRanker, ListedDocuments
from controlplane.agent.retrieval.file_candidate import (
    Candidate,
    Reason,
    declared_records,
)
from controlplane.agent.retrieval.file_search import FileSearch
from controlplane.agent.retrieval.listed_files import is_unlisted
from controlplane.agent.retrieval.record_owners import is_withheld
from controlplane.agent.retrieval.record_ranker import KnownRecords, RecordRanker
from controlplane.agent.retrieval.request_facts import RequestFacts, RequestTerms
from controlplane.sandbox.files.word_ranking import WordRanking, beginning_of

MAX_BEST_DOCUMENTS: Final = 3
MAX_NEXT_BEST_DOCUMENTS: Final = 5
MAX_NOTICES: Final = 8
"""Only so many notices are read, the latest ones."""
CALLS_NOT_FOR_RECORDS: Final = 4
"""Calls that `read_found` does not use. Later steps need them: `read_linked`, and help texts."""


class FileRanker:
    """Ranks the documents and records of one request.

    Each method sends calls, and the next one waits for their results. They are used in
    this order, and the user of the class may send other calls in between:

    1. `search` reads the files that the request names,
       and searches the others for its words.
    2. `read_found` reads the files whose found lines fit best.
    3. `rank` gives every file its score.
    4. `read_linked` reads the documents that the best ones name.
    5. `rank` again, with the texts that were read since.
    """

    def __init__(
        self,
        calls: InitialCalls,
        facts: RequestFacts,
        listed: ListedDocuments,
        ranking: WordRanking,
    ) -> None:
        schema = calls.tool_schema
        files = _other_files(calls, facts, listed)
        known_records = KnownRecords.of(declared_records(schema), files)
        request = RequestTerms.of(facts, listed.paths, known_records.names)
        read_record = schema.operation(known_records.declared.read)

        self._calls = calls
        self._facts = facts
        self._request = request
        self._search = FileSearch(calls, known_records.declared.search)
        self._records = RecordRanker(known_records, request, ranking, read_record)
        self._documents = DocumentRanker(
            listed, request, facts, schema.document_dates, ranking
        )
        self.candidates: list[Candidate] = []
        """The files to choose from, the best first."""

    # 1. Search.

    def search(self) -> None:
        """Send calls that read records, and calls that search all files for the request's words.

        The records to read are those that the request names, and those of the user who asks.
        """
        request = self._request
        records = [*request.records, *request.asker_records]
        self._calls.read(self._records.read, records, self._records.max_read)
        if self._search.is_possible:
            self._search_records()
            self._search_documents()

    def _search_records(self) -> None:
        terms = self._request.search_terms(self._facts.rules)
        for root in self._records.known.declared.roots:
            is_empty = self._facts.listed.below(root) == []  # None if that is unknown.
            if terms and not is_empty:
                self._search.send(root, terms)

    def _search_documents(self) -> None:
        """Search documents for words, and for the folders of records."""
        words = self._documents.words
        if words and self._documents.texts:
            # `returned` is searched as `retur`, which other forms of the word share.
            beginnings = sorted({beginning_of(word) for word in words})
            # The kinds of records are folders, such as `/records/loans`.
            terms = [*beginnings, *self._records.known.kinds()]
            self._search.send(self._documents.listed.root, terms)

    # 2. Read the files whose found lines fit.

    def read_found(self) -> None:
        """Send calls that read the files whose found lines fit best.

        Also read the notices, and the files that the request's records name.
        """
        found_lines = self._search.lines()  # by path
        self._documents.take_found_lines(found_lines)
        self._records.score_words(found_lines)
        if not self._request.records:
            # The best records show which kinds of records the request is about.
            self._documents.add_words_for(self._records.best_of_kinds())
        self._read_found_documents()
        self._read_found_records()

    def _read_found_documents(self) -> None:
        best = self._best_documents()[:MAX_BEST_DOCUMENTS]
        notices = self._documents.notices_in_force()[-MAX_NOTICES:]
        self._read_documents([*self._request.documents, *best, *notices])

    def _read_found_records(self) -> None:
        records = self._records
        named_texts = self._calls.texts(records.read, self._request.records)
        records.follow_links(named_texts.values())
        room = self._calls.remaining_calls - CALLS_NOT_FOR_RECORDS
        max_records = min(records.max_read, room)
        paths = [*records.links, *records.word_scores]
        self._calls.read(records.read, paths, max_records)

    def _best_documents(self) -> list[str]:
        """Return the paths of the documents that fit, the best first."""
        best = self._documents.best(self._records.folders())
        return [document.path for document in best]

    def _read_documents(self, paths: list[str]) -> None:
        read = self._documents.listed.read
        self._calls.read(read, paths, self._calls.remaining_calls)

    # 3. Score the files.

    def rank(self) -> None:
        """Give every candidate its score, from all texts that were read so far."""
        listed = self._documents.listed
        self._documents.texts |= self._calls.texts(listed.read, listed.paths)
        documents = self._documents.candidates(self._records.folders())
        records = self._records.candidates()
        self._refuse_withheld(records)
        # The sort is stable: files of the same score stay in the order of the listings.
        self.candidates = sorted(
            [*documents.values(), *records.values()],
            key=lambda candidate: candidate.score,
            reverse=True,
        )

    def _refuse_withheld(self, records: Mapping[str, Candidate]) -> None:
        """Mark the records of other users than the one who asks as not to be shown."""
        owners = self._calls.tool_schema.record_owners
        if owners is None:
            return
        for path, text in self._calls.texts(self._records.read, records).items():
            if is_withheld(owners, self._facts.asker, text):
                records[path].refuse(Reason.WITHHELD)

    @property
    def best_document_text(self) -> str:
        """The text of the document with the highest score; empty if none was read."""
        for candidate in self.candidates:
            text = self._documents.texts.get(candidate.path)
            if text:
                return text
        return ""

    # 4. Read the documents that the best ones name.

    def read_linked(self) -> None:
        """Send calls that read the documents that the best one and the notices name.

        Then read the best documents themselves, if they are unread and calls are left.
        """
        documents = self._documents
        best = self._best_documents()
        linked: list[str] = []
        for path in [*documents.notices, *best[:1]]:
            linked += documents.listed.named_in(documents.texts[path])
        self._read_documents([*linked, *best[:MAX_NEXT_BEST_DOCUMENTS]])


def _other_files(
    calls: InitialCalls, facts: RequestFacts, documents: ListedDocuments
) -> list[str]:
    """Return the listed files except documents and files that other initial calls read."""
    left_out = set(documents.paths)
    for sent in calls.sent_calls:
        # A call without a path adds "None", which does no harm: it is not a file's path.
        left_out.add(str(sent.call.arguments.get("path")))
    files: list[str] = []
    for path in facts.listed.files:
        if path not in left_out and not is_unlisted(path):
            files.append(path)
    return files
