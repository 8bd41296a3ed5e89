"""Scores documents by the words of a request, in their texts and in the workspace's rules.

A document is a text for all requests. For the words `cars` and `stand`, if the rules say "Cars:
see /docs/parking.md":

    word_scores(...)        -> {"/docs/parking.md": 1.0, "/docs/permits.md": 0.2}
    routed_documents(...)   -> {"/docs/parking.md"}

`/docs/parking.md` fits even if its own text only speaks of vehicles.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from controlplane.agent.retrieval.document_search.document import Document
from controlplane.agent.retrieval.word_scores import scaled_to_best
from controlplane.gates.paths import base_name
from controlplane.sandbox.files.word_ranking import TitledText, WordRanking


def word_scores(
    documents: Collection[Document], words: Sequence[str], ranking: WordRanking
) -> dict[str, float]:
    """Return how well documents fit the words, from 0 to 1, by path.

    The words may be in a document's text, in its name, or in its description in the rules.
    Notices, which change other documents from a day on, are left out: those in force are shown
    whatever their words. `ranking` compares words with texts.
    """
    texts: dict[str, TitledText] = {}
    for document in documents:
        title = f"{document.description or ''} {base_name(document.path)}"
        texts[document.path] = TitledText(title, document.text)
    scores = ranking.scores(texts, words)
    # Notices are ranked, too: a word that many texts have counts less.
    for document in documents:
        if document.is_notice:
            scores.pop(document.path, None)
    return scaled_to_best(scores)


def routed_documents(
    documents: Collection[Document], words: Sequence[str], ranking: WordRanking
) -> set[str]:
    """Return the documents that the rules describe with one of the words."""
    descriptions: dict[str, TitledText] = {}
    for document in documents:
        if document.description is not None:
            # The document's own text is left empty: only its description is compared.
            descriptions[document.path] = TitledText(document.description, text="")
    return set(ranking.scores(descriptions, words))
