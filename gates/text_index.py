"""Looks up tokens in a text, in any form: `fa-19` in `FA 19`, `1,199` in `1199.00`.

A token is a word, number, id or path in the form of `fold_text`. Its parts are the runs
of letters and digits in it: `fa-19` has the parts `fa` and `19`.
"""

from __future__ import annotations

from dataclasses import dataclass
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

SHORT_WORD_LETTERS: Final = 2
"""Words of at most this length, such as `of`, are in almost any text.

A text with `of` alone does not match `list-of-names`, but one with `names` does.
"""
CACHED_INDEXES: Final = 32
"""Few indexes are cached, because each takes many times the memory of its text."""


@dataclass(frozen=True)
class WordForms:
    """Finds words in any inflected form."""

    words: frozenset[str]
    """The words of a text."""

    @cached_property
    def stems(self) -> frozenset[str]:
        """The beginnings of the words that their inflected forms share."""
        return frozenset(map(stem, self.words))

    def has(self, part: str, *, is_whole: bool) -> bool:
        """Return True if one of the words is a part of a token, or an inflected form of the part.

        `is_whole` is True if the part is the whole token. Short parts of a compound do not count,
        because almost any text has them: `of` in `list-of-names`.

        part `19`      -> only `19` itself
        part `of`      -> nothing, if it is a part of a compound
        part `list`    -> `list`, and `lists` if it is the whole token
        part `reports` -> also `report`, `reporting`, because it has more than `STEM_LETTERS`
        """
        is_word = part.isalpha()
        is_short_word = is_word and len(part) <= SHORT_WORD_LETTERS
        if not is_short_word and part in self.words:
            return True
        may_be_inflected = is_word and (is_whole or len(part) > STEM_LETTERS)
        return may_be_inflected and stem(part) in self.stems


class TextIndex:
    """The words and numbers of one text, for looking up tokens in the form of `fold_text`: `fa-19`.

    `index_of` creates and caches it.
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
    def _forms(self) -> WordForms:
        return WordForms(self.words)

    def holds(self, token: str) -> bool:
        """Return True if the text has a folded token in any form.

        `fa-19` is in `FA 19`, `reports` in `reported`, and `1,199` in `1199.00`. One
        part of a compound is enough: `name-list` is in `list of names`.
        """
        parts = parts_of(token)
        if self._has_in_a_row(parts):
            return True
        for part in parts:
            if self._forms.has(part, is_whole=part == token):
                return True
        return not token.isalpha() and self._has_number_of(token)

    def _has_number_of(self, token: str) -> bool:
        """Return True if the text has a number of a token in any format: `1,199` as `1199.00`."""
        for number in numbers_of(token):
            is_digit = len(number) == 1  # a single digit is in almost any text
            if not is_digit and number_key(number) in self.numbers:
                return True
        return False

    def repeats(self, token: str) -> bool:
        """Return True if the text has the parts of a folded token in the same order.

        `fa-19` is in `FA 19` and `FA19`. Unlike with `holds`, it is not in `19 FA`, and
        `reports` is not in `reported`.
        """
        parts = parts_of(token)
        return self._has_in_a_row(parts) or "".join(parts) in self.words

    def _has_in_a_row(self, parts: list[str]) -> bool:
        """Return True if all parts are words of the text that directly follow one another."""
        if not parts or not self.words.issuperset(parts):
            return False
        return self._neighbours.issuperset(pairwise(parts))


@lru_cache(maxsize=CACHED_INDEXES)
def index_of(text: str) -> TextIndex:
    """Return the index of a text. It is cached for further look-ups in the same text."""
    return TextIndex(text)
