"""Reads the documents that fit a request, in two rounds.

A document is a text for all requests, such as the policy `/docs/parking.md`. A search has found
some lines of them. For the request "Where may cars stand?":

    reader.read_best()            reads `/docs/parking.md`, whose lines fit best
    ranked = reader.rank()        waits, and ranks all documents by the texts that were read
    reader.read_linked(ranked)    reads `/docs/permits.md`, which `/docs/parking.md` names
    reader.rank()                 waits, and ranks them again

A *notice* is a document that changes others from the day in its name on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.agent.initial_calls.file_reader import FileReader
from controlplane.agent.initial_calls.initial_calls import InitialCalls
from controlplane.agent.retrieval.document_search.documents import KnownDocuments
from controlplane.agent.retrieval.document_search.ranked_documents import (
    RankedDocuments,
    rank_documents,
)
from controlplane.agent.retrieval.document_search.request_topic import RequestTopic
from controlplane.sandbox.files.word_ranking import WordRanking

MAX_BEST_DOCUMENTS: Final = 3
"""How many of the best documents the first round reads."""
MAX_BEST_IN_SECOND_ROUND: Final = 5
"""How many of the best documents the second round reads, with those of the first."""
MAX_NOTICES: Final = 8
"""If more notices are in force, only the latest ones are read."""


@dataclass(frozen=True, slots=True)
class DocumentReader:
    """Reads and ranks the documents for one request. Each document is read once.

    | method | reads | which are known by |
    |---|---|---|
    | `read_best` | the named documents, the best, and notices | the lines that were found |
    | `read_linked` | the best, and those that the best one and notices name | whole texts |
    """

    searched: KnownDocuments
    """The documents with the lines that the search found in them."""
    topic: RequestTopic
    """What the request is about."""
    ranking: WordRanking
    """Compares words with texts."""
    file_reader: FileReader
    """Sends the calls that read documents, as long as the trial has calls left. It remembers
    what was read."""

    @classmethod
    def of(
        cls,
        calls: InitialCalls,
        searched: KnownDocuments,
        topic: RequestTopic,
        ranking: WordRanking,
    ) -> DocumentReader:
        """Return the reader of these documents. `calls` sends the calls that read them."""
        file_reader = FileReader(calls, searched.listed.read)
        return cls(searched, topic, ranking, file_reader)

    def read_best(self) -> None:
        """Send calls that read the named documents, the best ones, and the notices in force."""
        ranked = rank_documents(self.searched, self.topic, self.ranking)
        best = ranked.best[:MAX_BEST_DOCUMENTS]
        notices = ranked.notices_in_force()[-MAX_NOTICES:]
        self.file_reader.send([*self.topic.named_documents, *best, *notices])

    def rank(self) -> RankedDocuments:
        """Wait for the calls that were sent, and rank the documents by what they returned.

        A document that was not read is still ranked by the lines that the search found.
        """
        texts = self.file_reader.texts(self.searched.listed.paths)
        known = self.searched.with_texts(texts)
        return rank_documents(known, self.topic, self.ranking)

    def read_linked(self, ranked: RankedDocuments) -> None:
        """Send calls that read the best documents, and those that the best and notices name.

        Since `read_best`, whole texts have become known, so others may be the best now.
        """
        best = ranked.best[:MAX_BEST_IN_SECOND_ROUND]
        self.file_reader.send([*ranked.linked_paths(), *best])
