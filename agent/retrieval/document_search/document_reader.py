"""Reads the documents that fit a request, in two rounds.

A document is a text for all requests, such as the policy `/docs/parking.md`. A search has found
some lines of them. For the request "Where may cars stand?":

    reader.read_best()            reads `/docs/parking.md`, whose found lines fit best
    ranked = reader.rank()        waits, and ranks all documents by the texts that were read
    reader.read_linked(ranked)    reads `/docs/permits.md`, which `/docs/parking.md` names
    ranked = reader.rank()        waits, and ranks all documents again
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.agent.initial_calls.file_reader import FileReader
from controlplane.agent.retrieval.document_search.document_links import linked_documents
from controlplane.agent.retrieval.document_search.known_documents import KnownDocuments
from controlplane.agent.retrieval.document_search.ranked_documents import (
    RankedDocuments,
    rank_documents,
)
from controlplane.agent.retrieval.document_search.request_topic import RequestTopic
from controlplane.sandbox.files.word_ranking import WordRanking

MAX_BEST_IN_FIRST_ROUND: Final = 3
"""How many of the best documents the first round reads."""
MAX_BEST_IN_SECOND_ROUND: Final = 5
"""How many of the best documents the second round reads, with those of the first."""
MAX_NOTICES: Final = 8
"""If more notices are in force, only the latest ones are read. A notice is a document that
changes others from the day in its name on."""


@dataclass(frozen=True, slots=True)
class DocumentReader:
    """Reads and ranks the documents for one request."""

    searched: KnownDocuments
    """The documents with the lines that the search found in them."""
    topic: RequestTopic
    """What the request is about."""
    ranking: WordRanking
    """Compares words with texts."""
    file_reader: FileReader
    """Sends the calls that read documents, each once, as long as the trial has calls left."""

    def read_best(self) -> None:
        """Send calls that read the named documents, the best ones, and the notices in force."""
        ranked = rank_documents(self.searched, self.topic, self.ranking)
        best = ranked.fitting[:MAX_BEST_IN_FIRST_ROUND]
        in_force = [notice.path for notice in ranked.notices if not notice.is_refused]
        latest = in_force[-MAX_NOTICES:]
        self.file_reader.send([*self.topic.named_documents, *best, *latest])

    def rank(self) -> RankedDocuments:
        """Wait for the calls, and rank all documents by their texts, or else the found lines."""
        texts = self.file_reader.texts(self.searched.listed.paths)
        known = self.searched.with_texts(texts)
        return rank_documents(known, self.topic, self.ranking)

    def read_linked(self, ranked: RankedDocuments) -> None:
        """Send calls that read the documents which notices and the best document name.

        By whole texts, others may be the best now. They are read, too.
        """
        naming = [notice.document for notice in ranked.notices]
        naming += [ranked.candidates[path].document for path in ranked.fitting[:1]]
        linked: list[str] = []
        for document in naming:
            linked += linked_documents(document, self.searched.by_path)
        self.file_reader.send([*linked, *ranked.fitting[:MAX_BEST_IN_SECOND_ROUND]])
