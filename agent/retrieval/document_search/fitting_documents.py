"""Finds the documents that fit the topic of a request.

A document is a text for all requests. For "Where may cars stand?", if the workspace's rules say
"Cars: see /docs/parking.md":

| document | reason | score |
|---|---|---|
| `/docs/parking.md` | `ROUTED`: the rules describe it with `cars` | 1.3 |
| `/docs/permits.md` | `WORDS`: its text has `cars` | 0.2 |

The first one fits even if its own text only speaks of vehicles.
"""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.agent.retrieval.document_search.documents import KnownDocuments
from controlplane.agent.retrieval.document_search.request_topic import RequestTopic
from controlplane.agent.retrieval.file_candidate import (
    DocumentCandidate,
    scaled_to_best,
)
from controlplane.agent.retrieval.ranking_reasons import Reason
from controlplane.gates.paths import base_name
from controlplane.sandbox.files.word_ranking import TitledText, WordRanking


def fitting_documents(
    documents: KnownDocuments, topic: RequestTopic, ranking: WordRanking
) -> list[DocumentCandidate]:
    """Return the documents that fit the topic with their ranks, the best first.

    If none fits, return all that the rules describe, or all if they describe none. `ranking`
    compares words with texts.
    """
    fitting = _on_topic(documents, topic, ranking) or _described(documents)
    fitting.sort(key=lambda document: document.score, reverse=True)
    for rank, document in enumerate(fitting):
        document.rank = rank
    return fitting


def _on_topic(
    documents: KnownDocuments, topic: RequestTopic, ranking: WordRanking
) -> list[DocumentCandidate]:
    """Return the documents that have words of the topic, or name one of its folders.

    A reason adds its own points to a document's score, and here also the word score.
    """
    word_scores = _word_scores(documents, topic.words, ranking)
    routed = _routed(documents, topic.words, ranking)
    naming_folders = documents.naming_folders(topic.record_folders)
    candidates: list[DocumentCandidate] = []
    for path in dict.fromkeys([*word_scores, *naming_folders]):
        word_score = word_scores.get(path, 0.0)
        candidate = documents.candidate(path, word_score)
        if path in routed:  # The rules describe it with a word of the topic.
            candidate.add(Reason.ROUTED, word_score)
        elif path in word_scores:  # Only its text or its name has such a word.
            candidate.add(Reason.WORDS, word_score)
        if path in naming_folders:
            candidate.add(Reason.FOLDER)
        candidates.append(candidate)
    return candidates


def _word_scores(
    documents: KnownDocuments, words: Sequence[str], ranking: WordRanking
) -> dict[str, float]:
    """Return how well documents fit the words, by path: `{"/docs/parking.md": 1.0}`.

    The words may be in a document's text, in its name, or in its description in the rules.
    Notices are left out: they are shown whatever their words, if they are in force.
    """
    texts: dict[str, TitledText] = {}
    for path, text in documents.texts.items():
        title = f"{documents.descriptions.get(path, '')} {base_name(path)}"
        texts[path] = TitledText(title, text)
    scores = ranking.scores(texts, words)
    for notice in documents.notices:
        scores.pop(notice, None)
    return scaled_to_best(scores)


def _routed(
    documents: KnownDocuments, words: Sequence[str], ranking: WordRanking
) -> set[str]:
    """Return the documents that the rules describe with one of the words."""
    texts: dict[str, TitledText] = {}
    for path in documents.described_paths():
        # The document's own text is left empty: only its description is compared.
        texts[path] = TitledText(documents.descriptions[path], text="")
    return set(ranking.scores(texts, words))


def _described(documents: KnownDocuments) -> list[DocumentCandidate]:
    """Return the documents that the rules describe; all documents if they describe none."""
    candidates: list[DocumentCandidate] = []
    for path in documents.described_paths() or documents.listed.paths:
        candidate = documents.candidate(path, word_score=1.0)  # All fit equally well.
        candidate.add(Reason.LISTED)
        candidates.append(candidate)
    return candidates
