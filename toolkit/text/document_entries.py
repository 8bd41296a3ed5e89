"""Splits a document into its paragraphs and list entries, whatever sign its lists begin their entries with."""

from __future__ import annotations

import re
from typing import Final

_BREAK: Final = re.compile(r"\n\s*\n|\n(?=[^\S\n]*(?:[-+*•–]\s|#{1,6}\s|\(?(?:\d{1,2}|[a-z])[.)]\s|\*\*\w|__\w|\|))")
"""Where a paragraph ends, or an entry begins: at a sign, a heading, a number, a letter, a name in bold, a table's row.
"""


def entries_of(text: str) -> list[str]:
    """Return the paragraphs and list entries of a document, with single spaces."""
    return [" ".join(each.split()) for each in _BREAK.split(text) if each.strip()]
