"""Makes the patterns of searches, which RE2 and Python's `re` read alike: no look-around, no back references, and no
classes such as `\\w` or `\\b`, which mean ASCII to one engine and Unicode to the other.

A pattern may match more lines than are meant; `keeps` tells by Python's engine which of them to keep.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from toolkit.text import BARE_LETTERS, TRANSCRIBED_LETTERS

_SIGN: Final = re.compile(r"[\\.+*?()|\[\]{}^$]")
_NO_WORD: Final = "[^0-9A-Za-z]"
_BEFORE: Final = f"(?:^|{_NO_WORD})"
_BEHIND: Final = f"(?:{_NO_WORD}|$)"
_BLANKS: Final = r"[ \t]*"


def literal(text: str) -> str:
    """Return the pattern that matches just this text."""
    return _SIGN.sub(r"\\\g<0>", text)


@dataclass(frozen=True)
class WordSearch:
    """A search for words in a row, in any case, however they are separated and files spell their letters."""

    words: Sequence[str]

    @cached_property
    def _spelt(self) -> list[str]:
        return ["".join(map(_letter_pattern, word)) for word in self.words]

    @property
    def pattern(self) -> str:
        """The pattern to send."""
        in_a_row = f"{_NO_WORD}*".join(self._spelt)
        return f"(?i){_BEFORE}{in_a_row}{_BEHIND}"

    @cached_property
    def _strict(self) -> re.Pattern[str]:
        in_a_row = r"[\W_]*".join(self._spelt)
        return re.compile(rf"(?i)(?<![^\W_]){in_a_row}(?![^\W_])")

    def keeps(self, line: str) -> bool:
        """Say whether a line holds the words, and not only as parts of others."""
        return self._strict.search(line) is not None


def _letter_pattern(letter: str) -> str:
    """Return a letter as files may spell it: beyond ASCII also escaped as in JSON, or without its marks."""
    if letter.isascii():
        return literal(letter)
    cases = [rf"\\u{ord(case):04x}" for case in (letter, letter.upper()) if len(case) == 1]
    bare = unicodedata.normalize("NFKD", letter.translate(BARE_LETTERS))
    plain = "".join(sign for sign in bare if not unicodedata.combining(sign))
    return f"(?:{'|'.join([literal(letter), *cases, literal(plain), letter.translate(TRANSCRIBED_LETTERS)])})"


@dataclass(frozen=True)
class TermSearch:
    """One search for several ids, codes and words, in any case, as texts and values of records, not as their keys.

    A key counts if it is true there, as in `"festival": true`.
    """

    terms: Sequence[str]
    codes: frozenset[str] = frozenset()
    """The terms that count only as a whole value."""

    @property
    def pattern(self) -> str:
        """The pattern to send: one alternation."""
        before, no_word = "(?:^|[^0-9A-Za-z_-])", '[^0-9A-Za-z_"-]'
        behind = rf'(?:{no_word}|"(?:[^:]|$)|":{_BLANKS}true|$)'
        return f"(?i){before}(?:{'|'.join(map(literal, self.terms))}){behind}"

    @cached_property
    def _strict(self) -> re.Pattern[str]:
        terms = "|".join(map(re.escape, sorted(self.terms, key=len, reverse=True)))
        return re.compile(rf'(?i)(?<![\w-])({terms})(?![\w-]|"\s*:(?!\s*true))')

    def terms_in(self, text: str) -> set[str]:
        """Return the terms that a text holds, in lower case."""
        held = {found.casefold() for found in self._strict.findall(text)}
        return {term for term in held if term not in self._codes or f'"{term}"' in text.casefold()}

    @cached_property
    def _codes(self) -> set[str]:
        return {code.casefold() for code in self.codes}


def stems_pattern(stems: Iterable[str]) -> str:
    """Return the pattern of lines with a word that begins with one of these stems, in any case."""
    return f"(?i){_BEFORE}(?:{'|'.join(map(literal, stems))})"


def text_field_pattern(keys: Iterable[str]) -> str:
    """Return the pattern of lines on which one of these keys of a JSON record has a text as its value."""
    return f'"(?:{"|".join(map(literal, keys))})":{_BLANKS}"'


def field_pattern(key: str) -> str:
    """Return the pattern of lines on which this key of a JSON record has a value."""
    return f'"{literal(key)}":'
