"""The searches by which the files are found that have words of a request.

A file about one case is a *record*, and a text for all requests is a *document*. For "Close l-12
for the late returns", in a workspace with records in `/records` and documents in `/docs`:

    Search("/records", ["l-12", "close", "late", "returns"])
    Search("/docs", ["clos", "l-12", "late", "retu", "/records/loans"])

A document may have the words in another form, so it is searched for their beginnings. It may also
name the folder of the records that it is about.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from controlplane.agent.retrieval.file_search import Search
from controlplane.agent.retrieval.request_terms import RequestTerms
from controlplane.sandbox.files.text_words import beginning_of

MAX_SEARCH_TERMS: Final = 16
"""The most terms that one search takes from the request, or from the folders of records."""


def record_searches(
    roots: Sequence[str], request: RequestTerms, rules: str
) -> list[Search]:
    """Return a search of each of these folders with records; none without terms.

    `rules` is the text of the workspace's rules.
    """
    terms = _record_terms(request, rules)
    if not terms:
        return []
    return [Search(root, terms) for root in roots]


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
    root: str, topic_words: Sequence[str], record_folders: Sequence[str]
) -> list[Search]:
    """Return the search of the documents below a folder; none without words.

    `topic_words` are those of the request, and those by which the workspace's rules describe
    the records that it names. `record_folders` are the folders of records.
    """
    beginnings = sorted({beginning_of(word) for word in topic_words})
    if not beginnings:
        return []
    return [Search(root, [*beginnings, *record_folders])]
