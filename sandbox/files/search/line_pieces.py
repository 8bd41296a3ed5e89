"""The pieces in which a very long line is searched, since one search must not take long.

Neighbouring pieces overlap, so that a match at their border is found:

    line       ..............................
    piece 1    ==================
    piece 2                  =================
    overlap                  =====             each match up to this length is whole in a piece
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from controlplane.sandbox.interface import bounds

_OVERLAP_BYTES: Final = 25_000
"""Bytes that two neighbouring pieces of a very long line share.
Every shorter match is whole in one of the pieces."""

_UTF8_CHARACTER_BYTES: Final = 4
"""The most bytes that one character takes in UTF-8."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a very long line, which is searched at once; or a shorter line as a whole.

    Neighbouring pieces share some bytes, so that a match at their border is whole in one.
    """

    text: bytes
    start: int
    """The number of bytes of the line before it."""
    is_cut_at_start: bool
    """True if the line has bytes before the piece."""
    is_cut_at_end: bool
    """True if the line goes on behind the piece."""

    def touches_cut(self, start: int, end: int) -> bool:
        """Return True if the bytes from `start` to `end` of the piece touch a cut of the line."""
        if self.is_cut_at_start and start == 0:
            return True
        return self.is_cut_at_end and end == len(self.text)


def pieces_of(line: bytes) -> Iterator[Piece]:
    """Yield the pieces of a line, in order. No character is cut at the edge of a piece.

    Each has at most `MOST_SEARCHED_LINE_BYTES`, and shares `_OVERLAP_BYTES` with the next.
    """
    start = 0
    while start < len(line):
        longest_end = min(start + bounds.MOST_SEARCHED_LINE_BYTES, len(line))
        end = character_start(line, longest_end)
        is_last = end == len(line)
        yield Piece(
            line[start:end], start, is_cut_at_start=start > 0, is_cut_at_end=not is_last
        )
        if is_last:
            return
        start = character_start(line, end - _OVERLAP_BYTES)


def character_start(line: bytes, position: int) -> int:
    """Return the last position, up to `position`, at which a character begins in UTF-8.

    In `"é!".encode()`, `é` takes the bytes 0 and 1: position 1 -> 0. A character has at
    most 4 bytes, so it begins at `position` or at one of the 3 positions before it. In
    bytes that are not UTF-8 there may be no beginning among them; `position` itself is
    then as good as any.
    """
    if position == len(line):
        return position
    before_earliest = max(position - _UTF8_CHARACTER_BYTES, 0)
    for candidate in range(position, before_earliest, -1):
        if _begins_character(line[candidate]):
            return candidate
    return position


def _begins_character(byte: int) -> bool:
    """Return True unless a byte is a later byte of a character: `0b10......` in UTF-8."""
    return not 0b1000_0000 <= byte < 0b1100_0000
