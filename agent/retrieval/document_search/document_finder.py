"""Finds the documents that fit a request: searches all of them, and reads the best.

A document is a text for all requests, such as the policy `/docs/parking.md`. Some
documents are notices, which change others from the day in their name on.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.agent.initial_calls.file_reader import FileReader
from controlplane.agent.retrieval.document_search.document_ranker import DocumentRanker
from controlplane.agent.retrieval.document_search.document_words import DocumentWords
from controlplane.agent.retrieval.document_search.documents import KnownDocuments
from controlplane.agent.retrieval.file_search import FileSearch

MAX_BEST_DOCUMENTS: Final = 3
"""This many of the best documents are read after the search."""
MAX_NEXT_BEST_DOCUMENTS: Final = 5
"""This many are read later, when texts and links have shown better which documents fit."""
MAX_NOTICES: Final = 8
"""If more notices are in force, only the latest ones are read."""


@dataclass(frozen=True, slots=True)
class DocumentFinder:
    """Finds the documents that fit a request: sends calls that search all, and read the best.

    A document is a text for all requests, such as the policy `/docs/parking.md`. A *notice*
    changes other documents from a day on. The methods are used in the order in which they
    stand. The texts that `read_linked` reads are taken by calling `take_read_texts` again.
    """

    documents: KnownDocuments
    """The texts of the documents, as far as they are known: lines that a search found, then
    whole texts."""
    words: DocumentWords
    """The words of the request."""
    ranker: DocumentRanker
    """Tells which documents fit the request, by `documents` and `words`."""
    reader: FileReader
    """Sends the calls that read documents, as long as the trial has calls left."""

    def search(self, search: FileSearch, record_folders: Sequence[str]) -> None:
        """Send a call that searches the documents for the words of the request.

        The call also searches for the paths of these folders, because a document about a
        kind of records may name its folder: `/records/loans`.
        """
        beginnings = self.words.beginnings()
        if beginnings and self.documents.texts:
            searched_texts = [*beginnings, *record_folders]
            search.send(self.documents.listed.root, searched_texts)

    def take_found_lines(self, found_lines: Mapping[str, str]) -> None:
        """Take the lines that the search found in each file, by path."""
        self.documents.take_found_lines(found_lines)

    def add_words_about(self, records: Collection[str]) -> None:
        """Compare documents from now on also with what the rules say about these records.

        If loans were found, and the rules say "/records/loans: lent books", documents about
        lent books fit the request.
        """
        self.words.add_words_about(records)

    def read_best(self, record_folders: Collection[str]) -> None:
        """Send calls that read the named documents, the best ones, and the notices in force.

        `record_folders` are the folders of the records that the request is about. A document
        that names one of them fits better.
        """
        best = self._best(record_folders)[:MAX_BEST_DOCUMENTS]
        notices = self.documents.notices_in_force()[-MAX_NOTICES:]
        self.reader.send([*self.ranker.named, *best, *notices])

    def take_read_texts(self) -> None:
        """Take the texts of all documents that were read so far."""
        texts = self.reader.texts(self.documents.listed.paths)
        self.documents.take_whole_texts(texts)

    def read_linked(self, record_folders: Collection[str]) -> None:
        """Send calls that read the documents that the notices and the best document name.

        Then send calls that read the best documents. With the texts read by `read_best`, they
        may be others than before.
        """
        best = self._best(record_folders)
        linked: list[str] = []
        for path in [*self.documents.notices, *best[:1]]:
            linked += self.documents.linked_from(path)
        self.reader.send([*linked, *best[:MAX_NEXT_BEST_DOCUMENTS]])

    def _best(self, record_folders: Collection[str]) -> list[str]:
        """Return the paths of the documents that fit, the best first."""
        return [document.path for document in self.ranker.best(record_folders)]
