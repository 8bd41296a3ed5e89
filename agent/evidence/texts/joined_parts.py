"""Joins the parts of words that a script passes to a tool in pieces.

A script calls a database with `select 'va' || 'ult'`, or passes `['v', 'a', 't']`. The tool may
return `vault` or `vat` as one word. It is the script's own, and so proves nothing.
"""

from __future__ import annotations

from itertools import groupby
from typing import Final

JOINING_OPERATORS: Final = ("||", "+", "&")
"""The operators that join texts and numbers in most query languages."""
LEAST_LETTERS: Final = 3
"""The fewest single letters in a row that may spell a word. Other characters may separate them."""
MOST_GAP_CHARS: Final = 8
"""The most characters between two letters of a spelled word, such as the 4 in `'v', 'a'`."""


def spelled_words(text: str) -> list[str]:
    """Return the words that single letters or digits in a row spell: `['v', 'a', 't'] -> vat`."""
    words: list[str] = []
    letters = ""  # of the word that is spelled at this place
    for is_word, chars in groupby(text, str.isalnum):
        run = "".join(chars)
        if is_word and len(run) == 1:
            letters += run
        elif is_word or len(run) > MOST_GAP_CHARS:
            # A longer word, or a wide gap, ends a spelled word.
            words.append(letters)
            letters = ""
    words.append(letters)
    return [word for word in words if len(word) >= LEAST_LETTERS]


def joined(text: str) -> str:
    """Return a text whose parts are joined, as a query language joins them.

    `'va' || 'ult' -> 'vault'`, `va + ult -> vault`
    """
    for operator in JOINING_OPERATORS:
        text = _joined_at(operator, text)
    return text


def _joined_at(operator: str, text: str) -> str:
    """Return a text without an operator, and without the blanks and quotation marks beside it.

    `'va' || 'ult'` -> `'vault'`
    """
    first, *further_parts = text.split(operator)
    parts = [first]
    for part in further_parts:
        before = parts[-1].rstrip()
        behind = part.lstrip()
        if before.endswith(("'", '"')):
            before = before[:-1]
        if behind.startswith(("'", '"')):
            behind = behind[1:]
        parts[-1] = before
        parts.append(behind)
    return "".join(parts)
