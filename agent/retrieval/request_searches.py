"""The searches by which the files are found that have words of a request.

For "Close l-12 for the late returns", if the rules say "/records/loans: lent books":

    Search("/records", ["l-12", "close", "late", "returns"])
    Search("/docs", ["book", "clos", "l-12", "late", "lent", "retu", "/records/loans"])

Records (files about one case) are searched for the rarer words of the request. Documents (texts
for all requests) are searched for all words, and for the names of folders with records.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from controlplane.agent.retrieval.document_search.documents import ListedDocuments
from controlplane.agent.retrieval.file_search import Search
from controlplane.agent.retrieval.record_search.known_records import KnownRecords
from controlplane.agent.retrieval.request_facts import RequestFacts
from controlplane.agent.retrieval.request_terms import (
    MAX_SEARCH_TERMS,
    RequestTerms,
)
from controlplane.sandbox.files.text_words import beginning_of


def record_searches(
    request: RequestTerms, records: KnownRecords, facts: RequestFacts
) -> Iterator[Search]:
    """Yield a search for each declared folder with records, such as `/records`.

    A folder is left out if it is known to have no files.
    """
    terms = request.search_terms(facts.rules)
    if not terms:
        return
    for root in records.kinds.roots:
        if not facts.listed.is_empty(root):
            yield Search(root, terms)


def document_searches(
    words: Collection[str], records: KnownRecords, listed: ListedDocuments
) -> Iterator[Search]:
    """Yield the search of the documents; none without documents or words.

    Only the beginnings of words are searched: `retur` finds all forms of `returned`. A
    document about a kind of records may name its folder: `/records/loans`.
    """
    beginnings = sorted({beginning_of(word) for word in words})
    if beginnings and listed.paths:
        # The fullest folders come first, as a search takes only so many terms.
        folders = records.kinds.fullest_first(records.paths, MAX_SEARCH_TERMS)
        yield Search(listed.root, [*beginnings, *folders])
