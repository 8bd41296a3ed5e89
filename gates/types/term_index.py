"""The words of one text, looked up by the index terms that a reason or a rule asks for.

The first terms are searched for in the text; only one that is asked many is split into its words.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property, lru_cache
from itertools import product
from operator import itemgetter
from typing import Final

from gates.types.terms import NO_MARK, NUMBER, PART, STEM_LETTERS, TOKEN, fold_text, parts_of

_BEGINNING: Final = itemgetter(slice(STEM_LETTERS))
_GOES_ON: Final = re.compile(r"[-_.@:/']?[^\W_]")
"""What makes a word or compound longer where it stands beside it."""
_SEVERAL_MARKS: Final = re.compile(f"[{re.escape(''.join(map(chr, NO_MARK)))}]{{2,}}")
_ZERO: Final = re.compile(r"0(?<!\d0)0*(?!\d)")
_FEW: Final = 16
"""How many terms are searched for: for more, it takes less time to split the text."""
_TRIES: Final = 8
"""At how many places a term is looked at that may be a part of something longer there."""


class TermIndex:
    """The index of one text; `gates.types.terms.lookup_terms` says which terms a word of a reason asks for."""

    def __init__(self, text: str) -> None:
        self._folded = fold_text(text)
        self._searches_left = _FEW

    def holds(self, term: str) -> bool:
        """Say whether the text holds a term: a word, a whole compound, a stem (`stock*`) or a number (`#1199`)."""
        if term.startswith("#"):
            return self._holds_number(term[1:])
        if term.endswith("*"):
            return self._holds_stem(term[:-1])
        return self._holds_word(term) if term.isalnum() else self._holds_compound(term)

    def holds_any(self, terms: frozenset[str]) -> bool:
        """Say whether the text holds any of some terms."""
        if len(terms) <= _FEW:
            return any(map(self.holds, terms))
        self._searches_left = 0
        marked = {term for term in terms if term.endswith("*")}
        words = {term for term in terms if term.isalnum()}
        stems = frozenset(term[:-1] for term in marked)
        return (
            not terms.isdisjoint(self._parts)
            or (self._may_hold_stems(stems) and any(map(self._holds_stem, stems)))
            or any(map(self.holds, terms - marked - words))
        )

    def held_words(self, words: frozenset[str]) -> frozenset[str]:
        """Return which of some words, all of letters and digits, the text holds."""
        return frozenset(filter(self._holds_word, words)) if len(words) <= _FEW else words & self._words

    def _may_hold_stems(self, stems: frozenset[str]) -> bool:
        """Say whether any word begins as one of some stems does."""
        beginnings = stems | {each + "s" for each in stems}
        return not beginnings.isdisjoint(map(_BEGINNING, self._parts))

    @cached_property
    def _parts(self) -> list[str]:
        return parts_of(self._folded)

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(self._parts)

    @cached_property
    def _beginnings(self) -> frozenset[str]:
        """The first letters of all words of letters, as many as a stem has."""
        return frozenset(map(_BEGINNING, filter(str.isalpha, self._words)))

    @cached_property
    def _longer_beginnings(self) -> frozenset[str]:
        """The first letters of all words of letters that are longer than a stem."""
        return frozenset(_BEGINNING(each) for each in self._words if len(each) > STEM_LETTERS and each.isalpha())

    def _searched(self, term: str, text: str, is_held_at: Callable[[int], bool]) -> bool | None:
        """Say whether a text holds a term at one of the first places where it may; None if that leaves it open."""
        self._searches_left -= 1
        if self._searches_left < 0:
            return None
        places = _first_places(term, text)
        if any(map(is_held_at, places)):
            return True
        return None if len(places) == _TRIES else False

    def _part_at(self, start: int) -> str:
        """Return the word that begins at a place, or an empty string if one only goes on there."""
        if start and self._folded[start - 1].isalnum():
            return ""
        found = PART.match(self._folded, start)
        return found[0] if found else ""

    def _holds_word(self, word: str) -> bool:
        is_held = self._searched(word, self._folded, lambda place: self._part_at(place) == word)
        return word in self._words if is_held is None else is_held

    def _holds_stem(self, letters: str) -> bool:
        """Say whether the text holds a word of this stem, as `gates.types.terms.stem` makes them."""
        if not letters.isalpha():
            return False
        is_held = self._searched(letters, self._folded, lambda place: _has_stem(self._part_at(place), letters))
        if is_held is not None:
            return is_held
        if len(letters) < STEM_LETTERS and letters + "s" in self._words and len(letters) > 2:
            return True
        if letters not in self._beginnings:
            return False
        return not _is_plural(letters) or letters in self._longer_beginnings

    def _holds_compound(self, term: str) -> bool:
        if not TOKEN.fullmatch(term):
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
        """The text without what may group the digits of a number: its numbers are the longest rows of digits."""
        marks = [each for each in map(chr, NO_MARK) if each in self._folded]
        has_several = any(one + other in self._folded for one, other in product(marks, repeat=2))
        text = _SEVERAL_MARKS.sub(" ", self._folded) if has_several else self._folded
        return text.translate(NO_MARK)

    @cached_property
    def _numbers(self) -> frozenset[str]:
        found = "\n".join(set(NUMBER.findall(self._folded))).translate(NO_MARK)
        return frozenset(digits.strip("0") for digits in found.split("\n"))

    def _holds_number(self, digits: str) -> bool:
        """Say whether the text holds a number with these digits, zeros at either end apart."""
        if not digits:
            return _ZERO.search(self._digits) is not None
        if not digits.isdecimal() or digits.strip("0") != digits:
            return False
        is_held = self._searched(digits, self._digits, lambda place: self._is_number(place, place + len(digits)))
        return digits in self._numbers if is_held is None else is_held

    def _is_number(self, start: int, end: int) -> bool:
        """Say whether nothing but zeros makes the digits between two places a longer number."""
        before, behind = self._digits[:start].rstrip("0")[-1:], self._digits[end:].lstrip("0")[:1]
        return not (before.isdecimal() or behind.isdecimal())


def _first_places(term: str, text: str) -> list[int]:
    places: list[int] = []
    start = text.find(term)
    while start >= 0 and len(places) < _TRIES:
        places.append(start)
        start = text.find(term, start + 1)
    return places


def _has_stem(word: str, letters: str) -> bool:
    """Say whether a word, or an empty string for none, has the stem of these letters."""
    if len(letters) < STEM_LETTERS:
        return (word == letters + "s" and len(letters) > 2) or (word == letters and not _is_plural(letters))
    is_long = len(word) > STEM_LETTERS or not _is_plural(letters)
    return is_long and word[:STEM_LETTERS] == letters and word.isalpha()


def _is_plural(letters: str) -> bool:
    """Say whether a word of these letters would have another stem."""
    return letters.endswith("s") and len(letters) > 3


@lru_cache(maxsize=64)
def index_of(text: str) -> TermIndex:
    """Return the index of a text that was seen. Few are kept: one may take thirty times what its text does."""
    return TermIndex(text)
