"""Finds the files of a workspace that fit a request, for the first message to show.

A record is a file about one case, and a document is a text for all requests. For "Close loan-12
for the late returns", if the workspace's rules say "/records/loans: lent books":

    /records/loans/loan-12.json    is read: the request names it
    /records                       is searched for `loan-12`, `close`, `late` and `returns`
    /docs                          is searched for these, and for `lent` and `books`
    /docs/loans.md                 is read: the lines that were found in it fit best
    /records/books/b7.json         is read: `loan-12.json` names it
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from controlplane.agent.initial_calls.initial_calls import InitialCalls
from controlplane.agent.retrieval.document_search.document_reader import DocumentReader
from controlplane.agent.retrieval.document_search.documents import (
    KnownDocuments,
    ListedDocuments,
)
from controlplane.agent.retrieval.document_search.request_topic import (
    RequestTopic,
    topic_of,
)
from controlplane.agent.retrieval.file_search import search_files
from controlplane.agent.retrieval.found_files import FoundFiles
from controlplane.agent.retrieval.record_search.known_records import KnownRecords
from controlplane.agent.retrieval.record_search.record_reader import RecordReader
from controlplane.agent.retrieval.record_search.record_words import record_word_scores
from controlplane.agent.retrieval.request_facts import RequestFacts
from controlplane.agent.retrieval.request_searches import (
    document_searches,
    record_searches,
)
from controlplane.agent.retrieval.request_terms import RequestTerms
from controlplane.sandbox.files.word_ranking import WordRanking


def find_files(
    calls: InitialCalls,
    facts: RequestFacts,
    listed: ListedDocuments,
    ranking: WordRanking,
) -> FoundFiles:
    """Search the files of a workspace, and send calls that read those that fit the request.

    `listed` are the documents among the files. `ranking` compares words with texts. The last
    calls may still run, so that others can be sent beside them.
    """
    records = KnownRecords.of(calls, facts, listed.paths)
    finder = _FileFinder(
        calls=calls,
        facts=facts,
        ranking=ranking,
        records=records,
        documents=KnownDocuments.unread(
            listed, facts, calls.tool_schema.document_dates
        ),
        request=RequestTerms.of(facts, listed.paths, records.names),
    )
    return finder.find()


@dataclass(frozen=True, slots=True)
class _FileFinder:
    """Finds the files for one request: "Close loan-12 for the late returns"."""

    calls: InitialCalls
    """Sends the calls that search and read files."""
    facts: RequestFacts
    """What is known so far, such as the workspace's rules."""
    ranking: WordRanking
    """Compares words with texts."""
    records: KnownRecords
    """The records that were listed."""
    documents: KnownDocuments
    """The documents that were listed. None of them is read yet."""
    request: RequestTerms
    """The words of the request, and the files that it names."""

    def find(self) -> FoundFiles:
        """Read what the request names, search all files, and read the best of them."""
        record_reader = RecordReader.of(self.calls, self.records, self.request)
        record_reader.read_named()  # `loan-12.json`
        found_lines = self._search()
        # Other loans may have words of the request: `{"/records/loans/loan-4.json": 1.0}`.
        word_scores = record_word_scores(
            self.records.paths, found_lines, self.request, self.ranking
        )
        # If the request names no record, the best found ones show what it is about.
        best_records = self.records.kinds.first_of_each(word_scores)
        topic = self._topic(self.request.named_records or best_records)
        searched = self.documents.with_texts(found_lines)
        document_reader = DocumentReader.of(self.calls, searched, topic, self.ranking)
        document_reader.read_best()  # `/docs/loans.md`
        found_records = record_reader.read_found(word_scores)  # `b7.json`
        return FoundFiles(document_reader, record_reader, found_records, self.facts)

    def _search(self) -> dict[str, str]:
        """Search the files for words of the topic. Return the found lines by path.

        `{"/docs/loans.md": "Late returns cost a fee.\\n"}`
        """
        topic = self._topic(self.request.named_records)
        searches = [
            *record_searches(self.request, self.records, self.facts),
            *document_searches(topic.words, self.records, self.documents.listed),
        ]
        return search_files(self.calls, self.records.declared.search, searches)

    def _topic(self, records: Collection[str]) -> RequestTopic:
        """Return what the request is about, if it is about these records.

        For `loan-12.json`, this is also `lent` and `books`, by which the rules describe its
        folder.
        """
        return topic_of(
            self.request, records, self.records.kinds, self.documents.descriptions
        )
