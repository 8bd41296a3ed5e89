"""Finds the documents that fit a request: searches all of them, and reads the best.

A document is a text for all requests, such as the policy `/docs/parking.md`. A *notice*
changes other documents from the day in its name on. For the request "Where may cars stand?":

    search        sends a call that finds lines with `where`, `cars` or `stand`
    read_best     sends calls that read `/docs/parking.md`, which has most of these words
    candidates    -> {"/docs/parking.md": Candidate(score=1.3), "/docs/loans.md": ...}
    read_linked   sends calls that read `/docs/permits.md`, which `/docs/parking.md` names
    candidates    -> the same documents, now scored with the text of `/docs/permits.md`, too
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.agent.initial_calls.file_reader import FileReader
from controlplane.agent.initial_calls.initial_calls import InitialCalls
from controlplane.agent.retrieval.document_search.document_ranker import DocumentRanker
from controlplane.agent.retrieval.document_search.document_words import (
    DocumentWords,
    RequestTopic,
)
from controlplane.agent.retrieval.document_search.documents import (
    KnownDocuments,
    ListedDocuments,
)
from controlplane.agent.retrieval.file_candidate import Candidate
from controlplane.agent.retrieval.file_search import FileSearch
from controlplane.agent.retrieval.request_facts import RequestFacts
from controlplane.agent.retrieval.rules_routing import descriptions_in
from controlplane.sandbox.files.text_words import beginning_of
from controlplane.sandbox.files.word_ranking import WordRanking

MAX_BEST_DOCUMENTS: Final = 3
"""This many of the best documents are read after the search."""
MAX_NEXT_BEST_DOCUMENTS: Final = 5
"""This many are read later, when texts and links have shown better which documents fit."""
MAX_NOTICES: Final = 8
"""If more notices are in force, only the latest ones are read."""


@dataclass(frozen=True, slots=True)
class DocumentFinder:
    """Searches and reads the documents of one request. No method waits for the calls it sends.

    `read_best` and `candidates` add what the calls have returned to `documents`.
    """

    documents: KnownDocuments
    """The texts of the documents, as far as they are known: lines that a search found, then
    whole texts."""
    words: DocumentWords
    """Knows with which words the rules describe documents and folders of records."""
    ranker: DocumentRanker
    """Tells which documents fit the request, by the known texts."""
    reader: FileReader
    """Sends the calls that read documents, as long as the trial has calls left."""

    @classmethod
    def of(
        cls,
        calls: InitialCalls,
        facts: RequestFacts,
        listed: ListedDocuments,
        ranking: WordRanking,
        named: Sequence[str],
    ) -> DocumentFinder:
        """Return the finder of the listed documents, of which the request names some (`named`).

        `facts` has the workspace's rules, which describe documents. `ranking` compares words
        with texts.
        """
        descriptions = descriptions_in(facts.rules)  # what the rules say, by path
        words = DocumentWords(descriptions, ranking)
        dates = calls.tool_schema.document_dates
        documents = KnownDocuments.unread(listed, facts, dates, descriptions)
        return cls(
            documents=documents,
            words=words,
            ranker=DocumentRanker(documents, words, named),
            reader=FileReader(calls, listed.read),
        )

    def search(
        self, search: FileSearch, words: Sequence[str], record_folders: Sequence[str]
    ) -> None:
        """Send a call that searches the documents for words, and for the paths of folders.

        Only the beginnings of words are searched: `retur` finds all forms of `returned`. A
        document about a kind of records may name its folder: `/records/loans`.
        """
        beginnings = sorted({beginning_of(word) for word in words})
        if beginnings and self.documents.texts:
            searched_texts = [*beginnings, *record_folders]
            search.send(self.documents.listed.root, searched_texts)

    def read_best(self, found_lines: Mapping[str, str], topic: RequestTopic) -> None:
        """Send calls that read the named documents, the best ones, and the notices in force.

        The best are known from the lines that the search found, by path.
        """
        self.documents.add_found_lines(found_lines)
        best = self._best(topic)[:MAX_BEST_DOCUMENTS]
        notices = self.documents.notices_in_force()[-MAX_NOTICES:]
        self.reader.send([*self.ranker.named, *best, *notices])

    def candidates(self, topic: RequestTopic) -> dict[str, Candidate]:
        """Wait for all reads, and return the documents by path, scored by what is known now."""
        texts = self.reader.texts(self.documents.listed.paths)
        self.documents.add_whole_texts(texts)
        return self.ranker.candidates(topic)

    def read_linked(self, topic: RequestTopic) -> None:
        """Send calls that read what the notices and the best document name, and the best.

        Since `read_best`, whole texts have become known, so others may be the best now.
        """
        best = self._best(topic)
        linked: list[str] = []
        for path in [*self.documents.notices, *best[:1]]:
            linked += self.documents.linked_from(path)
        self.reader.send([*linked, *best[:MAX_NEXT_BEST_DOCUMENTS]])

    def _best(self, topic: RequestTopic) -> list[str]:
        """Return the paths of the documents that fit, the best first."""
        return [document.path for document in self.ranker.best(topic)]
