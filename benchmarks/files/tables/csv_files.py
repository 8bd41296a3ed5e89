"""CSV and TSV files: their layout, and their rows."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import pairwise
from typing import Any, Final

# What cells of a CSV file look like: numbers, years, parts of a number that was split.
#
# By that, a header is told from a row of values, and `1,500` in a file with commas from the
# two cells `1` and `500`.

_FIRST_YEAR: Final = 1900
_LAST_YEAR: Final = 2100
"""Whole numbers in this range are years, which may be column names."""
NUMBER: Final = re.compile(r"[-+(]?[$€£]?\d[\d.,' ]*%?\)?")
"""A cell with only digits and number marks, such as `1.234,50` or `(5)`."""


def is_number(cell: str) -> bool:
    """Return True if a cell looks like a number."""
    return NUMBER.fullmatch(cell.strip()) is not None


def is_year(cell: str) -> bool:
    text = cell.strip()
    return (
        text.isdecimal() and len(text) == 4 and _FIRST_YEAR <= int(text) <= _LAST_YEAR
    )


def is_split_number(cell: str, next_cell: str) -> bool:
    """Return True if two cells may be one number with a comma: `1` and `500` of `1,500`."""
    return cell[-1:].isdigit() and next_cell[:1].isdigit()


# A row of a CSV file, and the layout of the file: its delimiter and its header.
#
#     Sales of 2025
#
#     City;Amount
#     Berlin;5
#
# This file has semicolons as delimiters, and its header is on line 3.


@dataclass(frozen=True, slots=True)
class CsvRow:
    """One row, and the line of the file on which it begins."""

    line: int
    cells: list[str]


@dataclass(slots=True)
class CsvLayout:
    """How a CSV file is read. Created from a sample of the file by `layout_of`."""

    delimiter: str
    has_backslashes: bool = False
    """True if a quotation mark within a cell is escaped with a backslash."""
    names: list[str] = field(default_factory=list)
    """The names of the file's columns, from its header."""
    header_line: int = 0
    """The line of the file with the names, from 1; 0 if the file has no header."""
    first_value_row: int = 0
    """The index of the first row with values, from 0. The rows before it are titles and
    the header. (A row may span several lines, so its index does not tell its line.)"""
    assumed: list[str] = field(default_factory=list)
    """Sentences on how the file was read, which is likely right: `line 3 is the header`."""
    doubts: list[str] = field(default_factory=list)
    """Sentences on what may be wrong, and has to be checked: `line 1 looks like a row, so ...`."""


# The lines of a CSV file from which a row is read, some of which may have to be read again.
#
# A cell in quotation marks may span several lines: `7,"Ada` and `Lovelace"` are one row. If
# nothing closes the mark, Python's `csv` fails at the end of the file. Then only the first line
# becomes a row, and the lines after it are put back.

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


# The rows of a file that do not fit its header, and how a script is told of them.
#
# Files have rows with too many or too few cells, or with a stray quotation mark. They are
# read as well as possible. A result tells their lines, so that a model can look there:
# `line 7 and 2 more: fewer cells than the header has`.


@dataclass(slots=True)
class UnfitRows:
    """The rows of a file that do not fit its header. `csv_rows` notes them while it reads."""

    longer: list[int] = field(default_factory=list)
    """The numbers of the lines with more cells than the header."""
    most_cells: int = 0
    """The number of cells of the longest such row; 0 if there is none."""
    shorter: list[int] = field(default_factory=list)
    """The numbers of the lines with fewer cells than the header."""
    empty: int = 0
    """The number of rows whose cells are all empty. They are left out."""
    open_quotations: list[int] = field(default_factory=list)
    """The numbers of the lines with a quotation mark that was read as an ordinary character."""
    spanning: list[int] = field(default_factory=list)
    """The first lines of rows that span several lines, some of which look like separate rows."""
    split_column: int | None = None
    """The index of the first column whose number may have been split at its comma; or None.

    If commas separate cells, the number `1,200` without quotation marks becomes the
    cells `1` and `200`, and the row is longer than the header.
    """

    def add_longer(self, line: int, cells: list[str]) -> None:
        """Add a row with more cells than the header, and where a number may have been split."""
        self.longer.append(line)
        self.most_cells = max(self.most_cells, len(cells))
        for column, (cell, next_cell) in enumerate(pairwise(cells)):
            if is_split_number(cell, next_cell):
                if self.split_column is None or column < self.split_column:
                    self.split_column = column
                return

    def may_be_split(self, column: int) -> bool:
        """Return True if a column may have wrong cells because a number was split.

        The parts of the number are in its own column and the next one, and all later
        cells are shifted.
        """
        return self.split_column is not None and column >= self.split_column

    def doubts(self, width: int) -> list[str]:
        """Return one sentence for each kind of unfit row. The header has `width` cells."""
        doubts = []
        if self.longer:
            place = _line_text(self.longer)
            doubts.append(
                f"{place}: more cells than the header, which has {width}; the further ones are in "
                f"{column_name(width + 1)} and after it"
            )
        if self.shorter:
            doubts.append(
                f"{_line_text(self.shorter)}: fewer cells than the header has"
            )
        if self.open_quotations:
            place = _line_text(self.open_quotations)
            doubts.append(
                f"{place}: a quotation mark that nothing closes is read as a character"
            )
        if self.spanning:
            place = _line_text(self.spanning)
            doubts.append(
                f"{place}: a cell in quotation marks holds further lines, which may be rows"
            )
        if self.empty:
            doubts.append(f"rows without any value, left out: {self.empty:,}")
        return doubts


