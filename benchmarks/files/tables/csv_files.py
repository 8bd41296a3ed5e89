"""CSV and TSV files as they occur in practice: their delimiter, their header and their rows.

    csv_file = CsvFile("Sales of 2025\\nCity;Amount\\nBerlin;5\\n")
    csv_file.names         # ["City", "Amount"]
    list(csv_file.rows())  # [CsvRow(line=3, cells=["Berlin", "5"])]

What is taken for the delimiter and the header is guessed, and told by `assumed` and `doubts`.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from decimal import Decimal
from itertools import pairwise
from typing import Any, Final, NamedTuple

from controlplane.sandbox.interface import bounds

# What cells of a CSV file look like: numbers, years, parts of a number that was split.
#
# By that, a header is told from a row of values, and `1,500` in a file with commas from the
# two cells `1` and `500`.

_FIRST_YEAR: Final = 1900
_LAST_YEAR: Final = 2100
"""Whole numbers in this range are years, which may be column names."""
_NUMBER: Final = re.compile(r"[-+(]?[$€£]?\d[\d.,' ]*%?\)?")
"""A cell with only digits and number marks, such as `1.234,50` or `(5)`."""
_TEXT_FORMULA: Final = re.compile(r'="([^"]*)"')
"""A text as a formula of a spreadsheet: `="007"`, which is no number there."""


def _is_number(cell: str) -> bool:
    """Return True if a cell looks like a number."""
    return _NUMBER.fullmatch(cell.strip()) is not None


def _is_year(cell: str) -> bool:
    text = cell.strip()
    return (
        text.isdecimal() and len(text) == 4 and _FIRST_YEAR <= int(text) <= _LAST_YEAR
    )


def _split_number(cells: Sequence[str]) -> int | None:
    """Return the index of the first cell that may be one number with the next: `1`, `500`."""
    for column, (cell, next_cell) in enumerate(pairwise(cells)):
        if cell[-1:].isdigit() and next_cell[:1].isdigit():
            return column
    return None


def column_name(number: int) -> str:
    return f"column_{number}"


# Splits the text of a CSV file into rows of cells, even if its quotation marks are misplaced.
#
# A cell in quotation marks may span several lines: `7,"Ada` and `Lovelace"` are one row. But
# if nothing closes the mark, it is an ordinary character, and each line is a row. Python's
# `csv` would take the rest of the file for one cell.

MAX_CELL_LINES: Final = 1_000
"""The most lines of one cell in quotation marks.

If the closing mark does not follow within them, the opening one is an ordinary character.
"""
_MAX_CELL_CHARS: Final = 16_000_000
"""The most characters of one cell. No file that is searched is larger."""
csv.field_size_limit(_MAX_CELL_CHARS)


class CsvRow(NamedTuple):
    """One row, and the line of the file on which it begins."""

    line: int
    cells: list[str]


def _raw_rows(
    text: str, delimiter: str, *, has_backslashes: bool, unclosed: list[int]
) -> Iterator[CsvRow]:
    """Yield every row of the text. An empty line is a row without cells.

    The lines with a quotation mark that is read as an ordinary character are added to `unclosed`.
    If `has_backslashes`, a mark within a cell is written `\\"` instead of `""`.
    """
    source = io.StringIO(text, newline="\n")
    put_back: list[str] = []
    """Lines to read again. The next one is the last in the list."""
    lines_of_row: list[str] = []

    def lines() -> Iterator[str]:
        """Yield the lines of the text. One row may take several."""
        while len(lines_of_row) < MAX_CELL_LINES:
            line = put_back.pop() if put_back else source.readline()
            if not line:
                return
            lines_of_row.append(line)
            yield line
        msg = "a cell has too many lines"
        raise csv.Error(msg)

    def reader() -> Iterator[list[str]]:
        """Return a reader that raises `csv.Error` if a quotation ends within a cell or not at all."""
        return csv.reader(
            lines(),
            delimiter=delimiter,
            strict=True,
            escapechar="\\" if has_backslashes else None,
            doublequote=not has_backslashes,
        )

    rows = reader()
    line = 1
    while True:
        try:
            cells = next(rows, None)
        except csv.Error:
            # The first line becomes a row of its own. The lines after it are read again by a new
            # reader, since the old one cannot go on after an error.
            put_back += reversed(lines_of_row[1:])
            del lines_of_row[1:]
            unclosed.append(line)
            cells = _cells_of_line(lines_of_row[0], delimiter)
            rows = reader()
        if cells is None:
            return
        yield CsvRow(line, cells)
        line += len(lines_of_row)
        lines_of_row.clear()


def _cells_of_line(line: str, delimiter: str) -> list[str]:
    """Return the cells of a line that is a row of its own, because its quotation does not end.

    `7,"Ada,5` -> `7`, `"Ada`, `5`. If the line has an even number of marks, cells in quotation
    marks are still read as such.
    """
    line = line.rstrip("\r\n")
    if line.count('"') % 2 == 0:
        with suppress(csv.Error):
            return next(csv.reader([line], delimiter=delimiter))
    return line.split(delimiter)


# Finds the header of a table below rows of titles, such as the title and date of an export.
#
#     Sales of 2025
#     Region,North
#
#     City,Amount,Tax
#     Berlin,5,1
#
# Here the header is the fourth row. Titles have fewer cells than the rows of the table.

_MAX_TITLE_ROWS: Final = 10
"""The most rows above the header, such as the title and date of an export."""
_LEAST_CERTAIN_WIDTH: Final = 3
"""If a row with one cell stands above rows with this many, it is surely a title.

