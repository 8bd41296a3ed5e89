"""Ranks the documents of a workspace by how well they fit a request.

A document is a text for all requests. A *notice* is a document that changes others from the day
in its name on. For "Where may cars stand?", with the rule "Cars: see /docs/parking.md":

| document | reasons | score |
|---|---|---|
| `/docs/parking.md`, described with `cars` | `ROUTED` 0.3, and its words 1.0 | 1.3 |
| `/docs/permits.md`, whose text has `cars` | `WORDS` 0.0, and its words 0.2 | 0.2 |
| `/docs/updates/2031-05-02-fees.md`, a notice that names `/docs/loans.md` | `NOTICE`, off topic | 1.2 |
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.agent.retrieval.document_search.document_words import (
    DocumentWords,
    RequestTopic,
)
from controlplane.agent.retrieval.document_search.documents import KnownDocuments
from controlplane.agent.retrieval.file_candidate import Candidate
from controlplane.agent.retrieval.ranking_reasons import OFF_TOPIC_POINTS, Reason

MIN_TOPIC_WORD_SCORE: Final = 0.75
"""A notice is about the request if it names a document that fits the request this well."""


@dataclass(frozen=True, slots=True)
class DocumentRanker:
    """Scores documents by their texts, their dates, and what the workspace's rules say of them."""

    documents: KnownDocuments
    """The documents, with what is known of their texts and dates."""
    words: DocumentWords
    """Compares texts, and how the rules describe them, with the words of the request."""
    named: Collection[str]
    """The listed documents that the request names."""

    def best(self, topic: RequestTopic) -> list[Candidate]:
        """Return the documents that fit the request with their ranks, the best first.

        If no document fits the topic of the request, return all that the rules describe.
        """
        best = self._fitting(topic) or self._described()
        best.sort(key=lambda document: document.score, reverse=True)
        for rank, document in enumerate(best):
            document.rank = rank
        return best

    def _fitting(self, topic: RequestTopic) -> list[Candidate]:
        """Return the documents that have words of the request, or name one of the folders."""
        scores = self.words.scores(self.documents, topic.words)
        described_by_words = self.words.described_with(
            topic.words, self.documents.listed.paths
        )
        about_folders = self.documents.about(topic.record_folders)
        candidates: list[Candidate] = []
        for path in dict.fromkeys([*scores, *about_folders]):
            candidate = self._candidate(path, scores.get(path, 0.0))
            if path in described_by_words:
                # The rules describe the document with a word of the request.
                candidate.add(Reason.ROUTED, candidate.word_score)
            elif path in scores:
                # Only its text or its name has such a word.
                candidate.add(Reason.WORDS, candidate.word_score)
            if path in about_folders:
                # Its text names the folder of the request's records.
                candidate.add(Reason.FOLDER)
            candidates.append(candidate)
        return candidates

    def _described(self) -> list[Candidate]:
        """Return the documents that the rules describe; all documents if they describe none."""
        paths = self.documents.listed.paths
        candidates: list[Candidate] = []
        for path in self.words.described(paths) or paths:
            candidate = self._candidate(path, word_score=1.0)  # All fit equally well.
            candidate.add(Reason.LISTED)
            candidates.append(candidate)
        return candidates

    def _candidate(self, path: str, word_score: float = 0.0) -> Candidate:
        """Return a document as a file that may be shown, with no reason for that yet."""
        return Candidate(
            path,
            is_document=True,
            read_operation=self.documents.listed.read,
            is_notice=path in self.documents.notices,
            validity=self.documents.validity(path),
            word_score=word_score,
        )

    def candidates(self, topic: RequestTopic) -> dict[str, Candidate]:
        """Return all documents with their scores by path, in the order of the listing."""
        best = {document.path: document for document in self.best(topic)}
        candidates: dict[str, Candidate] = {}
        for path in self.documents.listed.paths:
            # A document that does not fit gets no points.
            candidates[path] = best.get(path) or self._candidate(path)

        for path in self.named:
            candidates[path].add(Reason.NAMED)
        for candidate in candidates.values():
            if candidate.validity.is_out_of_force:
                candidate.refuse(Reason.NOT_IN_FORCE)
        _score_notices(self.documents, candidates)
        return candidates


def _score_notices(
    documents: KnownDocuments, candidates: Mapping[str, Candidate]
) -> None:
    """Score the notices that may be in force, and the documents that they change.

    A notice says which documents it changes by naming their paths.
    """
    for path in documents.notices:
        notice = candidates[path]
        if not notice.is_refused:
            changed_paths = documents.linked_from(path)
            _score_notice(notice, [candidates[changed] for changed in changed_paths])


def _score_notice(notice: Candidate, changed: Collection[Candidate]) -> None:
    """Score a notice in force, and the documents that it changes.

    For a request about parking, a notice that changes only `/docs/loans.md` is off topic. A
    notice that names no document may change any of them, so it is on topic.
    """
    best_word_score = max((document.word_score for document in changed), default=1.0)
    if best_word_score < MIN_TOPIC_WORD_SCORE:
        notice.add(Reason.NOTICE, OFF_TOPIC_POINTS)
        return
    notice.add(Reason.NOTICE)
    for document in changed:
        document.add(Reason.LINKED)