def _line_text(lines: list[int]) -> str:
    """Return the first of these lines, and how many follow: `line 7`, or `line 7 and 2 more`."""
    if len(lines) == 1:
        return f"line {lines[0]}"
    return f"line {lines[0]} and {len(lines) - 1:,} more"


def column_name(number: int) -> str:
    return f"column_{number}"


# Splits the text of a CSV file into rows of cells, even if its quotation marks are misplaced.
#
# A cell in quotation marks may span several lines: `7,"Ada` and `Lovelace"` are one row. But
# if nothing closes the mark, it is an ordinary character, and each line is a row. Python's
# `csv` would take the rest of the file for one cell.


def raw_rows(text: str, layout: CsvLayout, unfit: UnfitRows) -> Iterator[CsvRow]:
    """Yield every row of the text. An empty line is a row without cells.

    Rows with misplaced quotation marks are recorded in `unfit`.
    """
    lines = Lines(text)
    reader = _strict_reader(lines, layout)
    while True:
        try:
            cells = next(reader)  # Takes one line from `lines`, or several.
        except StopIteration:
            return
        except csv.Error:
            # A quotation has no closing mark, or a mark is inside a cell. The first
            # line becomes a row of its own. The lines after it are put back, and read by a
            # new reader, since the old one cannot go on after an error.
            line = lines.keep_only_first()
            unfit.open_quotations.append(lines.row_number)
            cells = _cells_of_line(line, layout)
            reader = _strict_reader(lines, layout)

        spans_lines = len(lines.of_row) > 1
        if spans_lines and _may_hold_rows(lines.of_row, layout):
            unfit.spanning.append(lines.row_number)
        if lines.row_number == 1 and cells:
            cells[0] = cells[0].removeprefix("\ufeff")  # A byte order mark.
        row = CsvRow(lines.row_number, cells)
        lines.end_row()
        yield row


def _strict_reader(lines: Lines, layout: CsvLayout) -> Iterator[list[str]]:
    """Return a reader that raises `csv.Error` if a quotation ends within a cell or not at all.

    That is `"a"b`, or `"Ada` without a second mark. Without `strict`, the latter would make
    the rest of the file one cell.
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
    """Return the cells of a line that is a row of its own, because its quotation does not end.

    `7,"Ada,5` -> `7`, `"Ada`, `5`. If the line has an even number of marks, cells in quotation
    marks are still read as such.
    """
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
    width = len(layout.names)
    if width < 2:
        return False
    for line in lines[1:]:
        if line.count(layout.delimiter) >= width - 1:
            return True
    return False


# Values that have a type, in JSON or Parquet, as the text of a cell.
#
# All tables are loaded from texts, and what a text means is found out afterwards. So a number
# is written such that it can be read in one way only.


def written_value(value: Any) -> str:
    """Return a value from JSON or a typed table as the text of a cell.

    A number with three decimals gets a fourth: 1.234 becomes `1.2340`, because `1.234`
    could be read as 1,234.
    """
    if isinstance(value, float | Decimal):
        text = str(value)
    else:
        text = json.dumps(value)
    if isinstance(value, dict | list):
        return text
    _, point, decimals = text.rpartition(".")
    has_three_decimals = bool(point) and len(decimals) == 3
    return f"{text}0" if has_three_decimals else text
