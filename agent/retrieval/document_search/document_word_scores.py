"""Scores documents by the words of a request, in their texts and in the workspace's rules.

A document is a text for all requests. For the words `cars` and `stand`, if the rules say "Cars:
see /docs/parking.md":

    word_scores(...)        -> {"/docs/parking.md": 1.0, "/docs/permits.md": 0.2}
    routed_documents(...)   -> {"/docs/parking.md"}

`/docs/parking.md` fits even if its own text only speaks of vehicles.
"""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.agent.retrieval.document_search.known_documents import KnownDocuments
from controlplane.agent.retrieval.word_scores import scaled_to_best
from controlplane.gates.paths import base_name
from controlplane.sandbox.files.word_ranking import TitledText, WordRanking


def word_scores(
    documents: KnownDocuments, words: Sequence[str], ranking: WordRanking
) -> dict[str, float]:
    """Return how well documents fit the words, from 0 to 1, by path.

    The words may be in a document's text, in its name, or in its description in the rules.
    Notices, which change other documents from a day on, are left out: those in force are shown
    whatever their words. `ranking` compares words with texts.
    """
    texts: dict[str, TitledText] = {}
    for path, text in documents.texts.items():
        title = f"{documents.descriptions.get(path, '')} {base_name(path)}"
        texts[path] = TitledText(title, text)
    scores = ranking.scores(texts, words)
    for notice in documents.calendar.notices:
        scores.pop(notice, None)
    return scaled_to_best(scores)


def routed_documents(
    documents: KnownDocuments, words: Sequence[str], ranking: WordRanking
) -> set[str]:
    """Return the documents that the rules describe with one of the words."""
    texts: dict[str, TitledText] = {}
    for path in described_documents(documents):
        # The document's own text is left empty: only its description is compared.
        texts[path] = TitledText(documents.descriptions[path], text="")
    return set(ranking.scores(texts, words))


def described_documents(documents: KnownDocuments) -> list[str]:
    """Return the documents that the rules describe, in the order of the rules."""
    return [path for path in documents.descriptions if path in documents.texts]
