"""Finds the files of a workspace that fit a request, for the first message to show.

A record is a file about one case, and a document is a text for all requests. The examples below are
for "Close loan-12 for the late returns", if the workspace's rules say "/records/loans: lent books".
"""

from __future__ import annotations

from controlplane.agent.initial_calls.file_reader import FileReader
from controlplane.agent.initial_calls.initial_calls import InitialCalls
from controlplane.agent.retrieval.document_search.document_reader import DocumentReader
from controlplane.agent.retrieval.document_search.listed_documents import (
    ListedDocuments,
)
from controlplane.agent.retrieval.found_files import FoundFiles
from controlplane.agent.retrieval.known_files import KnownFiles
from controlplane.agent.retrieval.record_search.record_reader import RecordReader
from controlplane.agent.retrieval.record_search.record_words import record_word_scores
from controlplane.agent.retrieval.request_facts import RequestFacts
from controlplane.agent.retrieval.workspace_search import search_workspace
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
    known = KnownFiles.of(calls, facts, listed)
    records = known.records

    # 1. Begin to read the records that the request names: `/records/loans/loan-12.json`.
    record_reader = RecordReader.of(calls, records, known.request)
    record_reader.read_named()

    # 2. Meanwhile, search all files: the records for `loan-12`, `close`, `late` and `returns`, the
    #    documents for these, and for `lent` and `books`.
    found_lines = search_workspace(known, calls, facts)
    word_scores = record_word_scores(records.paths, found_lines, known.request, ranking)

    # 3. Read the documents about such records in which the best lines were found:
    #    `/docs/loans.md`.
    searched = known.documents.with_texts(found_lines)
    topic = known.topic(found_records=word_scores)
    file_reader = FileReader(calls, listed.read)
    document_reader = DocumentReader(searched, topic, ranking, file_reader)
    document_reader.read_best()

    # 4. Read the records with the words, and those that the named records name:
    #    `loan-12.json` is about the book `/records/books/b7.json`.
    found_records = record_reader.read_found(word_scores)
    return FoundFiles(document_reader, record_reader, found_records, facts)
