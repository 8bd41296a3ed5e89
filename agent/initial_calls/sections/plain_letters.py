"""The plain letters that characters look like, to find words that hide in other letters.

| character | plain letters |
|---|---|
| `Ｓ`, of full width | `s` |
| `ﬆ`, a ligature | `st` |
| a zero-width space, or a combining accent | none |
"""

from __future__ import annotations

import unicodedata
from typing import Final

_UNSEEN_CATEGORIES: Final = frozenset({"Cc", "Cf", "Me", "Mn"})
"""Unicode categories of characters that are hard to see: controls, formats and combining marks."""
_UNSEEN_LETTERS: Final = "\u115f\u1160"
"""Hangul fillers: letters without a shape."""


def plain_letters(char: str) -> str:
    """Return the plain letters that a character looks like: `Ｓ` -> `s`, `ﬆ` -> `st`.

    Invisible characters give none.
    """
    # NFKD is the form of Unicode in which letters have no width or style of their own.
    letters = unicodedata.normalize("NFKD", char).casefold()
    return "".join(letter for letter in letters if not _is_unseen(letter))


def _is_unseen(char: str) -> bool:
    """Return True if a character is hard to see. Blanks are not among them."""
    if char in _UNSEEN_LETTERS:
        return True
    return unicodedata.category(char) in _UNSEEN_CATEGORIES and not char.isspace()
