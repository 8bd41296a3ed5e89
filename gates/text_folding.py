"""The words of texts, compared regardless of case, accents, inflection and number format; a
requester's own words."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Final

import re2

from controlplane.gates.submission import encodable
from controlplane.sandbox.interface import bounds

_TOKEN: Final = re2.compile(r"[\pL\pN]+(?:[-_.@:/'][\pL\pN]+)*")
"""A word, number, id or path: parts joined by single marks."""
_MARKS: Final = ".,'\u00a0\u202f"
NO_MARK: Final = dict.fromkeys(map(ord, _MARKS))
_POINTS: Final = dict.fromkeys(map(ord, _MARKS), ".")
_STEM_LETTERS: Final = 5


_BOILERPLATE: Final = """
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
BOILERPLATE: Final = frozenset(_BOILERPLATE.split())
"""English words that fit any reason and identify nothing."""


class _Table(dict[int, str | None]):
    """A table for `str.translate` that asks a function about each character once."""

    def __init__(self, translated: Callable[[str], str | None]) -> None:
        self._translated = translated

    def __missing__(self, code: int) -> str | None:
        self[code] = self._translated(chr(code))
        return self[code]


def _set_apart(char: str) -> str:
    match unicodedata.category(char):
        case "No":  # other numbers: raised digits and fractions
            return f"^{char}"
        case "Cs":  # lone surrogates
            return "?"
    return char


_APART: Final = _Table(_set_apart)
"""Sets raised, lowered and circled digits and fractions apart from a number before them; drops
lone surrogates."""
_UNMARKED: Final = _Table(lambda char: None if unicodedata.combining(char) else char)
_WORDS: Final = _Table(lambda char: char if char.isalnum() else " ")
_NUMERALS: Final = _Table(lambda char: char if char.isdecimal() or char in _MARKS else "\n")


def fold_text(text: str) -> str:
    """Return `text` in lower case and without accents; a raised digit or a fraction joins no
    number before it."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.translate(_APART)).casefold()
    return unicodedata.normalize("NFKD", decomposed).translate(_UNMARKED)


def bare_text(text: str) -> str:
    """Return a text folded and without blanks, the form in which quotations are compared."""
    return "".join(fold_text(text).replace("’", "'").split())


def parts_of(folded: str) -> list[str]:
    """Return the runs of letters and digits in a folded text."""
    return folded.translate(_WORDS).split()


def numbers_of(text: str) -> Iterator[str]:
    """Yield the numbers of a text as they are written: runs of digits that single marks join."""
    for run in text.translate(_NUMERALS).split("\n"):
        if not run:
            continue
        start = 0
        for part in run.translate(_POINTS).split(".."):
            number = run[start : start + len(part)].strip(_MARKS)
            if number:
                yield number
            start += len(part) + len("..")


def tokens_of(text: str) -> tuple[str, ...]:
    """Return the tokens of a text in order, folded, with compounds unsplit."""
    return tuple(_TOKEN.findall(fold_text(text)))


def stem(word: str) -> str:
    """Return the beginning that inflected forms of a folded word share."""
    if len(word) > _STEM_LETTERS:
        return word[:_STEM_LETTERS]
    if len(word) > 3 and word.endswith("s"):
        return word[:-1]
    return word


def number_key(number: str) -> str:
    """Return the digits that all formats of a number share: `1,199.00`, `1199` and `119900`
    (cents) give `1199`."""
    return number.translate(NO_MARK).strip("0")


class TextIndex:
    """The words and numbers of one text, each set computed when it is first needed."""

    def __init__(self, text: str) -> None:
        self.folded = fold_text(text)

    @cached_property
    def words(self) -> frozenset[str]:
        """The runs of letters and digits."""
        return frozenset(parts_of(self.folded))

    @cached_property
    def _pairs(self) -> frozenset[tuple[str, str]]:
        return frozenset(pairwise(parts_of(self.folded)))

    @cached_property
    def numbers(self) -> frozenset[str]:
        """The keys of its numbers, see `number_key`."""
        return frozenset(map(number_key, numbers_of(self.folded)))

    @cached_property
    def _stems(self) -> frozenset[str]:
        return frozenset(map(stem, self.words))

    def holds(self, token: str) -> bool:
        """Say whether the text holds a folded token of a reason: the word or an inflected form,
        a part of a compound, a number in any format."""
        parts = parts_of(token)
        if self._has_in_a_row(parts):
            return True
        for part in parts:
            if self._has_part(part, is_whole=part == token):
                return True
        if token.isalpha():
            return False
        for number in numbers_of(token):
            if len(number) > 1 and number_key(number) in self.numbers:
                return True
        return False

    def _has_part(self, part: str, *, is_whole: bool) -> bool:
        """Say whether the text holds a part of a token, or an inflected form of it.

        A short part of a compound is neither looked up as it stands nor by its stem: it may stand
        anywhere.
        """
        is_word = part.isalpha()
        if part in self.words and (len(part) > 2 or not is_word):
            return True
        has_stem = is_word and (is_whole or len(part) > _STEM_LETTERS)
        return has_stem and stem(part) in self._stems

    def repeats(self, token: str) -> bool:
        """Say whether the text, as the words of a call, gives a folded token: its parts in their
        order, however they are joined."""
        parts = parts_of(token)
        return self._has_in_a_row(parts) or "".join(parts) in self.words

    def _has_in_a_row(self, parts: list[str]) -> bool:
        is_known = bool(parts) and all(part in self.words for part in parts)
        return is_known and all(pair in self._pairs for pair in pairwise(parts))


@lru_cache(maxsize=32)
def index_of(text: str) -> TextIndex:
    """Return the index of a seen text. Few are kept: an index may take many times the memory of
    its text."""
    return TextIndex(text)


def is_boilerplate(token: str) -> bool:
    """Say whether a token identifies nothing: an everyday word or a single letter."""
    return token in BOILERPLATE or (len(token) == 1 and token.isalpha())


_SIGNS: Final = str.maketrans(
    {"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "’": "'", "‘": "'"}
    | dict.fromkeys("\u00a0\u2007\u2009\u202f", " ")
)
_ASIDE: Final = re2.compile(r"(?ms)```.*?(?:```|\z)|^ ?>[^\n]*$")
QUOTATION: Final = re2.compile(r"\"[^\"\n]{0,400}\"|(?:^|[^\pL\pN_'])'[^'\n]{0,400}'")
_PROSE: Final = re2.compile(r"(?:\pL{2,}[^\pL\pN_%]+){2,}\pL{2,}")


@lru_cache(maxsize=256)
def normalize_text(text: str) -> str:
    """Return `text` with single spaces, straight quotation marks and `\\n` line ends."""
    unified = encodable(text).replace("\r\n", "\n").translate(_SIGNS)
    while "  " in unified:
        unified = unified.replace("  ", " ")
    return unified


@lru_cache(maxsize=64)
def asked_text(instruction: str) -> str:
    """Return the requester's own words, without quoted lines, fenced blocks and quoted prose."""
    text = _ASIDE.sub("", normalize_text(instruction[: bounds.MOST_REQUEST_CHARS]))
    return str(QUOTATION.sub(_without_prose, text))


def _without_prose(quotation: re2._Match) -> str:
    """Return a quotation, emptied if it holds prose."""
    if _PROSE.search(quotation[0]):
        return '""'
    return str(quotation[0])
