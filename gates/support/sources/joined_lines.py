"""The lines of a text, joined to one string that is searched at once.

    lines = JoinedLines(["ab", "cd"], "-")
    lines.text             # "ab-cd"
    lines.line_at(3)       # 1, the index of the line with the `c`

A single search in `text` is much faster than one in each line.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence


class JoinedLines:
    """Lines joined to one text, which knows the line of each offset. Lines count from 0."""

    def __init__(self, lines: Sequence[str], separator: str) -> None:
        self.text = separator.join(lines)
        self._line_starts: list[int] = []
        offset = 0
        for line in lines:
            self._line_starts.append(offset)
            offset += len(line) + len(separator)

    def line_at(self, offset: int) -> int:
        """Return the line in which an offset of the text is."""
        return bisect_right(self._line_starts, offset) - 1

    def end_of(self, line: int) -> int:
        """Return the offset behind a line and its separator, where the next line begins.

        For the last line, this is the end of the text.
        """
        if line + 1 < len(self._line_starts):
            return self._line_starts[line + 1]
        return len(self.text)
