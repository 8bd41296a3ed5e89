"""Scores documents by the words of a request, and finds those that fit its topic.

A document is a text for all requests. For "Where may cars stand?", which is about the records
in `/records/cars`, if the workspace's rules say "Cars: see /docs/parking.md":

| document | reasons | score |
|---|---|---|
| `/docs/parking.md` | `ROUTED` 0.3: the rules describe it with `cars`; its word score 1 | 1.3 |
| `/docs/owners.md` | `FOLDER` 0.5: its text names `/records/cars` | 0.5 |
| `/docs/permits.md` | `WORDS` 0: its text has `cars`; its word score 0.2 | 0.2 |
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from controlplane.agent.retrieval.document_search.document_candidate import (
    DocumentCandidate,
)
from controlplane.agent.retrieval.document_search.document_links import (
    documents_naming_folders,
)
from controlplane.agent.retrieval.document_search.document_word_scores import (
    routed_documents,
    word_scores,
)
from controlplane.agent.retrieval.document_search.request_topic import RequestTopic
from controlplane.agent.retrieval.ranking_reasons import Reason
from controlplane.sandbox.files.word_ranking import WordRanking


def fitting_documents(
    candidates: Mapping[str, DocumentCandidate],
    described_paths: Iterable[str],
    topic: RequestTopic,
    ranking: WordRanking,
) -> list[str]:
    """Score the documents that fit the topic, and return their paths, the best first.

    `candidates` are all documents. If none fits, all that the rules describe are taken, given by
    `described_paths`, or all if the rules describe none.
    """
    fitting = _score_by_topic(candidates, topic, ranking)
    if not fitting:
        described = [path for path in described_paths if path in candidates]
        fitting = described or list(candidates)
        for path in fitting:
            # It fits as well as the best one, but gets no points for it.
            candidates[path].word_score = 1.0
            candidates[path].add(Reason.LISTED)
    fitting.sort(key=lambda path: candidates[path].score, reverse=True)
    for rank, path in enumerate(fitting):
        candidates[path].rank = rank
    return fitting


def _score_by_topic(
    candidates: Mapping[str, DocumentCandidate],
    topic: RequestTopic,
    ranking: WordRanking,
) -> list[str]:
    """Score the documents that have words of the topic, or name one of its folders."""
    documents = [candidate.document for candidate in candidates.values()]
    word_score_by_path = word_scores(documents, topic.words, ranking)
    routed = routed_documents(documents, topic.words, ranking)
    naming_folders = documents_naming_folders(documents, topic.record_folders)
    fitting = list(dict.fromkeys([*word_score_by_path, *naming_folders]))
    for path in fitting:
        candidate = candidates[path]
        candidate.count_words(word_score_by_path.get(path, 0.0))
        # Each reason adds its own points to those of the words.
        if path in routed:
            candidate.add(Reason.ROUTED)
        elif path in word_score_by_path:
            candidate.add(Reason.WORDS)
        if path in naming_folders:
            candidate.add(Reason.FOLDER)
    return fitting
