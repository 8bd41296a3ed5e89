"""Escapes text that imitates the marks of the first message.

The first message shows each document in a section, `<section title="...">` to `</section>`, and ends
with the request in `<instruction>`. A document could end its section with such a mark and go on as
if it were the request. So every mark in a shown text is escaped, in whatever letters it is written.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Final

import re2

MARK_NAMES: Final = ("section", "instruction")
"""The names of the marks that the first message sets."""
_OPENING_SIGN: Final = re2.compile("[<＜﹤‹〈⟨❮˂ᐸ≮]")
"""A less-than sign, and characters that look like one."""
_CLOSING_LOOKALIKES: Final = "ᐸᐳ"
"""Look-alikes of the signs that Unicode calls letters, so that a name would seem to go on."""
_UNSEEN_CATEGORIES: Final = frozenset({"Cc", "Cf", "Me", "Mn"})
"""Unicode categories of characters that a reader does not see: controls, formats, marks on a letter."""
_UNSEEN_LETTERS: Final = "\u115f\u1160"
"""Hangul fillers: letters without a shape."""


def without_marks(text: str, names: Sequence[str] = MARK_NAMES) -> str:
    """Return a text whose imitated marks begin with `&lt;`: `</section>` -> `&lt;/section>`."""
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
    """Say whether the name of a mark begins at a position of a text.

    Letters of any width, style and case count, such as `＜ＳＥＣＴＩＯＮ`; unseen characters within
    the name do not, nor do blanks and slashes before it.
    """
    name = ""
    for position in range(start, len(text)):
        for char in unicodedata.normalize("NFKD", text[position]).casefold():
            if _is_unseen(char):
                continue
            is_before_name = not name and (char.isspace() or char in "/\\")
            if not is_before_name:
                name += char
        if name in names:
            next_char = text[position + 1 : position + 2]
            goes_on = next_char.isalnum() or next_char == "_"
            return next_char in _CLOSING_LOOKALIKES or not goes_on
        if not any(mark_name.startswith(name) for mark_name in names):
            return False
    return False


def _is_unseen(char: str) -> bool:
    if char in _UNSEEN_LETTERS:
        return True
    return unicodedata.category(char) in _UNSEEN_CATEGORIES and not char.isspace()
