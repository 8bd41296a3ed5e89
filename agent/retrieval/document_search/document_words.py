"""Compares the documents of a workspace with the words of a request.

A word may be in a document's text, in its name, or in what the workspace's rules say about it.
For the request "Where may cars stand?" and the rule "Cars, permits: /docs/parking.md", the scores
are `{"/docs/parking.md": 1.0}`, even if the document itself only speaks of vehicles.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from controlplane.agent.retrieval.document_search.documents import KnownDocuments
from controlplane.agent.retrieval.file_candidate import scaled_to_best
from controlplane.gates.paths import base_name
from controlplane.sandbox.files.text_words import words_of
from controlplane.sandbox.files.word_ranking import TitledText, WordRanking


@dataclass(frozen=True, slots=True)
class RequestTopic:
    """What a request is about, as far as documents are compared with it.

    For "Close l-12", if the rules say "/records/loans: lent books":
    `RequestTopic(words=["close", "lent", "books"], record_folders={"/records/loans"})`
    """

    words: Sequence[str]
    """The words of the request, and those by which the rules describe its records."""
    record_folders: Collection[str]
    """The folders of the records that the request is about."""


@dataclass(frozen=True, slots=True)
class DocumentWords:
    """Compares the documents of a workspace with words, such as those of a request."""

    descriptions: Mapping[str, str]
    """How the rules describe documents and folders of records, by path, in their order:
    `{"/docs/parking.md": "cars permits", "/records/loans": "lent books"}`."""
    ranking: WordRanking
    """Scores texts by the words that they contain: rare words count more."""

    def describing(self, records: Collection[str]) -> list[str]:
        """Return the words with which the rules describe the folders of these records.

        For the record `/records/loans/l-12.json` and the rule "/records/loans: lent books",
        these are `lent` and `books`.
        """
        words: list[str] = []
        for path, description in self.descriptions.items():
            if any(record.startswith(f"{path}/") for record in records):
                words += words_of(description)
        return words

    def scores(
        self, documents: KnownDocuments, words: Sequence[str]
    ) -> dict[str, float]:
        """Return the word scores of the documents that have one of the words, the best first.

        `{"/docs/parking.md": 1.0, "/docs/loans.md": 0.3}`. Notices, which change other
        documents, are left out: they are shown whatever their words, if they are in force.
        """
        texts: dict[str, TitledText] = {}
        for path, text in documents.texts.items():
            title = f"{self.descriptions.get(path, '')} {base_name(path)}"
            texts[path] = TitledText(title, text)
        scores = self.ranking.scores(texts, words)
        for notice in documents.notices:
            scores.pop(notice, None)
        return scaled_to_best(scores)

    def described_with(
        self, words: Sequence[str], documents: Collection[str]
    ) -> set[str]:
        """Return the documents that the rules describe with one of the words.

        For the word `parking`, the rule "parking: /docs/parking.md" gives `/docs/parking.md`.
        """
        texts: dict[str, TitledText] = {}
        for path in self.described(documents):
            # The file's own text is left empty: only the description is compared.
            texts[path] = TitledText(title=self.descriptions[path], text="")
        return set(self.ranking.scores(texts, words))

    def described(self, documents: Collection[str]) -> list[str]:
        """Return the documents that the rules describe, in the order of the rules."""
        listed = set(documents)
        return [path for path in self.descriptions if path in listed]
