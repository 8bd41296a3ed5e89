"""Puts together the search for the files of a workspace that fit a request.

Files are of two kinds. A *document* is a text for all requests, such as the policy
`/docs/parking.md`. A *record* is about one case, such as `/records/loans/l-12.json`.

Both are searched for the words of the request. The workspace's rules may also describe a
file: "Cars: see /docs/parking.md".
"""

from __future__ import annotations

from dataclasses import dataclass

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
from controlplane.agent.retrieval.request_facts import RequestFacts
from controlplane.agent.retrieval.request_terms import RequestTerms
from controlplane.agent.retrieval.rules_routing import descriptions_in
from controlplane.agent.retrieval.unlisted_files import is_unlisted
from controlplane.sandbox.files.word_ranking import WordRanking


@dataclass(frozen=True, slots=True)
class Finders:
    """The two finders for one request, which search and read the files of each kind."""

    request: RequestTerms
    """The words of the request, and the files that it names."""
    words: DocumentWords
    """Knows with which words the rules describe documents and folders of records."""
    records: RecordFinder
    documents: DocumentFinder


def finders_for(
    calls: InitialCalls,
    facts: RequestFacts,
    documents: ListedDocuments,
    ranking: WordRanking,
) -> Finders:
    """Return the finders for a request. They search among the files that were listed so far.

    A *document* is a text for all requests, such as a policy. A *record* is about one case.

    Args:
        calls: Make the searches and reads.
        facts: The request, the workspace's rules, and the listed files.
        documents: Those of the listed files that are documents.
        ranking: Compares the request's words with texts.
    """
    declared = declared_records(calls.tool_schema)
    records = KnownRecords.of(declared, _other_listed_files(calls, facts, documents))
    # The request names files by their paths and ids, so the files must be known before.
    request = RequestTerms.of(facts, documents.paths, records.names)
    record_finder = RecordFinder(
        known=records,
        request=request,
        reader=FileReader(calls, calls.tool_schema.operation(declared.read)),
        ranking=ranking,
    )
    descriptions = descriptions_in(facts.rules)  # what the rules say, by path
    words = DocumentWords(descriptions, ranking)
    known_documents = _known_documents(calls, facts, documents, descriptions)
    document_finder = DocumentFinder(
        documents=known_documents,
        ranker=DocumentRanker(known_documents, words, request.named_documents),
        reader=FileReader(calls, documents.read),
    )
    return Finders(request, words, record_finder, document_finder)


def _known_documents(
    calls: InitialCalls,
    facts: RequestFacts,
    documents: ListedDocuments,
    descriptions: dict[str, str],
) -> KnownDocuments:
    """Return the listed documents, none of which is read yet.

    `descriptions` has what the rules say about each path. A *notice* is a document that
    changes others from a day on. It has this day in its name, so there are notices only if
    the environment declares that names have dates.
    """
    dates = calls.tool_schema.document_dates
    notices: tuple[str, ...] = ()
    if dates is not None and dates.in_names:
        notices = notices_among(documents.paths, facts.rules, descriptions)
    return KnownDocuments(
        listed=documents,
        texts=dict.fromkeys(documents.paths, ""),  # Searches and reads fill them in.
        notices=notices,
        dates=dates,
        now=facts.now,
    )


def _other_listed_files(
    calls: InitialCalls, facts: RequestFacts, documents: ListedDocuments
) -> list[str]:
    """Return the listed files except documents and files that other initial calls read."""
    left_out = set(documents.paths)
    for sent in calls.all_calls:
        # A call without a path adds "None", which does no harm: it is not a file's path.
        left_out.add(str(sent.call.arguments.get("path")))
    files: list[str] = []
    for path in facts.listed.files:
        if path not in left_out and not is_unlisted(path):
            files.append(path)
    return files
