"""Compares the documents of a workspace with the words of a request.

The words may be in a document's text, in its name, or in what the workspace's rules say about
it: `cars permits` in "Cars, permits: /docs/parking.md".
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from controlplane.agent.retrieval.document_search.documents import KnownDocuments
from controlplane.agent.retrieval.file_candidate import scaled_to_best
from controlplane.gates.paths import base_name
from controlplane.sandbox.files.text_words import beginning_of, words_of
from controlplane.sandbox.files.word_ranking import TitledText, WordRanking


@dataclass(slots=True)
class DocumentWords:
    """Compares the documents of a workspace with the words of one request.

    The workspace's rules may say "Cars, permits: /docs/parking.md". Then this document fits a
    request about cars, even if its text does not have the word. Which records the request is
    about may become known later: `add_words_about` adds words about them, which all methods
    use from then on.
    """

    words: list[str]
    """The words of the request, and those that `add_words_about` has added."""
    descriptions: Mapping[str, str]
    """How the rules describe documents and folders of records, by path, in their order:
    `{"/docs/parking.md": "cars permits", "/records/loans": "lent books"}`."""
    ranking: WordRanking
    """Scores texts by the words that they contain: rare words count more."""

    def add_words_about(self, records: Collection[str]) -> None:
        """Add the words with which the rules describe the folders of these records.

        For the record `/records/loans/l-12.json` and the rule "/records/loans: lent books",
        it adds `lent` and `books`.
        """
        for path, description in self.descriptions.items():
            if any(record.startswith(f"{path}/") for record in records):
                self.words.extend(words_of(description))

    def beginnings(self) -> list[str]:
        """Return the beginnings of the words: `retur` also finds other forms of `returned`."""
        return sorted({beginning_of(word) for word in self.words})

    def scores(self, documents: KnownDocuments) -> dict[str, float]:
        """Return the word scores of the documents that have one of the words, the best first.

        `{"/docs/parking.md": 1.0, "/docs/loans.md": 0.3}`. Notices, which change other
        documents, are left out: they are shown whatever their words, if they are in force.
        """
        texts: dict[str, TitledText] = {}
        for path, text in documents.texts.items():
            title = f"{self.descriptions.get(path, '')} {base_name(path)}"
            texts[path] = TitledText(title, text)
        scores = self.ranking.scores(texts, self.words)
        for notice in documents.notices:
            scores.pop(notice, None)
        return scaled_to_best(scores)

    def paths_described_by_words(self, documents: Collection[str]) -> set[str]:
        """Return the documents that the rules describe with one of the words.

        For a request about parking, the rule "parking: /docs/parking.md" gives
        `/docs/parking.md`.
        """
        texts: dict[str, TitledText] = {}
        for path in self.described_paths(documents):
            # The file's own text is left empty: only the description is compared.
            texts[path] = TitledText(title=self.descriptions[path], text="")
        return set(self.ranking.scores(texts, self.words))

    def described_paths(self, documents: Collection[str]) -> list[str]:
        """Return the documents that the rules describe, in the order of the rules."""
        listed = set(documents)
        return [path for path in self.descriptions if path in listed]