Above rows with two cells, it may be the header of one column, whose values have a comma."""


def _filled(rows: Iterable[CsvRow]) -> list[list[str]]:
    """Return the cells of the rows that are not empty."""
    return [row.cells for row in rows if any(row.cells)]


def _position_of_header(rows: list[CsvRow], delimiter: str) -> int:
    """Return the index of the header row, after titles and empty rows."""
    position = _end_of_titles(rows, delimiter)
    # Titles with several cells, such as `Region,North`. Only an empty row and a wider table below
    # tell them from the table.
    for empty in range(position + 1, min(len(rows), position + _MAX_TITLE_ROWS)):
        if not any(rows[empty].cells):
            title_width = max(len(row.cells) for row in rows[position:empty])
            header, first_row = [*_filled(rows[empty:])[:2], [], []][:2]
            is_wider = title_width < len(header) == len(first_row)
            if is_wider and not any(map(_is_number, header)):
                position = empty
            break
    while position < len(rows) and not any(rows[position].cells):
        position += 1
    return position


def _end_of_titles(rows: list[CsvRow], delimiter: str) -> int:
    """Return how many of the first rows have at most one text, as titles do: `Sales of 2025`.

    It is 0 if they are the header and the values of a table with one column:

        two columns:          one column:
        Sales of 2025         name
        Berlin,5              Ada, the first
        Bonn,7                Bob, the second
    """
    end = 0
    for row in rows[:_MAX_TITLE_ROWS]:
        if sum(1 for cell in row.cells if cell.strip()) > 1:
            break
        end += 1
    titles = _filled(rows[:end])
    cells_below = _filled(rows[end:])
    if not titles or len(titles[0]) > 1:
        return end if cells_below else 0
    if len(cells_below) < 2:
        return 0
    rows_of_width = Counter(map(len, cells_below))
    width = max(rows_of_width, key=lambda width: (rows_of_width[width], width))
    is_prose = any(cell.startswith(" ") for cell in cells_below[0][1:])
    may_be_one_value = is_prose or _split_number(cells_below[0]) is not None
    # The name of a column rarely has several words.
    has_two_columns = (
        width == 2
        and all(" " in title[0] for title in titles)
        and not (delimiter == "," and may_be_one_value)
    )
    return end if width >= _LEAST_CERTAIN_WIDTH or has_two_columns else 0


# Finds the delimiter of a file: the one for which most lines have as many cells as the header.
#
# For `Weight, kg;Name` above `2,5;Lamp`, it is the semicolon: each row then has two cells. The
# detectors of DuckDB and Python are not used, because they choose the comma for this header.

_DELIMITER_NAMES: Final = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "pipes"}
_NO_DELIMITER: Final = "\x1f"
"""Used as the delimiter of a file with one column, because this character occurs in no text."""
_LEAST_QUALITY: Final = 0.3
"""The quality that a delimiter must exceed: about the share of lines as wide as the header."""
_COMMA_IN_VALUE: Final = re.compile(r"\d,\d|, ")
"""A comma that may be part of a value: between digits, or before a space as in prose."""
_SEPARATOR_LINE: Final = re.compile(r'\ufeff?"?sep=(.)"?')
"""The first line that Excel writes to name the delimiter: `sep=;`."""


def _quality(rows: list[list[str]], width: int, delimiter: str) -> float:
    """Return how well a delimiter fits: 1 is best.

    This is the share of rows as wide as the header, minus the share of cells that
    contain another delimiter. (A wrong delimiter leaves the right one inside the cells:
    splitting `a;b,c;d` at commas gives `a;b` and `c;d`.)
    """
    matching_rows = 0.0
    cells = [cell for row in rows for cell in row]
    for row in rows:
        if len(row) == width:
            matching_rows += 1
        elif len(row) > width:
            # It counts half: it may be right, with the delimiter in an unquoted value. A
            # narrower row cannot be right.
            matching_rows += 0.5
    odd_cells = 0
    others = _DELIMITER_NAMES.keys() - {delimiter}
    for cell in cells:
        text = _COMMA_IN_VALUE.sub("", cell) if "," in cell else cell
        odd_cells += not others.isdisjoint(text)
    return matching_rows / len(rows) - odd_cells / len(cells)


# Reads the header of a table: one row of names, two rows, or none at all.
#
#     2024,,2025,
#     Q1,Q2,Q1,Q2
#     5,7,6,8
#
# The columns of this table are `2024 Q1`, `2024 Q2`, `2025 Q1` and `2025 Q2`.


def _is_second_header(upper_names: list[str], rows_below: list[list[str]]) -> bool:
    """Return True if the first of the rows below belongs to the header, whose names are given.

    Both have the same width, only the rows of values have numbers, and a name of the header
    spans several columns: the header has an empty cell, or the same name again. Below such a
    name, years are names, too: `Name,Sales,Sales` above `Name,2024,2025`.
    """
    if not rows_below or len(rows_below[0]) != len(upper_names):
        return False
    lower_names, *rows = rows_below
    if not any(_is_number(cell) for row in rows for cell in row):
        return False
    has_span = False
    for column, name in enumerate(lower_names):
        upper_name = upper_names[column]
        is_spanned = column > 0 and upper_name in ("", upper_names[column - 1])
        has_span = has_span or (is_spanned and name.strip() != "")
        if _is_number(name):
            begins_span = upper_name in upper_names[column + 1 : column + 2]
            years_below = [
                row for row in rows if any(map(_is_year, row[column : column + 1]))
            ]
            if years_below or not _is_year(name) or not (is_spanned or begins_span):
                return False
    return has_span


def _joined_names(upper_names: list[str], lower_names: list[str]) -> list[str]:
    """Join the names of a header of two rows: `2024,,2025,` and `Q1,Q2,Q1,Q2` -> `2024 Q1`, ..."""
    names = []
    upper_name = ""
    for name, lower_cell in zip(upper_names, lower_names, strict=True):
        # An empty cell continues the name on its left.
        upper_name = name or upper_name
        # A name that stands in both rows is one.
        names.append(" ".join(dict.fromkeys([upper_name, lower_cell.strip()])).strip())
    return names


def _is_row_of_values(cells: list[str], rows_below: list[list[str]]) -> bool:
    """Return True if the first row holds values instead of names: `Berlin,5` above `Bonn,7`.

    It must have a number in every column that is numeric below it. A year counts as a
    name, so `City,2024,2025` is a header.
    """
    has_numeric_column = False
    for column, cell in enumerate(cells):
        values = [
            row[column]
            for row in rows_below
            if any(map(str.strip, row[column : column + 1]))
        ]
        if values and all(map(_is_number, values)):
            has_numeric_column = True
            if _is_year(cell) or not _is_number(cell):
                return False
    return has_numeric_column


def _has_row_names(cells: list[str], rows_below: list[list[str]]) -> bool:
    """Return True if each row starts with a name that has no header cell, as written by R.

    mpg,cyl
    Mazda,21,6
    Datsun,22,4
    """
    for row in rows_below:
        # Rows may also be one cell longer for other reasons: the line ends with a
        # delimiter, or a value with a comma, such as `Ada, the first`, was split.
        is_one_longer = len(row) == len(cells) + 1 and row[-1].strip() != ""
        if (
            not is_one_longer
            or _is_number(row[0])
            or any(cell.startswith(" ") for cell in row)
        ):
            return False
    return len(rows_below) > 1


_SAMPLE_LINES: Final = 500
"""The number of lines at the start of a file by which its layout is found."""
_SAMPLE_CHARS: Final = 200_000
_GAP: Final = re.compile(r" {2}")
"""What stands between columns of fixed width."""
_FEW_LINES: Final = 2
_SHOWN_TITLE_CHARS: Final = 60


class CsvFile:
    """A CSV file: how it is read, its rows, and what may be wrong with them."""

    def __init__(self, text: str, *, is_tab_separated: bool = False) -> None:
        """Find out from the first lines how to read the file. A TSV file is tab-separated."""
        lone_returns = text.count("\r") - text.count("\r\n")
        if lone_returns and lone_returns >= text.count("\n"):  # As on old Macs
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        self._text = text.removeprefix("\ufeff")
        sample = self._text[:_SAMPLE_CHARS]
        if len(self._text) > _SAMPLE_CHARS:  # The last line is not whole.
            sample = sample.rpartition("\n")[0] or sample
        sample_lines = sample.split("\n", _SAMPLE_LINES)[:_SAMPLE_LINES]
        sample = "\n".join(sample_lines)
        # A quotation mark inside a cell is written `\"` in some files, and `""` in most.
        self._has_backslashes = '\\"' in sample and '""' not in sample
        self.names: list[str] = []
        """The names of the columns, from the header."""
        self.header_line = 0
        """The line of the file with the names, from 1; 0 if the file has no header."""
        self._first_value_row = 0
        """The index of the first row with values, from 0. The rows before it are titles and
        the header. (A row may span several lines, so its index does not tell its line.)"""
        self.assumed: list[str] = []
        """Sentences on how the file was read, which is likely right: `line 3 is the header`."""
        self._header_doubts: list[str] = []
        self._unfit: defaultdict[str, list[int]] = defaultdict(list)
        """The lines of rows that do not fit the header, by what is odd about them."""
        self.first_longer_line = 0
        """The first line with more cells than the header; 0 if there is none."""
        self.most_cells = 0
        """The number of cells of the longest such row."""
        self.split_column = bounds.MOST_COLUMNS
        """The index of the first column whose number may have been split at its comma.

        If commas separate cells, the number `1,200` without quotation marks becomes the cells `1`
        and `200`, and the row is longer than the header. All later cells are shifted."""

        separator_line = _SEPARATOR_LINE.fullmatch(
            sample.partition("\n")[0].rstrip("\r")
        )
        if separator_line is not None:
            self._delimiter = separator_line[1]
        elif is_tab_separated and "\t" in sample:
            self._delimiter = "\t"
        else:
            self._delimiter = self._likeliest_delimiter(sample)
        if self._delimiter != _NO_DELIMITER:
            name = _DELIMITER_NAMES.get(self._delimiter, repr(self._delimiter))
            self.assumed.append(f"cells are separated by {name}")
        elif len(filled_lines := list(filter(str.strip, sample_lines))) > _FEW_LINES:
            if all(_GAP.search(line.strip()) for line in filled_lines):
                self._header_doubts.append(
                    "the lines look like columns of fixed width, which are read as one column"
                )
        rows = self._sample_rows(sample, self._delimiter)
        if separator_line is not None and rows:
            # The line `sep=;` is not a part of the table. It becomes an empty row, so that all
            # other rows keep their indices.
            rows[0] = CsvRow(1, [])
        self._find_header(rows)

    def _sample_rows(self, sample: str, delimiter: str) -> list[CsvRow]:
        """Return the rows of a sample, split at a delimiter. The last row may be incomplete."""
        return list(
            _raw_rows(
                sample, delimiter, has_backslashes=self._has_backslashes, unclosed=[]
            )
        )

    def _likeliest_delimiter(self, sample: str) -> str:
        """Return the delimiter for which most lines have as many cells as the header.

        `sample` is the beginning of the file. The result is `_NO_DELIMITER` if none fits well.
        """
        best_delimiter = _NO_DELIMITER
        best_fit = (_LEAST_QUALITY, math.inf)
        for delimiter in _DELIMITER_NAMES:
            rows = self._sample_rows(sample, delimiter)
            cells = _filled(rows[_position_of_header(rows, delimiter) :])
            if not cells or len(cells[0]) < 2:
                continue
            # Rounded, so that of two delimiters that fit about equally well, the one with more
            # columns is chosen.
            width = len(cells[0])
            fit = (round(_quality(cells, width, delimiter), 2), width)
            if fit > best_fit:
                best_delimiter, best_fit = delimiter, fit
        return best_delimiter

    def _find_header(self, rows: list[CsvRow]) -> None:
        """Find the header in the first rows, and tell what was taken for it."""
        position = _position_of_header(rows, self._delimiter)
        if position == len(rows):
            return
        line, cells = rows[position]
        rows_below = [row for row in rows[position + 1 :] if any(row.cells)]
        cells_below = _filled(rows_below)
        for row in rows[:position]:
            title = " ".join(filter(None, row.cells))[:_SHOWN_TITLE_CHARS]
            if title:
                self.assumed.append(
                    f"line {row.line} stands above the header: {title!r}"
                )

        # `Berlin,5` above `Bonn,7`: no header. Columns get numbers.
        if _is_row_of_values(cells, cells_below):
            self.names = [
                column_name(number) for number, _ in enumerate(cells, start=1)
            ]
            self._first_value_row = position
            self._header_doubts.append(
                f"line {line} looks like a row, so columns are named {self.names[0]} and so on"
            )
            return

        self.names = cells
        self.header_line = line
        self._first_value_row = position + 1
        if position > 0:
            self.assumed.append(f"line {line} is the header")
        # `2025,,2026,` above `Q1,Q2,Q1,Q2`: a header of two rows.
        upper_names = list(map(str.strip, cells))
        if _is_second_header(upper_names, cells_below):
            second_row = rows_below[0]
            self.names = _joined_names(upper_names, second_row.cells)
            # There may be empty rows between the two.
            self._first_value_row = rows.index(second_row) + 1
            self._header_doubts.append(
                f"lines {line} and {second_row.line} are one header"
            )
        # `City,Amount`: a header of one row, which may lack a name for the first column.
        elif _has_row_names(cells, cells_below):
            self.names = [column_name(1), *cells]
            self._header_doubts.append(
                "rows have one cell more than the header: "
                f"the first one is taken for a name, {column_name(1)}"
            )

    def rows(self) -> Iterator[CsvRow]:
        """Yield the rows below the header that have values. Those that do not fit it are noted.

        Raises `csv.Error` if a cell is too long.
        """
        width = len(self.names)
        unclosed = self._unfit[
            "a quotation mark that nothing closes is read as a character"
        ]
        rows = _raw_rows(
            self._text,
            self._delimiter,
            has_backslashes=self._has_backslashes,
            unclosed=unclosed,
        )
        for index, (line, cells) in enumerate(rows):
            if index < self._first_value_row:
                continue
            if any(cell.startswith('="') for cell in cells):
                cells = [_TEXT_FORMULA.sub(r"\1", cell) for cell in cells]
            if not any(map(str.strip, cells)):
                if cells:  # An empty line has no cells, and is not told.
                    self._unfit["a row without any value is left out"].append(line)
                continue
            if width > 1 and cells == self.names and self.header_line:
                # Files with the same header, one below the other
                self._unfit["the header again, which is left out"].append(line)
                continue
            if len(cells) > bounds.MOST_COLUMNS:
                # The last column gets the rest of the line.
                last_column = bounds.MOST_COLUMNS - 1
                cells[last_column:] = [self._delimiter.join(cells[last_column:])]
            if len(cells) < width:
                self._unfit["fewer cells than the header has"].append(line)
            elif any(map(str.strip, cells[width:])):
                self._note_longer_row(line, cells)
            else:
                del cells[width:]
            if any("\n" in cell for cell in cells) and self._may_hold_rows(cells):
                self._unfit[
                    "a cell in quotation marks holds further lines, which may be rows"
                ].append(line)
            yield CsvRow(line, cells)

    def _note_longer_row(self, line: int, cells: list[str]) -> None:
        """Note a row with more cells than the header, and where a number may have been split."""
        width = len(self.names)
        self._unfit[
            f"more cells than the header, which has {width}; the further ones are in "
            f"{column_name(width + 1)} and after it"
        ].append(line)
        self.first_longer_line = self.first_longer_line or line
        self.most_cells = max(self.most_cells, len(cells))
        column = _split_number(cells)
        if column is not None:
            self.split_column = min(self.split_column, column)

    def _may_hold_rows(self, cells: list[str]) -> bool:
        """Return True if a further line of a cell looks like a row of the table.

        It has as many cells as the header. Then two stray quotation marks may have made one
        row of several.
        """
        width = len(self.names)
        return width > 1 and any(
            line.count(self._delimiter) >= width - 1
            for cell in cells
            for line in cell.split("\n")[1:]
        )

    @property
    def doubts(self) -> list[str]:
        """What may be wrong, and has to be checked: `line 7 and 2 more: fewer cells than ...`.

        Complete after the last row.
        """
        doubts = list(self._header_doubts)
        for oddity, lines in self._unfit.items():
            if lines:
                others = f" and {len(lines) - 1:,} more" if len(lines) > 1 else ""
                doubts.append(f"line {lines[0]}{others}: {oddity}")
        return doubts


# Values that have a type, in JSON or Parquet, as the text of a cell.
#
# All tables are loaded from texts, and what a text means is found out afterwards. So a number
# is written such that it can be read in one way only.


def written_value(value: Any) -> str:
    """Return a value from JSON or a typed table as the text of a cell.

    A number with three decimals gets a fourth: 1.234 becomes `1.2340`, because `1.234`
    could be read as 1,234.
    """
    if not isinstance(value, float | Decimal):
        return json.dumps(value)
    text = str(value)
    _, point, decimals = text.rpartition(".")
    return f"{text}0" if point and len(decimals) == 3 else text
