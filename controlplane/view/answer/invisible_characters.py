"""Names the characters that nobody could see in the lines of a diff.

Without a name, a change from `a` to `a` with a zero-width space would look like none at all, and
a user would consent to it unseen.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Final

from controlplane.terminal_text import HIDDEN


def lines_with_visible_differences(lines: Sequence[str]) -> list[str]:
    """Return the lines of a diff with hidden characters made visible.

    If a removed line and an added one differ only in their blanks, they would look
    alike. Then all tabs, and the spaces at the ends of lines, are shown by name.
    """
    plain = [visible_name(line, "\t\n").expandtabs(4) for line in lines]
    some_lines_look_alike = bool(
        _lines_with_sign(plain, "-") & _lines_with_sign(plain, "+")
    )
    if not some_lines_look_alike:
        return plain

    with_named_blanks = []
    for line in lines:
        line = line.replace("\t", "‹TAB›")
        without_end = line.rstrip(" ")
        end_spaces = len(line) - len(without_end)
        line = without_end + "‹SPACE›" * end_spaces
        with_named_blanks.append(visible_name(line, "\n"))
    return with_named_blanks


def _lines_with_sign(lines: Sequence[str], sign: str) -> set[str]:
    """Return the lines with a sign (`+` or `-`), without it, and with one space for all blanks."""
    found = set()
    for line in lines:
        if line.startswith(sign):
            words = line[1:].split()
            found.add(" ".join(words))
    return found


_EMOJI_STYLE: Final = "\N{VARIATION SELECTOR-16}"
"""An invisible character. It is printed elsewhere, as emoji need it. In a diff it is named."""


def visible_name(text: str, kept: str = "") -> str:
    """Return a text in which invisible and control characters are replaced by their names.

    The characters in `kept` are unchanged.
    """
    if text.isascii() and text.isprintable():
        return text
    names = {}
    for character in set(text):
        is_hidden = not character.isprintable() or ord(character) in HIDDEN
        if (is_hidden or character == _EMOJI_STYLE) and character not in kept:
            names[ord(character)] = _character_name(character)
    return text.translate(names)


def _character_name(character: str) -> str:
    if character == "\r":
        return "‹CR›"
    return f"‹U+{ord(character):04X} {unicodedata.name(character, 'CONTROL')}›"
