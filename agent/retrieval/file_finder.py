"""Finds the files of a workspace that fit a request, for the first message to show.

For "Close loan-12 for the late returns":

1. `/records/loans/loan-12.json` is read, which the request names. All files are searched for
   the words `close`, `late` and `returns`.
2. The request is about a loan. So documents are also compared with the words by which the
   workspace's rules describe the folder of loans.
3. `/docs/loans.md`, which fits best, is read, and the records that `loan-12` names.
"""

from __future__ import annotations

from itertools import chain

from controlplane.agent.initial_calls.file_reader import FileReader
from controlplane.agent.initial_calls.initial_calls import InitialCalls
from controlplane.agent.retrieval.document_search.document_reader import DocumentReader
from controlplane.agent.retrieval.document_search.documents import (
    KnownDocuments,
    ListedDocuments,
)
from controlplane.agent.retrieval.document_search.request_topic import topic_of
from controlplane.agent.retrieval.file_candidate import declared_records
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

    `listed` are the documents (texts for all requests) among the files. `ranking` compares words
    with texts. The last calls may still run, so that others can be sent beside them.
    """
    records = KnownRecords.of(calls, facts, listed.paths)
    documents = KnownDocuments.unread(listed, facts, calls.tool_schema.document_dates)
    request = RequestTerms.of(facts, listed.paths, records.names)

    # 1. Read the records that the request names. Search all files for its words, and documents
    #    also for those by which the rules describe these records.
    record_reader = RecordReader.of(calls, records, request)
    record_reader.read_named()
    topic = topic_of(request, request.named_records, records, documents.descriptions)
    searches = chain(
        record_searches(request, records, facts),
        document_searches(topic.words, records, listed),
    )
    search_operation = declared_records(calls.tool_schema).search
    found_lines = search_files(calls, search_operation, searches)
    word_scores = record_word_scores(records.paths, found_lines, request, ranking)

    # 2. If the request names no record, the best found ones show what it is about.
    if not request.named_records:
        best_records = records.first_of_kinds(word_scores)
        topic = topic_of(request, best_records, records, documents.descriptions)

    # 3. Read the best documents, and then the best records, with those that they name.
    document_reader = DocumentReader(
        searched=documents.with_texts(found_lines),
        topic=topic,
        ranking=ranking,
        file_reader=FileReader(calls, listed.read),
    )
    document_reader.read_best()
    found_records = record_reader.read_found(word_scores)
    return FoundFiles(document_reader, record_reader, found_records, facts)
