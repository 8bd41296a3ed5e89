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

from controlplane.gates.values.number_style import NORMAL_CHARACTERS

_ASCII_CHARACTER: Final = r"[\x20-\x7e]"
_CHARACTERS_BEYOND_ASCII: Final = r"[^\x00-\x7f]+"
_NON_ASCII: Final = re2.compile(f"{_ASCII_CHARACTER}?{_CHARACTERS_BEYOND_ASCII}")
"""A run of characters beyond ASCII, and the ASCII character before it, to which an accent at
the start of the run may belong: `e` and an accent become `é`."""


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
    """A part of a text beside its normal form: `…` and `...`."""

    original: str
    normal: str


def _pieces_of(text: str) -> Iterator[_Piece]:
    """Yield the pieces of a text in order: `12 kg …` -> `12 kg`, ` …`, and so on.

    The text is divided into runs of ASCII characters, which are normal already, and others.
    """
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
    """Return the pieces of a run of non-ASCII characters.

    A run whose normal form has the same length is a single piece, because its offsets are the
    same in both texts. Otherwise, each character is one, together with its accents.
    """
    normal_run = _normalized(run)
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
    """Return the normal form of a text: `é` for `e` and an accent, too."""
    return unicodedata.normalize("NFC", text.translate(NORMAL_CHARACTERS))
