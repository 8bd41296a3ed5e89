"""One spelling of characters: Unicode's compatibility forms, dashes, blanks, digits and quotation
signs.

Offsets in a normalised text lead back to the text as it was given.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import re2

HARD_BLANK: Final = "\u00a0"
"""A blank that joins what stands on its sides, such as the groups of a number."""
_HARD_BLANKS: Final = "\u00a0\u2007\u2008\u2009\u200a\u202f"
_SIGNS: Final = {
    "\u2212": "-",  # minus
    "\u2043": "-",
    "\u2044": "/",
    "\u2215": "/",
    "\u2018": "'",
    "\u2019": "'",
    "\u02bc": "'",
    "\uff07": "'",
    "\u066b": ".",  # the decimal mark of Arabic
    "\u066c": ",",
    "\uffe5": "\u00a5",
}
_NON_ASCII: Final = re2.compile(r"[\x20-\x7e]?[^\x00-\x7f]+")
"""A run of characters beyond ASCII, with the letter to which an accent may belong."""


class _NormalCharacters(dict[int, str | None]):
    """A table for `str.translate`, filled as characters come."""

    def __missing__(self, code: int) -> str | None:
        self[code] = _normal_character(chr(code))
        return self[code]


def _normal_character(character: str) -> str | None:
    if character in _SIGNS:
        return _SIGNS[character]
    category = unicodedata.category(character)
    match category:
        case "Nd":
            return str(unicodedata.digit(character))
        case "Pd":
            return "-"
        case "Zs":
            return HARD_BLANK if character in _HARD_BLANKS else " "
        case "Cf":  # invisible: zero-width characters, soft hyphens, marks of direction
            return None
        case "No":  # fractions, raised and circled digits are no part of the number before them
            return character
        case "Mn" if 0xFE00 <= ord(character) <= 0xFE0F:  # selects a glyph
            return None
    return unicodedata.normalize("NFKC", character)


_TABLE: Final = _NormalCharacters()


@dataclass(frozen=True, slots=True)
class NormalText:
    """A normalised text, and where its parts stood."""

    text: str
    _starts: tuple[int, ...] = (0,)
    """Offsets in `text` behind which the distance to the given text is another one."""
    _distances: tuple[int, ...] = (0,)

    def offset_of(self, index: int) -> int:
        """Return the offset in the given text of a character of `text`."""
        return index + self._distances[bisect_right(self._starts, index) - 1]


def normalize_text(text: str) -> NormalText:
    """Return `text` in one spelling: full-width forms, dashes, blanks, digits of any script.

    Invisible characters are dropped; fractions and raised digits stay. Case and line ends stay,
    too.
    """
    if text.isascii():
        return NormalText(text)
    parts: list[str] = []
    starts = [0]
    distances = [0]
    length = 0
    end = 0
    text = text.encode("utf-8", "replace").decode("utf-8")  # RE2 reads no lone surrogates
    for run in _NON_ASCII.finditer(text):
        plain = text[end : run.start()]
        parts.append(plain)
        length += len(plain)
        end = run.end()
        for cluster, normal in _clusters(text[run.start() : end]):
            parts.append(normal)
            length += len(normal)
            if len(normal) != len(cluster):
                starts.append(length)
                distances.append(distances[-1] + len(cluster) - len(normal))
    parts.append(text[end:])
    return NormalText("".join(parts), tuple(starts), tuple(distances))


@lru_cache(maxsize=4_096)
def _clusters(run: str) -> tuple[tuple[str, str], ...]:
    """Return the characters of a run, each with its accents, beside their normal forms.

    A run whose length stays is one piece.
    """
    normal = _normalized(run)
    if len(normal) == len(run):
        return ((run, normal),)
    clusters: list[str] = []
    for character in run:
        if clusters and unicodedata.combining(character):
            clusters[-1] += character
        else:
            clusters.append(character)
    return tuple((cluster, _normalized(cluster)) for cluster in clusters)


def _normalized(text: str) -> str:
    return unicodedata.normalize("NFC", text.translate(_TABLE))
