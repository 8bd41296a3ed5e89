"""Scores documents by the topic of a request: its words, and the folders of its records.

A document is a text for all requests. For "Where may cars stand?", which is about the records
in `/records/cars`, if the workspace's rules say "Cars: see /docs/parking.md":

| document | reasons | score |
|---|---|---|
| `/docs/parking.md` | `ROUTED` 0.3: the rules describe it with `cars`; its word score 1 | 1.3 |
| `/docs/owners.md` | `FOLDER` 0.5: its text names `/records/cars` | 0.5 |
| `/docs/permits.md` | `WORDS` 0: its text has `cars`; its word score 0.2 | 0.2 |
"""

from __future__ import annotations

from collections.abc import Mapping

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


def score_by_topic(
    candidates: Mapping[str, DocumentCandidate],
    topic: RequestTopic,
    ranking: WordRanking,
) -> list[str]:
    """Score the documents that have words of the topic, or name one of its folders.

    `candidates` are all documents. The paths of those that fit are returned.
    """
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
