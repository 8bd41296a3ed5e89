"""The lines around the matches of one file, each shown once."""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.sandbox.files.search.normal_forms import decoded


@dataclass(frozen=True, slots=True)
class Passage:
    """Consecutive lines of a file."""

    first_line: int
    text: str


class Surroundings:
    """The lines around the matches of one file.

    Matches that are near each other share lines. No line is returned twice. `next_passage` must
    be called for the matches in their order.
    """

    def __init__(self, text: bytes, context: int) -> None:
        """`context` is the number of lines before and after a match."""
        self._text = text
        self._context = context
        self._lines: list[bytes] = []
        """The lines of the text; empty until they are needed."""
        self._last_returned_line = 0
        """The number of the last line that was returned.
        It may be larger than the number of lines in the text."""

    def next_passage(self, matching_line: int) -> Passage | None:
        """Return the lines around a match, from the first one that was not returned before.

        With a context of 2, the matches in the lines 10 and 12 give the lines 8 to 12,
        and 13 to 14. None if nothing is left to show: no line, or a single empty one.
        """
        if not self._lines:
            self._lines = self._text.split(b"\n")
        first_line = max(matching_line - self._context, self._last_returned_line + 1)
        last_line = matching_line + self._context
        self._last_returned_line = last_line

        # Lines are numbered from 1. If the text ends before `last_line`, there are fewer.
        lines = self._lines[first_line - 1 : last_line]
        text = decoded(b"\n".join(lines))
        if not text:
            return None
        return Passage(first_line, text)
