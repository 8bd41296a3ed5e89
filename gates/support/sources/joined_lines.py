"""The lines of a text, joined to one string that can be searched quickly.

The offset of a hit shows the line, counted from 0.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence


class JoinedLines:
    """Lines joined to one text that can be searched, with the line of each offset.

    `["ab", "cd"]` with the separator `-` is `ab-cd`, whose offset 3 is in the line 1.
    """

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
        """Return the offset at which the next line begins, or the end of the text."""
        if line + 1 < len(self._line_starts):
            return self._line_starts[line + 1]
        return len(self.text)
