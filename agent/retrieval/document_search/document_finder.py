"""Finds the documents that fit a request: searches all of them, and reads the best."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.agent.initial_calls.file_reader import FileReader
from controlplane.agent.retrieval.document_search.document_ranker import DocumentRanker
from controlplane.agent.retrieval.document_search.documents import KnownDocuments
from controlplane.agent.retrieval.file_candidate import Candidate
from controlplane.agent.retrieval.file_search import FileSearch
from controlplane.sandbox.files.text_words import beginning_of

MAX_BEST_DOCUMENTS: Final = 3
MAX_NEXT_BEST_DOCUMENTS: Final = 5
MAX_NOTICES: Final = 8
"""Only so many notices are read, the latest ones."""


@dataclass(frozen=True, slots=True)
class DocumentFinder:
    """Sends calls that search and read documents.

    `folders` always are those that hold the records that the request is about.
    """

    documents: KnownDocuments
    ranker: DocumentRanker
    reader: FileReader

    def search(self, search: FileSearch, kinds: Sequence[str]) -> None:
        """Search the documents for the words of the request, and for the kinds of records.

        A kind of records is a folder, such as `/records/loans`.
        """
        words = self.ranker.words.words
        if words and self.documents.texts:
            # `returned` is searched as `retur`, which other forms of the word share.
            beginnings = sorted({beginning_of(word) for word in words})
            search.send(self.documents.listed.root, [*beginnings, *kinds])

    def take_found_lines(
        self, found_lines: Mapping[str, str], records: Collection[str]
    ) -> None:
        """Rank the documents by the lines that the search found in them.

        Words with which the rules describe the folders of `records` count, too.
        """
        self.documents.take_found_lines(found_lines)
        self.ranker.words.add_words_for(records)

    def read_best(self, folders: Collection[str]) -> None:
        """Send calls that read the named documents, the best ones, and the notices."""
        best = self._best(folders)[:MAX_BEST_DOCUMENTS]
        notices = self.documents.notices_in_force()[-MAX_NOTICES:]
        self.reader.send([*self.ranker.named, *best, *notices])

    def read_linked(self, folders: Collection[str]) -> None:
        """Send calls that read the documents that the best one and the notices name.

        Then read the best documents themselves, if they are unread and calls are left.
        """
        best = self._best(folders)
        linked: list[str] = []
        for path in [*self.documents.notices, *best[:1]]:
            linked += self.documents.named_in(path)
        self.reader.send([*linked, *best[:MAX_NEXT_BEST_DOCUMENTS]])

    def _best(self, folders: Collection[str]) -> list[str]:
        """Return the paths of the documents that fit, the best first."""
        return [document.path for document in self.ranker.best(folders)]

    def candidates(self, folders: Collection[str]) -> Mapping[str, Candidate]:
        """Return all documents with their scores, from all texts that were read so far."""
        texts = self.reader.texts(self.documents.listed.paths)
        self.documents.texts.update(texts)
        return self.ranker.candidates(folders)
