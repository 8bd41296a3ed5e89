"""Prepares the search for the files that fit a request."""

from __future__ import annotations

from controlplane.agent.initial_calls.file_reader import FileReader
from controlplane.agent.initial_calls.initial_calls import InitialCalls
from controlplane.agent.retrieval.document_search.document_finder import DocumentFinder
from controlplane.agent.retrieval.document_search.document_ranker import DocumentRanker
from controlplane.agent.retrieval.document_search.document_words import DocumentWords
from controlplane.agent.retrieval.document_search.documents import (
    KnownDocuments,
    ListedDocuments,
)
from controlplane.agent.retrieval.document_search.notices import notices_among
from controlplane.agent.retrieval.file_candidate import declared_records
from controlplane.agent.retrieval.record_search.known_records import KnownRecords
from controlplane.agent.retrieval.record_search.record_finder import RecordFinder
from controlplane.agent.retrieval.record_search.record_matches import RecordMatches
from controlplane.agent.retrieval.request_facts import RequestFacts, RequestTerms
from controlplane.agent.retrieval.rules_routing import subjects_of
from controlplane.agent.retrieval.unlisted_files import is_unlisted
from controlplane.sandbox.files.word_ranking import WordRanking


def record_finder(
    calls: InitialCalls,
    facts: RequestFacts,
    listed: ListedDocuments,
    ranking: WordRanking,
) -> RecordFinder:
    """Return the finder of the records among the files that the first calls listed."""
    declared = declared_records(calls.tool_schema)
    known = KnownRecords.of(declared, _other_files(calls, facts, listed))
    request = RequestTerms.of(facts, listed.paths, known.names)
    reader = FileReader(calls, calls.tool_schema.operation(declared.read))
    return RecordFinder(RecordMatches(known, request), reader, ranking)


def document_finder(
    calls: InitialCalls,
    facts: RequestFacts,
    listed: ListedDocuments,
    request: RequestTerms,
    ranking: WordRanking,
) -> DocumentFinder:
    """Return the finder of the documents. `request` has the words of the request."""
    subjects = subjects_of(facts.rules)
    dates = calls.tool_schema.document_dates
    notices: tuple[str, ...] = ()
    if dates is not None and dates.in_names:
        notices = notices_among(listed.paths, facts.rules, subjects)
    texts = dict.fromkeys(listed.paths, "")
    documents = KnownDocuments(listed, texts, notices, dates, facts.now)

    words = DocumentWords(list(request.words), subjects, ranking)
    words.add_words_for(request.records)
    ranker = DocumentRanker(documents, words, request.documents)
    return DocumentFinder(documents, ranker, FileReader(calls, listed.read))


def _other_files(
    calls: InitialCalls, facts: RequestFacts, documents: ListedDocuments
) -> list[str]:
    """Return the listed files except documents and files that other initial calls read."""
    left_out = set(documents.paths)
    for sent in calls.sent_calls:
        # A call without a path adds "None", which does no harm: it is not a file's path.
        left_out.add(str(sent.call.arguments.get("path")))
    files: list[str] = []
    for path in facts.listed.files:
        if path not in left_out and not is_unlisted(path):
            files.append(path)
    return files
