"""Searches a workspace for the words of a request, to find the files to show to the model.

Records, such as `/records/loans/loan-12.json`, are searched for the ids and special words of the
request; documents, such as `/docs/loans.md`, for all its words. "Close loan-12 for the late returns"
finds, by path, the lines with a word that begins like one of them:

    {"/docs/loans.md": "Late returns cost a fee.\\n"}
"""

from __future__ import annotations

from controlplane.agent.initial_calls.initial_calls import InitialCalls
from controlplane.agent.retrieval.file_search import search_files
from controlplane.agent.retrieval.known_files import KnownFiles
from controlplane.agent.retrieval.request_facts import RequestFacts
from controlplane.agent.retrieval.request_searches import (
    MAX_SEARCH_TERMS,
    document_searches,
    record_searches,
)


def search_workspace(
    known: KnownFiles, calls: InitialCalls, facts: RequestFacts
) -> dict[str, str]:
    """Search the records and the documents. Return the found lines by path."""
    records = known.records
    # Do not search folders that are known to have no files.
    roots = [root for root in records.kinds.roots if not facts.listed.is_empty(root)]
    searches = record_searches(roots, known.request, facts.rules)

    documents = known.documents.listed
    if documents.paths:
        topic = known.topic()
        # A document may be about a folder of records, such as `loans`, so their names are searched,
        # too. As a search takes only so many terms, the fullest folders come first.
        folders = records.kinds.fullest_first(records.paths, MAX_SEARCH_TERMS)
        searches += document_searches(documents.root, topic.words, folders)
    return search_files(calls, records.declared.search, searches)
