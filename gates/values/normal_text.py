"""Normalises the characters of a text: dashes, blanks, digits, quotation signs, full-width forms.

    `１２．５ kg` -> `12.5 kg`, `10–12 %` -> `10-12 %`

A normalised text may be shorter or longer than the original. `NormalText.offset_of`
translates the offset of a value in the normalised text back to the original, where the
value is marked.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import re2

HARD_BLANK: Final = "\u00a0"
"""The no-break space, which joins the characters beside it, such as the groups of a number."""
_HARD_BLANKS: Final = "\u00a0\u2007\u2008\u2009\u200a\u202f"
_SIGNS: Final = {
    "\u2212": "-",  # minus
    "\u2043": "-",  # a bullet in the form of a hyphen
    "\u2044": "/",  # the slash of fractions
    "\u2215": "/",  # the sign of division
    "\u2018": "'",  # single quotation marks and apostrophes
    "\u2019": "'",
    "\u02bc": "'",
    "\uff07": "'",
    "\u066b": ".",  # the decimal mark of Arabic
    "\u066c": ",",  # the grouping mark of Arabic
    "\uffe5": "\u00a5",  # the yen sign of full width
}
"""Signs with the plain ones that replace them. Unicode's own normal form keeps most of them."""
_ASCII_CHARACTER: Final = r"[\x20-\x7e]"
_CHARACTERS_BEYOND_ASCII: Final = r"[^\x00-\x7f]+"
_NON_ASCII: Final = re2.compile(f"{_ASCII_CHARACTER}?{_CHARACTERS_BEYOND_ASCII}")
"""A run of characters beyond ASCII, and the ASCII character before it, to which an accent at
the start of the run may belong: `e` and an accent become `é`."""
_GLYPH_SELECTORS: Final = range(0xFE00, 0xFE0F + 1)
"""Invisible characters that choose the look of the one before them, such as a coloured emoji."""


class _NormalCharacters(dict[int, str | None]):
    """The table for `str.translate`: the normal form of each character by its code point.

    It fills itself: `dict` calls `__missing__` for a code point that it does not have yet.
    """

    def __missing__(self, code: int) -> str | None:
        self[code] = _normal_character(chr(code))
        return self[code]


def _normal_character(character: str) -> str | None:
    """Return the normal form of a character; None if it is dropped.

    The cases are categories of Unicode: `Nd` are the decimal digits of all scripts.
    """
    if character in _SIGNS:
        return _SIGNS[character]
    match unicodedata.category(character):
        case "Nd":  # decimal digits
            return str(unicodedata.digit(character))
        case "Pd":  # dashes
            return "-"
        case "Zs":  # blanks
            return HARD_BLANK if character in _HARD_BLANKS else " "
        case "Cf":  # invisible: zero-width characters, soft hyphens, marks of direction
            return None
        case "No":  # `½`, `²` and `②` stay: with plain digits, `5²` would become 52
            return character
    if ord(character) in _GLYPH_SELECTORS:
        return None
    return unicodedata.normalize("NFKC", character)  # `ａ` -> `a`


_TABLE: Final = _NormalCharacters()


@dataclass(frozen=True, slots=True)
class NormalText:
    """A normalised text that knows the offsets of its characters in the original.

        original      a…b        the `b` is at offset 2
        normalised    a...b      the `b` is at offset 4

    The texts are divided into sections, within which the distance between both offsets stays
    the same. A new section begins behind each character that has become longer or shorter:
    here with the `b`, so `_starts` is (0, 4), and `_original_starts` is (0, 2).
    """

    text: str
    _starts: tuple[int, ...] = (0,)
    """The offset in `text` of each section, in ascending order."""
    _original_starts: tuple[int, ...] = (0,)
    """The offset in the original of each section."""

    def offset_of(self, index: int) -> int:
        """Return the offset in the original of the character at an offset in `text`.

        Inside a lengthened character, such as at the points of `…`, it is not exact. Values
        do not begin there.
        """
        section = bisect_right(self._starts, index) - 1
        offset_in_section = index - self._starts[section]
        return self._original_starts[section] + offset_in_section


def normalize_text(text: str) -> NormalText:
    """Return a text with one spelling of each character, and its offsets in the original.

    Drops invisible characters. Keeps case, line ends, fractions and raised digits: `5²`
    is not 52.
    """
    if text.isascii():
        return NormalText(text)
    # RE2 cannot read lone surrogates; each becomes a question mark.
    text = text.encode("utf-8", "replace").decode("utf-8")

    normal_parts: list[str] = []
    starts = [0]
    original_starts = [0]
    length = 0  # of the normal text so far
    original_length = 0
    for piece in _pieces_of(text):
        normal_parts.append(piece.normal)
        length += len(piece.normal)
        original_length += len(piece.original)
        if len(piece.normal) != len(piece.original):
            starts.append(length)
            original_starts.append(original_length)
    return NormalText("".join(normal_parts), tuple(starts), tuple(original_starts))


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of a text beside its normal form."""

    original: str
    normal: str


def _pieces_of(text: str) -> Iterator[_Piece]:
    """Yield the pieces of a text in order. ASCII characters are normal already."""
    end_of_run = 0
    for run in _NON_ASCII.finditer(text):
        ascii_text = text[end_of_run : run.start()]
        yield _Piece(ascii_text, ascii_text)
        yield from _pieces_of_run(run[0])
        end_of_run = run.end()
    ascii_text = text[end_of_run:]
    yield _Piece(ascii_text, ascii_text)


@lru_cache(maxsize=4_096)
def _pieces_of_run(run: str) -> tuple[_Piece, ...]:
    """Return the pieces of a run without ASCII: each character together with its accents.

    A run whose normal form is as long as the run itself stays a single piece.
    """
    normal_run = _normalized(run)
    # With the same length, no offset changes, and the run need not be divided.
    keeps_length = len(normal_run) == len(run)
    if keeps_length:
        return (_Piece(run, normal_run),)

    characters_with_accents: list[str] = []
    for character in run:
        if characters_with_accents and unicodedata.combining(character):
            characters_with_accents[-1] += character
        else:
            characters_with_accents.append(character)
    return tuple(
        _Piece(original, _normalized(original)) for original in characters_with_accents
    )


def _normalized(text: str) -> str:
    return unicodedata.normalize("NFC", text.translate(_TABLE))
