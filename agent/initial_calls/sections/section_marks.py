"""Escapes text that imitates the marks of the first message.

The first message shows each document between `<section title="...">` and `</section>`,
and ends with the request in `<instruction>`. A document could contain such a mark, and
so pretend to be the request. Therefore every mark in a shown text is escaped, even if
it is written in look-alike letters.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import re2

from controlplane.agent.initial_calls.sections.plain_letters import plain_letters

MARK_NAMES: Final = ("section", "instruction")
"""The names of the marks that the first message uses."""
_OPENING_SIGN: Final = re2.compile("[<＜﹤‹〈⟨❮˂ᐸ≮]")
"""A less-than sign, and characters that look like one."""
_CLOSING_LOOKALIKES: Final = "ᐸᐳ"
"""Look-alikes of `<` and `>` that Unicode counts as letters. They still end a mark's name."""


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
    """Return True if a mark's name, such as `section`, begins at a position of a text.

        section>, /section>, section title="x">, / ＳＥＣＴＩＯＮ >  -> True
        sections>, h1>                                      -> False

    The name is read letter by letter, until it is a mark's name or cannot become one.
    """
    letters = ""
    for position in range(start, len(text)):
        letters += plain_letters(text[position])
        while letters and (letters[0].isspace() or letters[0] in "/\\"):
            letters = letters[1:]  # Blanks and slashes may stand before the name.
        if letters in names:
            next_char = text[position + 1 : position + 2]
            return not _continues_name(next_char)
        may_become_name = any(name.startswith(letters) for name in names)
        if not may_become_name:
            return False
    return False


def _continues_name(char: str) -> bool:
    """Return True if the character after a name makes it longer, as in `sections`.

    It is empty at the end of the text.
    """
    if not char or char in _CLOSING_LOOKALIKES:
        return False
    return char.isalnum() or char == "_"
