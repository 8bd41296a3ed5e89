"""Splits the text of a CSV file into rows of cells, even if its quotation marks are misplaced.

A cell in quotation marks may span several lines: `7,"Ada` and `Lovelace"` are one row. But
if nothing closes the mark, it is an ordinary character, and each line is a row. Python's
`csv` would take the rest of the file for one cell.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Final

from controlplane.benchmarks.files.tables.csv_files.csv_layout import CsvLayout, CsvRow
from controlplane.benchmarks.files.tables.csv_files.unfit_rows import UnfitRows

MAX_CELL_LINES: Final = 1_000
"""The most lines of one cell in quotation marks.

If the closing mark does not follow within them, the opening one is an ordinary character.
"""


def raw_rows(text: str, layout: CsvLayout, unfit: UnfitRows) -> Iterator[CsvRow]:
    """Yield every row of the text. An empty line is a row without cells.

    Rows with misplaced quotation marks are recorded in `unfit`.
    """
    lines = _Lines(text)
    reader = _strict_reader(lines, layout)
    while True:
        try:
            cells = next(reader)  # Takes one line from `lines`, or several.
        except StopIteration:
            return
        except csv.Error:
            # A quotation has no closing mark, or a mark is inside a cell. The first
            # line becomes a row of its own. The lines after it are read again, by a new
            # reader, since the old one cannot go on after an error.
            line = lines.keep_only_first()
            unfit.open_quotations.append(lines.row_number)
            cells = _cells_of_line(line, layout)
            reader = _strict_reader(lines, layout)

        if len(lines.of_row) > 1 and _may_hold_rows(lines.of_row, layout):
            unfit.spanning.append(lines.row_number)
        if lines.row_number == 1 and cells:
            cells[0] = cells[0].removeprefix("\ufeff")  # A byte order mark.
        row = CsvRow(lines.row_number, cells)
        lines.end_row()
        yield row


def _strict_reader(lines: _Lines, layout: CsvLayout) -> Iterator[list[str]]:
    """Return a reader that raises `csv.Error` for a misplaced quotation mark.

    The quotation ends within a cell (`"a"b`) or not at all. Without `strict`, one that
    does not end would make the rest of the file one cell.
    """
    if layout.has_backslashes:
        return csv.reader(
            lines,
            delimiter=layout.delimiter,
            strict=True,
            escapechar="\\",
            doublequote=False,
        )
    return csv.reader(lines, delimiter=layout.delimiter, strict=True)


def _cells_of_line(line: str, layout: CsvLayout) -> list[str]:
    """Return the cells of a line with a stray quotation mark."""
    line = line.rstrip("\r\n")
    is_balanced = line.count('"') % 2 == 0
    if is_balanced:
        try:
            return next(csv.reader([line], delimiter=layout.delimiter))
        except csv.Error:
            pass
    return line.split(layout.delimiter)


def _may_hold_rows(lines: list[str], layout: CsvLayout) -> bool:
    """Return True if one of a row's lines, but the first, looks like a row of the table.

    It has as many cells as the header. Then two stray quotation marks may have made one
    row of several.
    """
    width = len(layout.header.names)
    if width < 2:
        return False
    for line in lines[1:]:
        if line.count(layout.delimiter) >= width - 1:
            return True
    return False


class _Lines:
    """The lines of a text, as input of a `csv.reader`.

    A reader takes one line or several for a row. This class remembers the lines that it
    took for the current row. If the reader fails, all but the first can be put back, so
    that they are read again.
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
