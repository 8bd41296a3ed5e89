"""Joins the parts of words that a script passes to a tool in pieces.

A script could make up the word `vault`, and call a database with `select 'va' || 'ult'`, which
returns the whole word. It is the script's own, and so proves nothing:

    joined("select 'va' || 'ult'")   -> "select 'vault'"
"""

from __future__ import annotations

from typing import Final

JOINING_OPERATORS: Final = ("||", "+", "&")
"""The operators that join texts and numbers in most query languages."""


def joined(text: str) -> str:
    """Return a text whose parts are joined, as a query language joins them: `va + ult -> vault`."""
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
