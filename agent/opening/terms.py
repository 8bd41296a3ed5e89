"""Searches for the ids, codes and words of a request, in patterns that RE2 and Python's `re` read alike."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

_SIGN: Final = re.compile(r"[\\.+*?()|\[\]{}^$]")
_BLANKS: Final = r"[ \t]*"
_SPACES: Final = re.compile(r"[\s_]+")
_ALIKE: Final = str.maketrans({"o": "0", "i": "1", "l": "1", "s": "5", "b": "8", "z": "2"})


def literal(text: str) -> str:
    """Return the pattern that matches just this text."""
    return _SIGN.sub(r"\\\g<0>", text)


def folded_text(text: str) -> str:
    """Return a text with one character for all that look alike, without blanks and case."""
    return _SPACES.sub("", text).casefold().translate(_ALIKE)


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
    return f"(?i)(?:^|[^0-9A-Za-z])(?:{'|'.join(map(literal, stems))})"
