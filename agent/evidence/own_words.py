"""The words that a trial's script gave to calls that may change something, before any call had shown them.

A tool may store words that it is given, join them, and print them later at any path: they are still the script's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from gates.evidence import SeenText
from gates.terms import NUMBER, fold_text, number_key, parts_of

MAX_OWN_WORDS: Final = 50_000
"""Max own words of one trial that are kept; once there are more, every later text counts as own."""
MAX_SHOWN_CHARS: Final = 4_000_000
"""Max characters of texts whose words count as shown."""
_END_CHARS: Final = 100


class OwnWords:
    """The own words of one trial: runs of letters and digits, and numbers in any format."""

    def __init__(self) -> None:
        self._own: set[str] = set()
        self._shown: set[str] = set()
        self._taken = 0
        self._room = MAX_SHOWN_CHARS
        self._end = ""
        """The word with which the latest text ended: a tool may join the next text to it."""

    def give(self, given: Iterable[str], seen: Sequence[SeenText]) -> None:
        """Take the texts that a call is given after `seen` was seen."""
        for text in seen[self._taken :]:
            if text.is_proof and self._room > 0:
                self._room -= len(text.text)
                self._shown |= _words_of(fold_text(text.text)) - _words_of(fold_text(text.echoed))
        self._taken = len(seen)
        for folded in map(fold_text, given):
            joined = parts_of(self._end + folded)
            if not self._are_too_many:
                self._own |= {*_words_of(folded), *joined[:1]} - self._shown
            self._end = joined[-1][-_END_CHARS:] if joined and folded[-1:].isalnum() else ""

    def within(self, text: str) -> tuple[str, bool]:
        """Return the own words of a text, and whether all of its words are own; with too many own words all are."""
        if not self._own or self._are_too_many:
            return (text, True) if self._own else ("", False)
        folded = fold_text(text)
        words = set(parts_of(folded))
        numbers = (number for number in NUMBER.findall(folded) if _key(number) in self._own)
        return "\n".join(sorted({*self._own & words, *numbers})), set() < words <= self._own

    @property
    def _are_too_many(self) -> bool:
        return len(self._own) > MAX_OWN_WORDS


def _words_of(folded: str) -> set[str]:
    return {*parts_of(folded), *map(_key, NUMBER.findall(folded))}


def _key(number: str) -> str:
    return f"#{number_key(number)}"
