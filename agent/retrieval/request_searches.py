"""The searches by which the files are found that have words of a request.

For "Close l-12 for the late returns", if the rules say "/records/loans: lent books":

    Search("/records", ["l-12", "close", "late", "returns"])
    Search("/docs", ["book", "clos", "l-12", "late", "lent", "retu", "/records/loans"])

Records (files about one case) are searched for the rarer words, and documents (texts for all
requests) for all words, and for the names of folders.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from controlplane.agent.retrieval.document_search.documents import ListedDocuments
from controlplane.agent.retrieval.file_search import Search
from controlplane.agent.retrieval.request_facts import RequestFacts
from controlplane.agent.retrieval.request_terms import RequestTerms
from controlplane.sandbox.files.text_words import beginning_of


def record_searches(
    request: RequestTerms, roots: Sequence[str], facts: RequestFacts
) -> list[Search]:
    """Return a search for each folder with records, such as `/records`.

    A folder is left out if it is known to have no files.
    """
    terms = request.search_terms(facts.rules)
    if not terms:
        return []
    return [Search(root, terms) for root in roots if not facts.listed.is_empty(root)]


def document_searches(
    listed: ListedDocuments, words: Collection[str], record_folders: Sequence[str]
) -> list[Search]:
    """Return the search of the documents; no search without documents or words.

    Only the beginnings of words are searched: `retur` finds all forms of `returned`. A
    document about a kind of records may name its folder: `/records/loans`.
    """
    beginnings = sorted({beginning_of(word) for word in words})
    if not beginnings or not listed.paths:
        return []
    return [Search(listed.root, [*beginnings, *record_folders])]
