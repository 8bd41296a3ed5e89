"""Finds a regular expression in a long line, and shows the part around each match.

A line of a megabyte is too long to be shown, and may be too long to be searched at once. Then
it is searched in pieces, which overlap (`line_pieces`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from controlplane.sandbox.files.search.deadline import Deadline
from controlplane.sandbox.files.search.line_pieces import (
    Piece,
    character_start,
    pieces_of,
)
from controlplane.sandbox.files.search.normal_forms import decoded
from controlplane.sandbox.files.search.re2_patterns import compiled_pattern
from controlplane.sandbox.interface import bounds

LONG_LINE_BYTES: Final = 4_000
"""Longer lines are shown as excerpts, because a model would overlook the match in a whole line."""

_BYTES_AROUND_MATCH: Final = 500
"""Bytes that an excerpt shows before and after a match."""


class Excerpt(NamedTuple):
    """A part of a line that is shown."""

    text: str
    offset: int
    """The number of bytes of the line before it."""


@dataclass(frozen=True, slots=True)
class _Span:
    """The bytes from `start` up to `end` of a line."""

    start: int
    end: int


# Matches

_ASSERTION: Final = re.compile(
    r"[$^]"  # `^` and `$`
    r"|\\[AzbB]"  # `\A`, `\z`, `\b` and `\B`
)
"""Finds what depends on the neighbouring characters. At the edge of a piece of a line,
it may match although it does not match in the whole line."""

_SYNTAX_CHARACTERS: Final = frozenset(r"\.^$|?*+()[]{}")
"""A pattern without any of these characters matches only itself."""


class LongLineSearch:
    """Finds the matches of a pattern in long lines, and cuts out the text around each.

    In a line of 10,000 bytes with a match at byte 6,000, the excerpt has the bytes from
    5,500 on. A very long line is searched in pieces, which overlap.
    """

    def __init__(self, pattern: str, deadline: Deadline) -> None:
        self._pattern = compiled_pattern(pattern)
        self._deadline = deadline
        self._has_assertions = _ASSERTION.search(pattern) is not None
        """True if the pattern may match otherwise at the edge of a piece, as `word$` does."""
        self._is_literal = not _SYNTAX_CHARACTERS.intersection(pattern)
        """True if the pattern matches only itself. Every match is then
        shorter than the overlap of two pieces, so none is missed."""
        self.may_have_missed_match = False
        """True if no match was found in a line that was searched in pieces.
        A match that is longer than their overlap would not be found."""

    def excerpts(self, line: bytes) -> Iterator[Excerpt]:
        """Yield the parts of a line around its matches."""
        for span in _spans_around(self._matches(line), len(line)):
            start = character_start(line, span.start)
            end = character_start(line, span.end)
            yield Excerpt(decoded(line[start:end]), start)

    def _matches(self, line: bytes) -> Iterator[_Span]:
        """Yield the matches in a line, until the deadline is over."""
        has_matched = False
        end_of_last_match = 0
        for piece in pieces_of(line):
            if self._deadline.is_over:
                break
            for match in self._matches_in_piece(piece, end_of_last_match):
                has_matched = True
                end_of_last_match = match.end
                yield match

        is_in_pieces = len(line) > bounds.MOST_SEARCHED_LINE_BYTES
        if is_in_pieces and not has_matched and not self._is_literal:
            self.may_have_missed_match = True

    def _matches_in_piece(
        self, piece: Piece, end_of_last_match: int
    ) -> Iterator[_Span]:
        """Yield the matches in a piece of a line, from `end_of_last_match` on.

        At the edge of a piece, `word$` or `\\bword` may match although the line goes on
        there. So such a match is left out if it touches an edge. The neighbouring piece has
        the same place in its middle, and finds the match if there is one.

        A match of another pattern, such as `a+`, may be cut off at the edge. Then the next
        piece goes on behind it, and finds its rest as a match of its own.
        """
        position_in_piece = max(end_of_last_match - piece.start, 0)
        while position_in_piece <= len(piece.text):
            match = self._pattern.search(piece.text, position_in_piece)
            if match is None:
                return
            start, end = match.span()
            is_doubtful = self._has_assertions and piece.touches_cut(start, end)
            if not is_doubtful:
                yield _Span(piece.start + start, piece.start + end)
            # An empty match must not be found again.
            position_in_piece = max(end, start + 1)


# Excerpts


def _spans_around(matches: Iterable[_Span], line_bytes: int) -> Iterator[_Span]:
    """Yield each match with `_BYTES_AROUND_MATCH` on both sides, in a line of `line_bytes`.

    Spans that overlap become one. Matches at 1000, 1300 and 9000, of 10 bytes each, give
    the spans 500 to 1810 and 8500 to 9510. A span ends as soon as it is longer than
    `LONG_LINE_BYTES`; the span of the next match may then overlap it.
    """
    current: _Span | None = None
    for match in matches:
        span = _Span(
            start=max(match.start - _BYTES_AROUND_MATCH, 0),
            end=min(match.end + _BYTES_AROUND_MATCH, line_bytes),
        )
        if current is None:
            current = span
        elif span.start <= current.end:
            current = _Span(current.start, span.end)
        else:
            yield current
            current = span

        if current.end - current.start > LONG_LINE_BYTES:
            yield current
            current = None  # The next match begins a new one.
    if current is not None:
        yield current
