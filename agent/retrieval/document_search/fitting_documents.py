"""Finds the documents that fit the topic of a request, and writes their scores and ranks to them.

A document is a text for all requests. For "Where may cars stand?":

    /docs/parking.md    score 1.3    rank 0
    /docs/permits.md    score 0.2    rank 1
    /docs/loans.md      score 0      no rank: it has no word of the request
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from controlplane.agent.retrieval.document_search.document_candidate import (
    DocumentCandidate,
)
from controlplane.agent.retrieval.document_search.request_topic import RequestTopic
from controlplane.agent.retrieval.document_search.topic_scores import score_by_topic
from controlplane.agent.retrieval.ranking_reasons import Reason
from controlplane.sandbox.files.word_ranking import WordRanking


def fitting_documents(
    candidates: Mapping[str, DocumentCandidate],
    described_paths: Iterable[str],
    topic: RequestTopic,
    ranking: WordRanking,
) -> list[str]:
    """Score the documents that fit the topic, and return their paths, the best first.

    `candidates` are all documents. `described_paths` are those that the workspace's rules
    describe. They are taken if no document fits.
    """
    fitting = score_by_topic(candidates, topic, ranking)
    if not fitting:
        fitting = _take_described(candidates, described_paths)
    fitting.sort(key=lambda path: candidates[path].score, reverse=True)
    for rank, path in enumerate(fitting):
        candidates[path].rank = rank
    return fitting


def _take_described(
    candidates: Mapping[str, DocumentCandidate], described_paths: Iterable[str]
) -> list[str]:
    """Take all documents that the rules describe, or all documents if they describe none.

    Each gets the word score of a best document, as if all fitted equally. Its `score`, by which
    documents are sorted, has no points of words then, but those for being listed.
    """
    described = [path for path in described_paths if path in candidates]
    taken = described or list(candidates)
    for path in taken:
        candidates[path].word_score = 1.0
        candidates[path].add(Reason.LISTED)
    return taken
