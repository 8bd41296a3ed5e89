"""Finds the files of a workspace that fit a request, for the first message to show.

A record is a file about one case, and a document is a text for all requests. For "Close loan-12
for the late returns", if the workspace's rules say "/records/loans: lent books":

| step | file or folder | |
|---|---|---|
| 1 | `/records/loans/loan-12.json` | is read: the request names it |
| 2 | `/records` | is searched for `loan-12`, `close`, `late` and `returns` |
|   | `/docs` | is searched for these, and for `lent` and `books` |
| 3 | `/docs/loans.md` | is read: the lines that were found in it fit best |
| 4 | `/records/books/b7.json` | is read: `loan-12.json` names it |
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
    # 1. Begin to read the records that the request names.
    known = KnownFiles.of(calls, facts, listed)
    records, request = known.records, known.request
    record_reader = RecordReader.of(calls, records, request)
    record_reader.read_named()

    # 2. Meanwhile, search all files. Other loans may have words of the request, too.
    found_lines = search_workspace(known, calls, facts)
    word_scores = record_word_scores(records.paths, found_lines, request, ranking)

    # 3. If the request names no record, the best found ones show what it is about. Read the
    #    documents about that.
    best_records = records.kinds.first_of_each(word_scores)
    topic = known.topic(request.named_records or best_records)
    searched = known.documents.with_texts(found_lines)
    document_calls = FileReader(calls, listed.read)
    document_reader = DocumentReader(searched, topic, ranking, document_calls)
    document_reader.read_best()

    # 4. Read the records with such words, and those that the named records name.
    found_records = record_reader.read_found(word_scores)
    return FoundFiles(document_reader, record_reader, found_records, facts)
