"""A text cut into chunks: consecutive whole lines that are searched together.

Lines end with a line feed. The last line of a text may end without one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

CHUNK_BYTES: Final = 65_536
"""A chunk ends with the line in which it reaches this many bytes."""


class Line(NamedTuple):
    """One line of a chunk, without its line feed."""

    number: int
    """Its number in the text, from 1."""
    text: bytes
    next_start: int
    """Where the next line begins in the chunk."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Consecutive whole lines of a text."""

    text: bytes
    first_number: int
    """The number of its first line in the text, from 1."""

    @property
    def line_feeds(self) -> int:
        return self.text.count(b"\n")

    def line_at(self, position: int) -> Line:
        """Return the line that has the byte at a position."""
        start = _line_start(self.text, position)
        end = _line_end(self.text, position)  # behind the line feed
        number = self.first_number + self.text.count(b"\n", 0, start)
        line = self.text[start:end].removesuffix(b"\n")
        return Line(number, line, start + len(line) + 1)

    def halves(self) -> tuple[Chunk, Chunk] | None:
        """Return the chunk as two chunks of about the same size; None if it is a single line."""
        middle = _line_start_near_middle(self.text)
        if middle is None:
            return None
        first = Chunk(self.text[:middle], self.first_number)
        second = Chunk(self.text[middle:], self.first_number + first.line_feeds)
        return first, second


def chunks_of(text: bytes) -> Iterator[Chunk]:
    """Yield the chunks of a text, in order."""
    start = 0
    first_number = 1
    while start < len(text):
        end = _line_end(text, start + CHUNK_BYTES)
        chunk = Chunk(text[start:end], first_number)
        yield chunk
        first_number += chunk.line_feeds
        start = end


def _line_start(text: bytes, position: int) -> int:
    """Return where the line at a position begins."""
    previous_line_feed = text.rfind(b"\n", 0, position)
    if previous_line_feed < 0:
        return 0
    return previous_line_feed + 1


def _line_end(text: bytes, position: int) -> int:
    """Return where the line at a position ends, its line feed included."""
    line_feed = text.find(b"\n", position)
    if line_feed < 0:
        return len(text)
    return line_feed + 1


def _line_start_near_middle(text: bytes) -> int | None:
    """Return where a line begins near the middle of a text; None if the text is a single line."""
    half = len(text) // 2
    middle = _line_start(text, half)
    if middle == 0:
        middle = _line_end(text, half)
    return middle if 0 < middle < len(text) else None
