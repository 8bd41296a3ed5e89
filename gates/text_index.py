"""Looks up words, numbers, ids and paths in a text, in any form.

    index_of("The FA 19 costs 1199.00").holds("fa-19")     # True
    index_of("The FA 19 costs 1199.00").holds("1,199")     # True

What is looked up is called a token. It is in lower case and without accents (`fold_text`). Its
parts are the runs of letters and digits in it: `fa-19` has the parts `fa` and `19`.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Final

from controlplane.gates.text_folding import (
    STEM_LETTERS,
    fold_text,
    number_key,
    numbers_of,
    parts_of,
    stem,
)

_SHORT_WORD_LETTERS: Final = 2
"""Words of at most this length, such as `of`, are in almost any text.

A text with `of` alone does not match `list-of-names`, but one with `names` does.
"""
_CACHED_INDEXES: Final = 32
"""Few indexes are cached, because each takes many times the memory of its text."""


class TextIndex:
    """The words and numbers of one text, in which tokens are found in any form.

    A token is a word, number, id or path in lower case and without accents: `fa-19`.
    `index_of` creates and caches the index.

    - `holds` finds `fa-19` in `FA 19`, and also `reports` in `reported`.
    - `repeats` finds only `fa-19` in `FA 19`: all parts, in this order, and as they are.
    """

    def __init__(self, text: str) -> None:
        self.folded = fold_text(text)

    @cached_property
    def words(self) -> frozenset[str]:
        """The runs of letters and digits."""
        return frozenset(parts_of(self.folded))

    @cached_property
    def numbers(self) -> frozenset[str]:
        """The keys of the numbers: `1199` for `1,199.00` and for `1199`."""
        return frozenset(map(number_key, numbers_of(self.folded)))

    @cached_property
    def _neighbours(self) -> frozenset[tuple[str, str]]:
        """Each word with the next one."""
        return frozenset(pairwise(parts_of(self.folded)))

    @cached_property
    def _stems(self) -> frozenset[str]:
        """The beginnings of the words, which their inflected forms share: `repor`."""
        return frozenset(map(stem, self.words))

    def holds(self, token: str) -> bool:
        """Return True if the text has a token in any form.

        `fa-19` is in `FA 19`, `reports` in `reported`, and `1,199` in `1199.00`. One
        part of a compound is enough: `name-list` is in `list of names`.
        """
        parts = parts_of(token)
        if self._has_in_a_row(parts):
            return True
        is_single_word = token.isalpha()
        if is_single_word:
            return stem(token) in self._stems
        for part in parts:
            if self._has_part(part):
                return True
        return self._has_number_of(token)

    def _has_part(self, part: str) -> bool:
        """Return True if the text has a part of a compound.

        | compound        | part      | is found as                           |
        | --------------- | --------- | ------------------------------------- |
        | `fa-19`         | `19`      | `19`                                  |
        | `list-of-names` | `of`      | nothing: almost any text has this     |
        | `list-of-names` | `names`   | `names`                               |
        | `tax-reports`   | `reports` | `reports`, `report` or `reported`     |
        """
        is_word = part.isalpha()
        if part in self.words:
            return not is_word or len(part) > _SHORT_WORD_LETTERS
        return is_word and len(part) > STEM_LETTERS and stem(part) in self._stems

    def _has_number_of(self, token: str) -> bool:
        """Return True if the text has a number of a token in any format: `1,199` as `1199.00`."""
        for number in numbers_of(token):
            is_digit = len(number) == 1  # a single digit is in almost any text
            if not is_digit and number_key(number) in self.numbers:
                return True
        return False

    def repeats(self, token: str) -> bool:
        """Return True if the text has all parts of a token as they are, in the same order.

        `fa-19` is in `FA 19` and `FA19`, but not in `19 FA`, and `reports` is not in `reported`.
        """
        parts = parts_of(token)
        return self._has_in_a_row(parts) or "".join(parts) in self.words

    def _has_in_a_row(self, parts: list[str]) -> bool:
        """Return True if all parts are words of the text that directly follow one another."""
        if not parts or not self.words.issuperset(parts):
            return False
        return self._neighbours.issuperset(pairwise(parts))


@lru_cache(maxsize=_CACHED_INDEXES)
def index_of(text: str) -> TextIndex:
    """Return the index of a text. It is cached for further look-ups in the same text."""
    return TextIndex(text)
