"""The normal form of each character: plain dashes, blanks, digits and quotation signs.

`１` -> `1`, `–` -> `-`, `’` -> `'`, and a zero-width blank is dropped
"""

from __future__ import annotations

import unicodedata
from typing import Final

from controlplane.gates.values.character_table import CharacterTable

HARD_BLANK: Final = "\u00a0"
"""The no-break space, which joins the characters beside it, such as the groups of a number."""
_HARD_BLANKS: Final = "\u00a0\u2007\u2008\u2009\u200a\u202f"
_SIGNS: Final = {
    "\u2212": "-",  # minus
    "\u2043": "-",  # a bullet in the form of a hyphen
    "\u2044": "/",  # the slash of fractions
    "\u2215": "/",  # the sign of division
    "\u2018": "'",  # single quotation marks and apostrophes
    "\u2019": "'",
    "\u02bc": "'",
    "\uff07": "'",
    "\u066b": ".",  # the decimal mark of Arabic
    "\u066c": ",",  # the grouping mark of Arabic
    "\uffe5": "\u00a5",  # the yen sign of full width
}
"""Signs with the plain ones that replace them. Unicode's normal form leaves most as they are."""
_GLYPH_SELECTORS: Final = range(0xFE00, 0xFE0F + 1)
"""Invisible characters that choose the look of the one before them, such as a coloured emoji."""


def _normal_character(character: str) -> str | None:
    """Return the normal form of a character; None if it is dropped.

    The cases are categories of Unicode: `Nd` are the decimal digits of all scripts.
    """
    if character in _SIGNS:
        return _SIGNS[character]
    if ord(character) in _GLYPH_SELECTORS:
        return None
    match unicodedata.category(character):
        case "Nd":  # decimal digits
            return str(unicodedata.digit(character))
        case "Pd":  # dashes
            return "-"
        case "Zs":  # blanks
            return HARD_BLANK if character in _HARD_BLANKS else " "
        case "Cf":  # invisible: zero-width characters, soft hyphens, marks of direction
            return None
        case "No":  # `½`, `²` and `②` stay: with plain digits, `5²` would become 52
            return character
    return unicodedata.normalize("NFKC", character)  # `ａ` -> `a`


NORMAL_CHARACTERS: Final = CharacterTable(_normal_character)
"""The table for `str.translate`: `"１–２".translate(NORMAL_CHARACTERS)` -> `1-2`."""
