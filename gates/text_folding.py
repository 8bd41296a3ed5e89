"""Compares words and numbers of texts regardless of case, accents, inflection and number format.

`fold_text` brings a text into the form that is compared: `Café` -> `cafe`. A token is a word,
number, id or path of a text; its parts are the runs of letters and digits in it: `fa-19` has the
parts `fa` and `19`. `index_of` looks up tokens in a text, in any form:

    index_of("The FA 19 costs 1199.00").holds("fa-19")     # True
    index_of("The FA 19 costs 1199.00").holds("1,199")     # True
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Final

import re2

from controlplane.gates.values.normal_text import CharacterTable, with_few_marks

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
    shows show showing shown contains contain containing hold holds holding says say states state stated answer answers answered
    task tasks question request requested result results final see seen here's needs need make makes made get
    gets got give gives given thing things
"""
BOILERPLATE: Final = frozenset(_BOILERPLATE_WORDS.split())
"""English words that fit any reason and identify nothing."""


def is_boilerplate(token: str) -> bool:
    """Return True if a token identifies nothing: an everyday word or a single letter."""
    is_letter = len(token) == 1 and token.isalpha()
    return is_letter or token in BOILERPLATE


_STEM_LETTERS: Final = 5
"""Letters that the inflected forms of a word usually share: `repor` of report and reported."""
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


# Lone surrogates: halves of characters, which UTF-8 and RE2 refuse. A script may make one: `"\\ud83d"` is the
# first half of an emoji.


def encodable(text: str) -> str:
    """Replace each lone surrogate by a question mark, because RE2 cannot read it.

    Keeps the length of the text, so that offsets stay valid.
    """
    if text.isascii():
        return text
    return text.encode("utf-8", "replace").decode("utf-8")


def surrogate_at(text: str) -> int | None:
    """Return the index of the first lone surrogate, which UTF-8 cannot encode, or None."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        return error.start
    return None


# Replacements of single characters


def _raised_digit_apart(character: str) -> str:
    """Return a raised digit or fraction with a caret before it: `²` -> `^²`.

    `²` is folded into `2` afterwards. The caret keeps `5²` from becoming the number 52.
    A lone surrogate, which UTF-8 cannot encode, becomes a question mark.
    """
    match unicodedata.category(character):
        case "No":  # raised, lowered and circled digits, and fractions
            return f"^{character}"
        case "Cs":  # surrogates
            return "?"
    return character


def _without_accent(character: str) -> str | None:
    """Return None for an accent that follows its letter: `e´` becomes `e`."""
    return None if unicodedata.combining(character) else character


def _letter_or_digit(character: str) -> str:
    """Return a letter or digit as it is, and a blank for any other character."""
    return character if character.isalnum() else " "


def _digit_or_mark(character: str) -> str:
    """Return a digit or a mark of numbers as it is, and a blank for any other character."""
    is_of_number = character.isdecimal() or character in _NUMBER_MARKS
    return character if is_of_number else " "


_RAISED_DIGITS_APART: Final = CharacterTable(_raised_digit_apart)
_WITHOUT_ACCENTS: Final = CharacterTable(_without_accent)
_BLANKS_BETWEEN_WORDS: Final = CharacterTable(_letter_or_digit)
_ONLY_NUMBERS: Final = CharacterTable(_digit_or_mark)


# Forms of a text


def fold_text(text: str) -> str:
    """Return a text in lower case and without accents: `Café 5²` -> `cafe 5^2`."""
    if text.isascii():
        return text.lower()
    # Put a caret before raised digits: `5²` would become the number 52, and `5^²` does not.
    text = text.translate(_RAISED_DIGITS_APART)
    # The form NFKD of Unicode puts each accent behind its letter, and makes `2` of `²`.
    decomposed = unicodedata.normalize("NFKD", with_few_marks(text))
    # `casefold` may join letters and accents again, so they are decomposed a second time.
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


_SIGNS_WITHOUT_BLANKS: Final = re2.compile(
    r"([\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}ー]+)"
)


def with_signs_apart(text: str) -> str:
    """Return a text with blanks around what touches other words: `水槽T-05の` -> `水槽 T-05 の`."""
    if text.isascii():
        return text
    return str(_SIGNS_WITHOUT_BLANKS.sub(r" \1 ", encodable(text)))


def distinctive_words(text: str) -> frozenset[str]:
    """Return the words of a text with at least two letters, without case and accents.

    Texts are compared by them: a line that shares many of them with an answer is likely
    to be its source.
    """
    return frozenset(word for word in parts_of(fold_text(text)) if len(word) > 1)


def tokens_of(text: str) -> tuple[str, ...]:
    """Return the folded words, numbers, ids and paths: `FA-19 of May` -> `fa-19`, `of`, `may`."""
    return tuple(_TOKEN.findall(fold_text(text)))


def numbers_of(text: str) -> Iterator[str]:
    """Yield each number of a text as it is written: `1,199.00 EUR for 3` -> `1,199.00`, `3`.

    Two marks in a row end a number: `10..20` is 10 and 20.
    """
    # Most numbers have no mark, and need no pattern: a file may have 100,000 of them.
    for piece in dict.fromkeys(text.translate(_ONLY_NUMBERS).split(" ")):
        if piece.isdecimal():
            yield piece
        elif piece:
            yield from _NUMBER.findall(piece)


def number_key(number: str) -> str:
    """Return a key that a number has in every format: `1,199.00`, `1199` -> `1199`.

    These are its digits without marks, and without zeros at both ends. Other numbers may have
    the same key, such as `11.99` and `119900`, because nothing shows what a mark means.
    """
    return number.translate(_WITHOUT_NUMBER_MARKS).strip("0")


def stem(word: str) -> str:
    """Return the start of a folded word that its inflected forms share.

    `reports`, `reported` -> `repor`; `fees` -> `fee`; `gas` -> `gas`
    """
    if len(word) > _STEM_LETTERS:
        return word[:_STEM_LETTERS]
    is_plural = len(word) > 3 and word.endswith("s")
    if is_plural:
        return word[:-1]
    return word


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
    - `echoes` finds only `fa-19` in `FA 19`: all parts, in this order, and as they are.
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
        return is_word and len(part) > _STEM_LETTERS and stem(part) in self._stems

    def _has_number_of(self, token: str) -> bool:
        """Return True if the text has a number of a token in any format: `1,199` as `1199.00`."""
        for number in numbers_of(token):
            is_digit = len(number) == 1  # a single digit is in almost any text
            if not is_digit and number_key(number) in self.numbers:
                return True
        return False

    def echoes(self, token: str) -> bool:
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
