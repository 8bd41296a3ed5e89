"""The searches by which the files are found that have words of a request.

For "Close l-12 for the late returns", in a workspace whose rules say "/records/loans: lent books":

    Search("/records", ["l-12", "close", "late", "returns"])
    Search("/docs", ["book", "clos", "l-12", "late", "lent", "retu", "/records/loans"])

| terms of the second search | where they come from |
|---|---|
| `clos`, `l-12`, `late`, `retu` | the request: beginnings of its words |
| `book`, `lent` | the rules: they describe the folder of `l-12.json` by these words |
| `/records/loans` | a document about loans may name their folder |
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from controlplane.agent.retrieval.document_search.listed_documents import (
    ListedDocuments,
)
from controlplane.agent.retrieval.file_search import Search
from controlplane.agent.retrieval.record_search.known_records import KnownRecords
from controlplane.agent.retrieval.request_facts import RequestFacts
from controlplane.agent.retrieval.request_terms import RequestTerms
from controlplane.sandbox.files.text_words import beginning_of

MAX_SEARCH_TERMS: Final = 16
"""The most terms that one search takes from the request, or from the folders of records."""


def record_searches(
    request: RequestTerms, records: KnownRecords, facts: RequestFacts
) -> Iterator[Search]:
    """Yield a search for each folder with records, unless it is known to have no files."""
    terms = _record_terms(request, facts.rules)
    if not terms:
        return
    for root in records.kinds.roots:
        if not facts.listed.is_empty(root):
            yield Search(root, terms)


def _record_terms(request: RequestTerms, rules: str) -> list[str]:
    """Return the terms by which records are searched: the ids, and the special words.

    A word that is also in the workspace's rules, such as `loan`, is left out: it is general,
    and so in too many records. With `loans` in the rules, `loan` is left out, too.
    """
    folded_rules = rules.casefold()
    terms = list(request.ids)
    for word in request.words:
        is_general = beginning_of(word) in folded_rules
        if word not in terms and not is_general:
            terms.append(word)
    return terms[:MAX_SEARCH_TERMS]


def document_searches(
    topic_words: Sequence[str], records: KnownRecords, listed: ListedDocuments
) -> Iterator[Search]:
    """Yield the search of the documents; none without documents or words."""
    beginnings = sorted({beginning_of(word) for word in topic_words})
    if beginnings and listed.paths:
        # The fullest folders come first, as a search takes only so many of them.
        folders = records.kinds.fullest_first(records.paths, MAX_SEARCH_TERMS)
        yield Search(listed.root, [*beginnings, *folders])
