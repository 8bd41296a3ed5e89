"""Escapes text that imitates the marks of the first message.

The first message shows each document between `<section title="...">` and `</section>`,
and ends with the request in `<instruction>`. A document could contain such a mark, and
so pretend to be the request. Therefore every mark in a shown text is escaped, even if
it is written in look-alike letters.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Final

import re2

MARK_NAMES: Final = ("section", "instruction")
"""The names of the marks that the first message uses."""
_OPENING_SIGN: Final = re2.compile("[<＜﹤‹〈⟨❮˂ᐸ≮]")
"""A less-than sign, and characters that look like one."""
_CLOSING_LOOKALIKES: Final = "ᐸᐳ"
"""Look-alikes of `<` and `>` that Unicode counts as letters. They still end a mark's name."""
_UNSEEN_CATEGORIES: Final = frozenset({"Cc", "Cf", "Me", "Mn"})
"""Unicode categories of characters that are hard to see: controls, formats and combining marks."""
_UNSEEN_LETTERS: Final = "\u115f\u1160"
"""Hangul fillers: letters without a shape."""


def without_marks(text: str, names: Sequence[str] = MARK_NAMES) -> str:
    """Return a text with its imitated marks escaped: `</section>` -> `&lt;/section>`."""
    parts = []
    copied_to = 0
    for sign in _OPENING_SIGN.finditer(text):
        if _has_mark_name(text, sign.end(), names):
            parts.append(text[copied_to : sign.start()])
            parts.append("&lt;")
            copied_to = sign.end()
    parts.append(text[copied_to:])
    return "".join(parts)


def _has_mark_name(text: str, start: int, names: Sequence[str]) -> bool:
    """Return True if the name of a mark, such as `section`, begins at a position of a text.

        section>, /section>, section title="x">, / ＳＥＣＴＩＯＮ >  -> True
        sections>, h1>                                      -> False

    Letters of any width, style and case match. Ignored are invisible characters in the
    name, and blanks and slashes before it.
    """
    name = ""
    for position in range(start, len(text)):
        # NFKD gives plain letters: `Ｓ` -> `S`. One character may give several: `ﬆ` -> `st`.
        for char in unicodedata.normalize("NFKD", text[position]).casefold():
            if _is_unseen(char):
                continue
            is_before_name = not name and (char.isspace() or char in "/\\")
            if not is_before_name:
                name += char
        # The name is complete, or may still become one, or is another.
        if name in names:
            next_char = text[position + 1 : position + 2]
            return not _continues_name(next_char)
        if not any(mark_name.startswith(name) for mark_name in names):
            return False
    return False


def _continues_name(char: str) -> bool:
    """Return True if the character after a name makes it longer, as in `sections`.

    It is empty at the end of the text.
    """
    if not char or char in _CLOSING_LOOKALIKES:
        return False
    return char.isalnum() or char == "_"


def _is_unseen(char: str) -> bool:
    """Return True if a character is hard to see. Blanks are not among them."""
    if char in _UNSEEN_LETTERS:
        return True
    return unicodedata.category(char) in _UNSEEN_CATEGORIES and not char.isspace()
