"""Compares words and numbers of texts regardless of case, accents, inflection and number format.

`fold_text` brings a text into the form that is compared: `Café` -> `cafe`.
A token is a word, number, id or path of a text; its parts are the runs of letters
and digits in it: `fa-19` has the parts `fa` and `19`. A `TextIndex` finds a token
in a text, even in another form.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Final

import re2

STEM_LETTERS: Final = 5
"""Letters that the inflected forms of a word usually share: `repor` of report and reported."""
SHORT_WORD_LETTERS: Final = 2
"""Words of at most this length, such as `of`, are in almost any text.

A text with `of` alone does not match `list-of-names`, but one with `names` does.
"""
CACHED_INDEXES: Final = 32
"""Few indexes are cached, because each takes many times the memory of its text."""

_TOKEN: Final = re2.compile(r"[\pL\pN]+(?:[-_.@:/'][\pL\pN]+)*")
"""A word, number, id or path: `FA-1934-02`, `docs/rules.md`, `don't`.

`\\pL` are the letters of all scripts, `\\pN` their digits and numerals.
"""
_NUMBER_MARKS: Final = ".,'\u00a0\u202f"
"""Marks between the digits of a number, including the two blanks that do not break a line."""
_WITHOUT_NUMBER_MARKS: Final = dict.fromkeys(map(ord, _NUMBER_MARKS))
"""For `str.translate`, which drops a character that is mapped to None."""
_NUMBER: Final = re2.compile(r"\p{Nd}+(?:[.,'\x{a0}\x{202f}]\p{Nd}+)*")
"""Digits with single marks between them: `1,199.00`. `\\p{Nd}` are the digits of all scripts."""

_BOILERPLATE_WORDS: Final = """
    a an the this that these those and or of to in on at by for from with as is are was were be been it its
    into has have had do does did not yes no any all each every which what who whose where when why how can may
    must shall should will would because so than then them they their there here we our us my me you your i he
    she his her if but also only just very more most such same other both either about over under per via
    relevant related useful needed necessary required important appropriate correct valid proper document
    documents doc docs file files record records data reference references ref refs citation citations cite
    cited cites source sources evidence proof support supports supporting supported ground grounds grounding
    grounded justify justifies justification based reason reasons information info content contents detail
    details read reads reading used use uses using checked check checks verify verified verifies verification
    confirm confirms confirmed confirming confirmation consulted reviewed review look looked found find finds
    shows show showing shown contains contain containing says say states state stated answer answers answered
    task tasks question request requested result results final see seen here's needs need make makes made get
    gets got give gives given thing things
"""
BOILERPLATE: Final = frozenset(_BOILERPLATE_WORDS.split())
"""English words that fit any reason and identify nothing."""


# Tables for `str.translate`, which replaces each character by the text that it finds under
# the character's code point. There are too many characters to list, so each table starts
# empty, and `dict` calls `__missing__` for a code point that is not in it yet.


class _SetApart(dict[int, str]):
    """A table that puts a caret before raised digits and fractions: `5²` -> `5^²`.

    `²` is folded into `2` afterwards. The caret keeps `5²` from becoming the number 52.
    A lone surrogate, which UTF-8 cannot encode, becomes a question mark.
    """

    def __missing__(self, code: int) -> str:
        character = chr(code)
        match unicodedata.category(character):
            case "No":  # raised, lowered and circled digits, and fractions
                replacement = f"^{character}"
            case "Cs":  # surrogates
                replacement = "?"
            case _:
                replacement = character
        self[code] = replacement
        return replacement


class _WithoutAccents(dict[int, str | None]):
    """A table that drops accents from a text in which they follow their letters: `e´` -> `e`."""

    def __missing__(self, code: int) -> str | None:
        character = chr(code)
        self[code] = None if unicodedata.combining(character) else character
        return self[code]


class _BlanksBetweenWords(dict[int, str]):
    """A table that replaces every character except letters and digits by a blank."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        self[code] = character if character.isalnum() else " "
        return self[code]


_SET_APART: Final = _SetApart()
_WITHOUT_ACCENTS: Final = _WithoutAccents()
_BLANKS_BETWEEN_WORDS: Final = _BlanksBetweenWords()


# Forms of a text


def fold_text(text: str) -> str:
    """Return a text in lower case and without accents: `Café 5²` -> `cafe 5^2`."""
    if text.isascii():
        return text.lower()
    # NFKD puts each accent behind its letter, and makes `2` of `²`.
    decomposed = unicodedata.normalize("NFKD", text.translate(_SET_APART))
    # `casefold` may compose characters again, so they are decomposed a second time.
    folded = unicodedata.normalize("NFKD", decomposed.casefold())
    return folded.translate(_WITHOUT_ACCENTS)


def bare_text(text: str) -> str:
    """Return a folded text without blanks, the form in which quotations are compared.

    `It’s  Done` -> `it'sdone`
    """
    return "".join(fold_text(text).replace("’", "'").split())


def parts_of(folded_text: str) -> list[str]:
    """Return the runs of letters and digits: `fa-19 of may` -> `fa`, `19`, `of`, `may`."""
    return folded_text.translate(_BLANKS_BETWEEN_WORDS).split()


def tokens_of(text: str) -> tuple[str, ...]:
    """Return the folded words, numbers, ids and paths: `FA-19 of May` -> `fa-19`, `of`, `may`."""
    return tuple(_TOKEN.findall(fold_text(text)))


def numbers_of(text: str) -> Iterator[str]:
    """Yield the numbers of a text as they are written: `1,199.00 EUR for 3` -> `1,199.00`, `3`.

    Two marks in a row end a number: `10..20` is 10 and 20.
    """
    yield from _NUMBER.findall(text)


def number_key(number: str) -> str:
    """Return a key that is the same for all formats of a number.

    It has the digits without zeros at the ends: `1199` for `1,199.00`, for `1199`, and for
    `119900` (cents). `11.99` has it, too, because a mark may group digits or begin decimals.
    """
    return number.translate(_WITHOUT_NUMBER_MARKS).strip("0")


def stem(word: str) -> str:
    """Return the start of a folded word that its inflected forms share: `reports` -> `repor`."""
    if len(word) > STEM_LETTERS:
        return word[:STEM_LETTERS]
    is_plural = len(word) > 3 and word.endswith("s")
    if is_plural:
        return word[:-1]
    return word


def is_boilerplate(token: str) -> bool:
    """Return True if a token identifies nothing: an everyday word or a single letter."""
    is_letter = len(token) == 1 and token.isalpha()
    return is_letter or token in BOILERPLATE


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
    def _stems(self) -> frozenset[str]:
        return frozenset(map(stem, self.words))

    def holds(self, token: str) -> bool:
        """Return True if the text has a folded token in any form.

        `fa-19` is in `FA 19`, `reports` in `reported`, and `1,199` in `1199.00`. One
        part of a compound is enough: `name-list` is in `list of names`.
        """
        # 1. Look up all parts of the token in a row, or else any of them.
        parts = parts_of(token)
        if self._has_in_a_row(parts):
            return True
        for part in parts:
            if self._has_part(part, is_whole=part == token):
                return True

        # 2. Look up one of its numbers in another format: `1,199` as `1199.00`.
        if token.isalpha():
            return False
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

    def _has_part(self, part: str, *, is_whole: bool) -> bool:
        """Return True if the text has a part of a token, or an inflected form of the part.

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
        return may_be_inflected and stem(part) in self._stems


@lru_cache(maxsize=CACHED_INDEXES)
def index_of(text: str) -> TextIndex:
    """Return the index of a text. It is cached for further look-ups in the same text."""
    return TextIndex(text)
