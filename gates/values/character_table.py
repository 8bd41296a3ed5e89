"""Replaces each character of a text by a rule, as fast as `str.translate`.

    def without_vowels(character: str) -> str | None:
        return None if character in "aeiou" else character

    WITHOUT_VOWELS = CharacterTable(without_vowels)
    "Loan of May".translate(WITHOUT_VOWELS)     # "Ln f My"

The rule is asked once for each character that occurs. Unicode has too many characters to
list them all beforehand.
"""

from __future__ import annotations

from collections.abc import Callable


class CharacterTable(dict[int, str | None]):
    """A table for `str.translate`: the replacement of each character, by its code point.

    It starts empty. If `translate` looks up a character for the first time, `dict` calls
    `__missing__`, which asks the rule and keeps its reply.
    """

    def __init__(self, replacement_of: Callable[[str], str | None]) -> None:
        """Take the rule, which returns the replacement of a character; None drops it."""
        super().__init__()
        self._replacement_of = replacement_of

    def __missing__(self, code_point: int) -> str | None:
        """Return the replacement of a character, and keep it for the next time."""
        replacement = self._replacement_of(chr(code_point))
        self[code_point] = replacement
        return replacement
