"""Finds the lines of a text that match a regular expression, several lines at once.

Most lines do not match. So a chunk of many lines is searched as a whole, and taken
apart only if the pattern matches somewhere in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from controlplane.sandbox.files.search.chunks import Chunk, Line, chunks_of
from controlplane.sandbox.files.search.deadline import Deadline
from controlplane.sandbox.files.search.long_lines import LONG_LINE_BYTES, LongLineSearch
from controlplane.sandbox.files.search.normal_forms import decoded
from controlplane.sandbox.files.search.re2_patterns import compiled_pattern
from controlplane.sandbox.interface import bounds

_MAX_LINES_AT_ONCE: Final = 64
"""The most lines that are searched from match to match. Chunks with
more lines are halved first, and halves without a match are skipped."""


@dataclass(frozen=True, slots=True)
class FoundLine:
    """A line that matches, or an excerpt of a long line around a match."""

    number: int
    """Lines are counted from 1."""
    text: str
    offset: int | None = None
    """The number of bytes of the line before the excerpt; None for a whole line."""


class LineMatcher:
    """Finds the lines of a text that match a pattern of RE2.

    In the text `b"due\\nlate\\n"`, the pattern `^l` finds `FoundLine(2, "late")`.
    """

    def __init__(self, pattern: str, deadline: Deadline) -> None:
        """Raises `CallError` if the pattern is not correct."""
        self._deadline = deadline
        """The moment at which all searches of this object end."""
        self._line_pattern = compiled_pattern(pattern)
        """For a single line."""
        self.text_pattern = pattern_for_texts(pattern)
        """For several lines at once; None if the pattern would mean something else there."""
        self._long_lines = LongLineSearch(pattern, deadline)

    @property
    def may_have_missed_match(self) -> bool:
        """True if a line was too long to be searched at once, and no match was found in its parts.

        A match that is longer than the overlap of two parts would not be found.
        """
        return self._long_lines.may_have_missed_match

    def lines_of(self, text: bytes) -> Iterator[FoundLine]:
        """Yield the matching lines of a text in UTF-8, until the deadline is over.

        The text is taken in chunks, each of many whole lines.
        """
        for chunk in chunks_of(text):
            if self._deadline.is_over:
                return
            yield from self._lines_of_chunk(chunk)

    def _lines_of_chunk(self, chunk: Chunk) -> Iterator[FoundLine]:
        """Yield the matching lines of a chunk.

        For example, a chunk of 1,000 lines has a match in line 700. It is searched as a
        whole, and then halved. Lines 1 to 500 have no match and are skipped. The others
        are halved again, until a chunk has at most `_MAX_LINES_AT_ONCE`. In that chunk,
        the search goes from match to match.

        Two kinds of chunks cannot be searched as a whole, and are halved down to single
        lines: those with a very long line, and all chunks if the pattern has a form such
        as `\\Aa`, which means something else in a text of several lines.
        """
        is_short_enough = len(chunk.text) <= bounds.MOST_SEARCHED_LINE_BYTES
        if is_short_enough and self.text_pattern is not None:
            if chunk.line_feeds <= _MAX_LINES_AT_ONCE:
                # A match may go over several lines, so each line is matched by itself again.
                for line in lines_with_matches(self.text_pattern, chunk):
                    yield from self._matches_of_line(line)
                return
            if not self.text_pattern.search(chunk.text):
                return

        halves = chunk.halves()
        if halves is None:  # It is a single line.
            yield from self._matches_of_line(chunk.line_at(0))
            return
        for half in halves:
            yield from self._lines_of_chunk(half)

    def _matches_of_line(self, line: Line) -> Iterator[FoundLine]:
        """Yield a line if it matches. Of a long line, yield excerpts around its matches."""
        if len(line.text) > LONG_LINE_BYTES:
            for excerpt in self._long_lines.excerpts(line.text):
                yield FoundLine(line.number, excerpt.text, excerpt.offset)
        elif self._line_pattern.search(line.text):
            yield FoundLine(line.number, decoded(line.text))


_MEANS_OTHERWISE_IN_SEVERAL_LINES: Final = re.compile(
    r"\\[Az]"  # `\A` and `\z`: the start and the end of the whole text
    r"|\(\?[a-zA-Z]*-"  # `(?-m)` and `(?i-s)`: flags that are turned off
)
"""Finds syntax that has a different meaning in a text of several lines, even if `^` and
`$` match at every line."""


def pattern_for_texts(pattern: str) -> Any | None:
    """Return the compiled pattern for texts of several lines: `^` and `$` match at each line.

    Returns None if the pattern would still have another meaning there than in a single line.
    """
    if _MEANS_OTHERWISE_IN_SEVERAL_LINES.search(pattern):
        return None
    return compiled_pattern(pattern, is_multiline=True)


def lines_with_matches(text_pattern: Any, chunk: Chunk) -> Iterator[Line]:
    """Yield the lines in which a match begins. They need not match alone.

    For example, `a\\nb` may match in two lines together, but in neither of them alone.
    """
    text = chunk.text.removesuffix(b"\n")
    position = 0
    while position <= len(text):
        match = text_pattern.search(text, position)
        if match is None:
            return
        line = chunk.line_at(match.start())
        yield line
        position = line.next_start
