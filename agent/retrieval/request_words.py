"""Finds the words of a request by which files are searched.

`Close loan-12 for the late returns` has the id `loan-12`, and the words `close`, `late` and
`returns`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import re2

from controlplane.sandbox.files.text_words import words_of

_ID: Final = re2.compile(r"\pL+[-_]\pN+")
"""Matches the start of an id, letters and a number: `loan-12`, `case_083`."""


def ids_in(text: str) -> list[str]:
    """Return the ids in a text: `close loan-12` -> `loan-12`."""
    return [word for word in words_of(text) if _ID.match(word)]


def request_words(text: str) -> list[str]:
    """Return the words of a request that say something about its subject.

    `Close /records/loans/late_returns.json` -> `close`, `loans`, `late`, `returns`

    Words such as `the` are left out, and the first folder of a path, because most files are
    below it: `/records`.
    """
    words: list[str] = []
    for token in text.split():
        path = token.strip("`'\"()[]{}<>,;:!?.")
        if path.startswith("/"):
            words += _words_of_path(path)
        else:
            words.append(token)
    return words_of(" ".join(words))


def _words_of_path(path: str) -> list[str]:
    """Return the words in a path.

    `/records/loans/late_returns.json` -> `loans`, `late`, `returns`
    """
    _first_folder, _, rest = path.strip("/").partition("/")
    rest = rest.partition(".")[0]
    for separator in "/_-":
        rest = rest.replace(separator, " ")
    return [word for word in rest.split() if word.isalpha()]


def lines_pattern(terms: Iterable[str]) -> str:
    """Return a regular expression for lines with a word that begins with one of the terms.

    `loan`, `b7` -> `(?i)(?:^|[^0-9A-Za-z])(?:loan|b7)`, which matches in "two Loans" and in
    "book B7-2", but not in "upload".
    """
    alternatives = "|".join(re2.escape(term) for term in terms)
    return f"(?i)(?:^|[^0-9A-Za-z])(?:{alternatives})"
