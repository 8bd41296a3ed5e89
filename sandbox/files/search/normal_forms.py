"""The normal form of Unicode (NFKC) of texts and patterns.

The same character can be written in several ways, such as `é` as one character, or as
an `e` followed by an accent. A search in normal forms finds all of them.
"""

from __future__ import annotations

import unicodedata
from typing import Final

import re2

_REPLACED_CHARACTERS: Final = re2.compile(
    r"[\x{a0}\x{202f}"  # blanks at which a line is not broken
    r"\x{300}-\x{36f}\x{3099}\x{309a}"  # accents that are written after their letter
    r"\x{1100}-\x{11ff}"  # parts of Korean syllables
    r"\x{fb00}-\x{fb06}"  # ligatures, such as ﬁ
    r"\x{ff01}-\x{ffee}]"  # letters and signs of full or half width
)
"""Matches characters that the normal form replaces. Few texts have any."""


def normal_text(text: bytes) -> bytes | None:
    """Return a text in its normal form (NFKC); None if it already is in that form."""
    if text.isascii() or not _REPLACED_CHARACTERS.search(text):
        return None
    normal = unicodedata.normalize("NFKC", decoded(text))
    return normal.encode("utf-8", "surrogatepass")


def normal_pattern(pattern: str) -> str:
    """Return a pattern with its letters and digits in normal form: `ｃafé[ａ-ｃ]` -> `café[a-c]`.

    Other characters stay as they are: the normal
    form of a full-width `（` is `(`, which is syntax.
    """
    # 1. NFC makes one character of a letter and its accent. The characters can then be looked at
    #    one by one.
    composed = unicodedata.normalize("NFC", pattern)

    # 2. NFKC also replaces other forms of a character, such as those of full width. Here, only
    #    letters and digits are replaced.
    characters = []
    for character in composed:
        normal = unicodedata.normalize("NFKC", character)
        is_letter_or_digit = not character.isascii() and normal.isalnum()
        characters.append(normal if is_letter_or_digit else character)
    return "".join(characters)


def decoded(text: bytes) -> str:
    """Return the text of bytes in UTF-8. U+FFFD replaces bytes that are not valid UTF-8."""
    try:
        return text.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return text.decode("utf-8", "replace")
