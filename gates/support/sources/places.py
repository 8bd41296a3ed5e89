"""Where the lines of a text stand in its file: `/loans.csv`, line 9.

A text may be only a part of its file. So the line with the index 0 may have the number 40.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

UNKNOWN_LINE: Final = 0
"""The number of a line whose place in the file is unknown."""


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a text that was read."""

    path: str
    line: int = UNKNOWN_LINE
    """The number of the line, counted from 1."""


@dataclass(frozen=True, slots=True)
class LineNumbers:
    """The numbers that the lines of a text have in its file, in a short form.

    `LineNumbers((40,))` are those of a text that begins with line 40: 40, 41 and so on.
    """

    listed: tuple[int, ...] = (1,)
    """The numbers of the first lines. Each further line has the next number after the last one.

    - `(1,)`: a whole file, whose lines are 1, 2, 3 and so on
    - `(40,)`: a part of a file from line 40 on
    - `(1, 7, 9)`: the heading of a table and its rows in lines 7 and 9
    - `()` or `(UNKNOWN_LINE,)`: all numbers are unknown
    """

    def number_of(self, line: int) -> int:
        """Return the number of the line at an index, counted from 0, or `UNKNOWN_LINE`."""
        if not self.listed:
            return UNKNOWN_LINE
        if line < len(self.listed):
            return self.listed[line]
        last_listed = self.listed[-1]
        if last_listed == UNKNOWN_LINE:
            return UNKNOWN_LINE
        lines_behind = line - (len(self.listed) - 1)
        return last_listed + lines_behind

    def from_line(self, line: int) -> LineNumbers:
        """Return the numbers of a part of the text that begins at an index.

        (1, 7, 9) from the index 1 on -> (7, 9)
        """
        return LineNumbers(self.listed[line:] or (self.number_of(line),))

    @property
    def listed_rows(self) -> list[int]:
        """The numbers of a table's rows below its heading: 7 and 9 of `(1, 7, 9)`; else empty."""
        return list(self.listed[1:])


WHOLE_FILE: Final = LineNumbers((1,))
UNKNOWN_NUMBERS: Final = LineNumbers(())
