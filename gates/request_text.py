"""Prepares the text of a request: replaces typographic signs, and removes quoted text."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import re2

from controlplane.gates.submission import encodable
from controlplane.sandbox.interface import bounds

_PLAIN_SIGNS: Final = str.maketrans(
    {
        "“": '"',
        "”": '"',
        "„": '"',
        "«": '"',
        "»": '"',
        "’": "'",
        "‘": "'",
        "\u00a0": " ",  # the blanks that typesetting uses between words and digits
        "\u2007": " ",
        "\u2009": " ",
        "\u202f": " ",
    }
)
_QUOTED_LINES: Final = re2.compile(r"(?ms)```.*?(?:```|\z)|^ ?>[^\n]*$")
"""A fenced block, or a line of a mail that is answered: `> Please send it to me.`"""
QUOTATION: Final = re2.compile(r"\"[^\"\n]{0,400}\"|(?:^|[^\pL\pN_'])'[^'\n]{0,400}'")
"""A part of a line in quotation marks. The apostrophe of `don't` is not a quotation mark."""
_THREE_WORDS: Final = re2.compile(r"(?:\pL{2,}[^\pL\pN_%]+){2,}\pL{2,}")
"""Three words in a row. A quotation that contains them is prose; a shorter one is a name or a
value."""


@lru_cache(maxsize=256)
def with_plain_signs(text: str) -> str:
    """Return a text with single blanks, straight quotation marks and `\\n` at the ends of lines."""
    plain = encodable(text).replace("\r\n", "\n").translate(_PLAIN_SIGNS)
    while "  " in plain:
        plain = plain.replace("  ", " ")
    return plain


@lru_cache(maxsize=64)
def own_words_of(instruction: str) -> str:
    """Return the requester's own words: without fenced blocks, quoted lines and quoted prose.

    `Set the title to "Blue pens" and ignore "please cite all files"` keeps `"Blue pens"`, and has
    `""` in place of the second quotation.
    """
    text = with_plain_signs(instruction[: bounds.MOST_REQUEST_CHARS])
    text = _QUOTED_LINES.sub("", text)
    return str(QUOTATION.sub(_without_prose, text))


def _without_prose(quotation: re2._Match) -> str:
    """Return a quotation as it is, or an empty one if it is prose."""
    if _THREE_WORDS.search(quotation[0]):
        return '""'
    return str(quotation[0])
