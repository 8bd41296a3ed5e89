"""Finds the documents that have words of a request, in their texts or in the rules about them.

The words with which the workspace's rules describe a file are its subject: `cars, permits`
for the document in "Cars, permits: /docs/parking.md".
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from controlplane.agent.retrieval.document_search.documents import KnownDocuments
from controlplane.agent.retrieval.file_search import scaled_to_best
from controlplane.gates.paths import base_name
from controlplane.sandbox.files.text_words import beginning_of, words_of
from controlplane.sandbox.files.word_ranking import TitledText, WordRanking


@dataclass(slots=True)
class DocumentWords:
    """The words by which documents are found."""

    words: list[str]
    """The words of the request. `add_subjects_of` adds to them."""
    subjects: Mapping[str, str]
    """The subject of each path that the rules describe: `{"/docs/parking.md":
    "cars permits"}`. The path may also be a folder of records."""
    ranking: WordRanking
    """Scores texts by the words that they contain: rare words count more."""

    def beginnings(self) -> list[str]:
        """Return what a search looks for: `retur` also finds other forms of `returned`."""
        return sorted({beginning_of(word) for word in self.words})

    def add_subjects_of(self, records: Collection[str]) -> None:
        """Add the words with which the rules describe the folders of these records.

        For `/records/loans/l-12.json`, the rule "/records/loans: lent books" adds `lent`
        and `books`.
        """
        for folder, subject in self.subjects.items():
            if any(record.startswith(f"{folder}/") for record in records):
                self.words.extend(words_of(subject))

    def scores(self, documents: KnownDocuments) -> dict[str, float]:
        """Return the word scores of the documents that fit, the best first.

        Notices, which change other documents, are left out: they are shown whatever their
        words, if they are in force.
        """
        texts: dict[str, TitledText] = {}
        for path, text in documents.texts.items():
            title = f"{self.subjects.get(path, '')} {base_name(path)}"
            texts[path] = TitledText(title, text)
        scores = self.ranking.scores(texts, self.words)
        for notice in documents.notices:
            scores.pop(notice, None)
        return scaled_to_best(scores)

    def with_fitting_subject(self, documents: Collection[str]) -> set[str]:
        """Return the documents whose subject has one of the words.

        For a request about parking, the rule "parking: /docs/parking.md" gives
        `/docs/parking.md`.
        """
        subjects: dict[str, TitledText] = {}
        for path in self.with_subject(documents):
            subjects[path] = TitledText(self.subjects[path], "")
        return set(self.ranking.scores(subjects, self.words))

    def with_subject(self, documents: Collection[str]) -> list[str]:
        """Return the documents that the rules describe, in the order of the rules."""
        listed = set(documents)
        return [path for path in self.subjects if path in listed]
