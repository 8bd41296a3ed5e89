"""The words of one text, looked up by the index terms that a reason or a rule asks for.

Every kind of word is indexed when it is first asked for, so that a text costs what is asked of it.
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from operator import itemgetter
from typing import Final

from gates.types.terms import NO_MARK, NUMBER, STEM_LETTERS, TOKEN, fold_text, parts_of, words_in

_BEGINNING: Final = itemgetter(slice(STEM_LETTERS))
_GOES_ON: Final = re.compile(r"[-_.@:/']?[^\W_]")
"""What makes a word or compound longer where it stands beside it."""


class TermIndex:
    """The index of one text; `gates.types.terms.lookup_terms` says which terms a word of a reason asks for."""

    def __init__(self, text: str) -> None:
        self._folded = fold_text(text)

    def holds(self, term: str) -> bool:
        """Say whether the text holds a term: a word, a whole compound, a stem (`stock*`) or a number (`#1199`)."""
        if term.startswith("#"):
            return self._holds_number(term[1:])
        if term.endswith("*"):
            return self._holds_stem(term[:-1])
        return term in self._words or (not term.isalnum() and self._holds_compound(term))

    @cached_property
    def _words(self) -> frozenset[str]:
        return words_in(self._folded)

    @cached_property
    def _beginnings(self) -> frozenset[str]:
        """The first letters of all words of letters, as many as a stem has."""
        return frozenset(map(_BEGINNING, filter(str.isalpha, self._words)))

    @cached_property
    def _longer_beginnings(self) -> frozenset[str]:
        """The first letters of all words of letters that are longer than a stem."""
        return frozenset(_BEGINNING(each) for each in self._words if len(each) > STEM_LETTERS and each.isalpha())

    def _holds_stem(self, letters: str) -> bool:
        """Say whether the text holds a word of this stem, as `gates.types.terms.stem` makes them."""
        if not letters.isalpha():
            return False
        if len(letters) < STEM_LETTERS and letters + "s" in self._words and len(letters) > 2:
            return True
        if letters.endswith("s") and len(letters) > 3:  # As a whole word it has another stem.
            return letters in self._longer_beginnings
        return letters in self._beginnings

    def _holds_compound(self, term: str) -> bool:
        if not TOKEN.fullmatch(term) or not self._words.issuperset(parts_of(term)):
            return False
        start = self._folded.find(term)
        while start >= 0 and not self._is_whole(start, start + len(term)):
            start = self._folded.find(term, start + 1)
        return start >= 0

    def _is_whole(self, start: int, end: int) -> bool:
        """Say whether the compound between two places is no part of a longer word or compound."""
        return not (_GOES_ON.match(self._folded, end) or _GOES_ON.match(self._folded[max(start - 2, 0) : start][::-1]))

    @cached_property
    def _digits(self) -> str:
        """The text without what may group the digits of a number."""
        return self._folded.translate(NO_MARK)

    @cached_property
    def _numbers(self) -> frozenset[str]:
        found = "\n".join(set(NUMBER.findall(self._folded))).translate(NO_MARK)
        return frozenset([digits.strip("0") for digits in found.split("\n")] if found else ())

    def _holds_number(self, digits: str) -> bool:
        return digits in self._digits and digits in self._numbers


@lru_cache(maxsize=64)
def index_of(text: str) -> TermIndex:
    """Return the index of a text that was seen. Few are kept: one may take thirty times what its text does."""
    return TermIndex(text)
