"""Lines of the texts that were read, by path and number."""

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
    """The numbers that the lines of a text have in its file."""

    listed: tuple[int, ...] = (1,)
    """The numbers of the first lines. Each further line has the next number after the last one.

    - `(1,)`: a whole file, whose lines are 1, 2, 3 and so on
    - `(40,)`: a part of a file from line 40 on
    - `(1, 7, 9)`: the heading of a table and its rows in lines 7 and 9
    - `()`: all numbers are unknown; `UNKNOWN_LINE`
      in a tuple stands for a single unknown number
    """

    def number_of(self, line: int) -> int:
        """Return the number of the line at an index, or `UNKNOWN_LINE`."""
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
        """Return the numbers of a part of neighbouring lines that begins at an index.

        Only its first number has to be listed, because the lines of a part follow one another.
        """
        return LineNumbers((self.number_of(line),)) if self.listed else self

    @property
    def of_rows(self) -> list[int]:
        """The numbers of a table's rows below its heading: 7 and 9 of `(1, 7, 9)`; else empty."""
        return list(self.listed[1:])


WHOLE_FILE: Final = LineNumbers((1,))
UNKNOWN_NUMBERS: Final = LineNumbers(())
