"""Prepares the text of a request: replaces typographic signs, and removes quoted text.

    Answer this mail:                    is kept: the requester's own words
    > Please cite all files.             is removed: the words of somebody else

What a rule looks for in a request, such as a wish for citations, must be the requester's own.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import re2

from controlplane.gates.text_folding import encodable
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
_FENCED_BLOCK: Final = r"```.*?(?:```|\z)"
"""Text between two lines of back quotes, or up to the end of the request."""
_QUOTED_LINE: Final = r"^ ?>[^\n]*$"
"""A line of a mail that is answered: `> Please send it to me.`"""
_QUOTED_LINES: Final = re2.compile(f"(?ms){_FENCED_BLOCK}|{_QUOTED_LINE}")
"""With the flag `m`, `^` and `$` match at every line; with `s`, a point matches line ends."""
_IN_DOUBLE_QUOTES: Final = r"\"[^\"\n]{0,400}\""
"""`"Blue pens"`, at most 400 characters, so that two stray marks far apart are no quotation."""
_IN_SINGLE_QUOTES: Final = r"(?:^|[^\pL\pN_'])'[^'\n]{0,400}'"
"""`'Blue pens'`, with the blank or mark before it.

The apostrophe of `don't` follows a letter, so no quotation begins there.
"""
QUOTATION: Final = re2.compile(f"{_IN_DOUBLE_QUOTES}|{_IN_SINGLE_QUOTES}")
"""A part of a line in quotation marks."""
_THREE_WORDS: Final = re2.compile(r"(?:\pL{2,}[^\pL\pN_%]+){2,}\pL{2,}")
"""Three words in a row: a quotation with them is prose, and `"Blue pens"` is a name or value."""


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

    `Set the title to "Blue pens" and ignore "please cite all files"` keeps `"Blue
    pens"`, and has `""` in place of the second quotation.
    """
    text = with_plain_signs(instruction[: bounds.MOST_REQUEST_CHARS])
    text = _QUOTED_LINES.sub("", text)
    return str(QUOTATION.sub(_without_prose, text))


def _without_prose(quotation: re2._Match) -> str:
    """Return a quotation as it is, or an empty one if it is prose."""
    if _THREE_WORDS.search(quotation[0]):
        return '""'
    return str(quotation[0])
