"""Finds the documents that fit the topic of a request.

A document is a text for all requests. For "Where may cars stand?", which is about the records
in `/records/cars`, if the workspace's rules say "Cars: see /docs/parking.md":

| document | reasons | score |
|---|---|---|
| `/docs/parking.md` | `ROUTED` 0.3: the rules describe it with `cars`; its word score 1 | 1.3 |
| `/docs/owners.md` | `FOLDER` 0.5: its text names `/records/cars` | 0.5 |
| `/docs/permits.md` | `WORDS` 0: its text has `cars`; its word score 0.2 | 0.2 |
"""

from __future__ import annotations

from controlplane.agent.retrieval.document_search.document_candidate import (
    DocumentCandidate,
)
from controlplane.agent.retrieval.document_search.document_links import (
    documents_naming_folders,
)
from controlplane.agent.retrieval.document_search.document_word_scores import (
    described_documents,
    routed_documents,
    word_scores,
)
from controlplane.agent.retrieval.document_search.known_documents import KnownDocuments
from controlplane.agent.retrieval.document_search.request_topic import RequestTopic
from controlplane.agent.retrieval.ranking_reasons import Reason
from controlplane.sandbox.files.word_ranking import WordRanking


def fitting_documents(
    documents: KnownDocuments, topic: RequestTopic, ranking: WordRanking
) -> list[DocumentCandidate]:
    """Return the documents that fit the topic with their ranks, the best first.

    If none fits, all that the rules describe are taken, or all if they describe none.
    """
    fitting = _on_topic(documents, topic, ranking)
    if not fitting:
        fitting = _all_alike(documents)
    fitting.sort(key=lambda document: document.score, reverse=True)
    for rank, document in enumerate(fitting):
        document.rank = rank
    return fitting


def _on_topic(
    documents: KnownDocuments, topic: RequestTopic, ranking: WordRanking
) -> list[DocumentCandidate]:
    """Return the documents that have words of the topic, or name one of its folders."""
    word_score_by_path = word_scores(documents, topic.words, ranking)
    routed = routed_documents(documents, topic.words, ranking)
    naming_folders = documents_naming_folders(documents, topic.record_folders)
    candidates: list[DocumentCandidate] = []
    for path in dict.fromkeys([*word_score_by_path, *naming_folders]):
        candidate = documents.candidate(path)
        candidate.count_words(word_score_by_path.get(path, 0.0))
        # Each reason adds its own points to those of the words.
        if path in routed:
            candidate.add(Reason.ROUTED)
        elif path in word_score_by_path:
            candidate.add(Reason.WORDS)
        if path in naming_folders:
            candidate.add(Reason.FOLDER)
        candidates.append(candidate)
    return candidates


def _all_alike(documents: KnownDocuments) -> list[DocumentCandidate]:
    """Return the documents that the rules describe, or else all, as equally good ones."""
    candidates: list[DocumentCandidate] = []
    for path in described_documents(documents) or documents.listed.paths:
        candidate = documents.candidate(path)
        # It fits as well as the best one, but gets no points for it.
        candidate.word_score = 1.0
        candidate.add(Reason.LISTED)
        candidates.append(candidate)
    return candidates
