"""The lines of a CSV file from which a row is read, some of which may have to be read again.

A cell in quotation marks may span several lines: `7,"Ada` and `Lovelace"` are one row. If
nothing closes the mark, Python's `csv` fails at the end of the file. Then only the first line
becomes a row, and the lines after it are put back.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Final

MAX_CELL_LINES: Final = 1_000
"""The most lines of one cell in quotation marks.

If the closing mark does not follow within them, the opening one is an ordinary character.
"""


class Lines:
    """The lines of a text, as input of a `csv.reader`.

    A reader takes one line or several for a row, by calling `next`. This object remembers the
    lines that it took for the current row. If the reader fails, `keep_only_first` puts back
    all but the first, so that they are read again.
    """

    def __init__(self, text: str) -> None:
        self._lines = iter(io.StringIO(text, newline="\n"))
        self._put_back: list[str] = []
        """Lines to read again. The next one is the last in the list."""
        self.of_row: list[str] = []
        """The lines read so far for the current row."""
        self.row_number = 1
        """The number of the line on which the current row begins."""

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        """Return the next line. Raises `csv.Error` if the current row has too many lines."""
        if len(self.of_row) >= MAX_CELL_LINES:
            msg = "a cell has too many lines"
            raise csv.Error(msg)
        line = self._put_back.pop() if self._put_back else next(self._lines)
        self.of_row.append(line)
        return line

    def end_row(self) -> None:
        """Start the next row."""
        self.row_number += len(self.of_row)
        self.of_row = []

    def keep_only_first(self) -> str:
        """Put back all lines of the current row but the first, and return the first."""
        first, *others = self.of_row
        self._put_back += reversed(others)
        self.of_row = [first]
        return first
