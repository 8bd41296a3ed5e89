"""Loads a CSV, TSV or JSON Lines file into the raw table, in which all cells are texts.

Which columns hold numbers or dates is found out afterwards, from all cells of a column: whether
`1,234` is a thousand or about one is seen only if another row has `0,25`.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from controlplane.benchmarks.files.sources.file_suffixes import (
    JSON_LINES_SUFFIXES,
    TAB_SUFFIXES,
)
from controlplane.benchmarks.files.tables.csv_files import (
    CsvLayout,
    CsvRow,
    UnfitRows,
    column_name,
    is_number,
    is_split_number,
    is_year,
    raw_rows,
    written_value,
)
from controlplane.benchmarks.files.tables.table_database import (
    LINE,
    RAW_TABLE,
    database,
    files,
)
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.foreign_documents import read_json

# Names of the columns of a table: all different, and none empty.
#
# A file may have two columns `city`, or a column without a name. A query needs a name for each of
# them, so that it can select either of the two.


class ColumnNames:
    """The names of a table's columns, in order."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def add(self, name: str) -> None:
        """Add a column. If its name is empty or already in use, it gets its number.

        If the third column has no name, it is `column_3`; if it is a second `city`, it is
        `city_3`. The name `_line` is always in use, for the lines of the file. Raises `ValueError`
        if there are too many columns.
        """
        number = len(self.names) + 1
        if number > bounds.MOST_COLUMNS:
            msg = f"there are more than {bounds.MOST_COLUMNS} columns"
            raise ValueError(msg)
        plain_name = " ".join(name.replace("\ufeff", "").split()) or f"column_{number}"
        used_names = {used.casefold() for used in (*self.names, LINE)}
        while plain_name.casefold() in used_names:
            plain_name = f"{plain_name}_{number}"
        self.names.append(plain_name)


# Reads the rows of CSV files as they occur in practice, with too many or too few cells.
#
# The number `1,200` without quotation marks becomes two cells, `1` and `200`, and its row
# is longer than the header. Such rows are kept and recorded (`UnfitRows`), so that whoever
# uses the values knows of it.


_TEXT_FORMULA: Final = re.compile(r'="([^"]*)"')
"""A text as a formula of a spreadsheet: `="007"`."""


def csv_rows(text: str, layout: CsvLayout, unfit: UnfitRows) -> Iterator[CsvRow]:
    """Yield the rows below the header that have values.

    Those that do not fit the header, and how many rows are empty, are recorded in `unfit`.
    Raises `csv.Error` if a cell is too long.
    """
    width = len(layout.names)
    for index, row in enumerate(raw_rows(text, layout, unfit)):
        if index < layout.first_value_row:
            continue
        if any(cell.startswith('="') for cell in row.cells):
            # `="007"` keeps a spreadsheet from taking a code for a number.
            cells = [_TEXT_FORMULA.sub(r"\1", cell) for cell in row.cells]
            row = CsvRow(row.line, cells)
        if not any(cell.strip() for cell in row.cells):
            if row.cells:  # An empty line has no cells, and is not counted.
                unfit.empty += 1
            continue
        if len(row.cells) > bounds.MOST_COLUMNS:
            # The last column gets the rest of the line.
            last_column = bounds.MOST_COLUMNS - 1
            rest = layout.delimiter.join(row.cells[last_column:])
            row = CsvRow(row.line, [*row.cells[:last_column], rest])
        if len(row.cells) > width:
            has_surplus_values = any(cell.strip() for cell in row.cells[width:])
            if has_surplus_values:
                unfit.add_longer(row.line, row.cells)
            else:
                del row.cells[width:]
        elif len(row.cells) < width:
            unfit.shorter.append(row.line)
        yield row


# The titles above a table: rows at the start of a file that have at most one text.
#
#     Sales of 2025
#
#     City,Amount,Tax
#     Berlin,5,1
#
# Here the titles are the first two rows, the second of which is empty. They are not part of the
# table, and must not be taken for its header.

_MAX_TITLE_ROWS: Final = 10
"""The most rows above the header, such as the title and date of an export."""


def _leading_titles(rows: list[CsvRow]) -> list[CsvRow]:
    """Return the first rows that have at most one text, such as an export's title.

    Rows `Sales of 2025`, (empty), `City,Amount`, ... -> the first two. The result is empty if
    all of the first `_MAX_TITLE_ROWS` are like that: the file is then a table with one column.
    """
    first_rows = rows[:_MAX_TITLE_ROWS]
    for position, row in enumerate(first_rows):
        texts = [cell for cell in row.cells if cell.strip()]
        if len(texts) > 1:
            return first_rows[:position]
    return []


# The number of cells in the header of a table, which may have titles above it.
#
#     Sales of 2025
#     City,Amount
#     Berlin,5
#
# Here it is 2, assuming that a comma is the delimiter. To find the delimiter of a file, this
# width is computed for each candidate: with the right one, most rows are as wide.

_LEAST_CERTAIN_WIDTH: Final = 3
"""If a row with one cell stands above rows with this many, it is surely a title.

Above rows with two cells, it may be the header of one column, whose values have a comma."""


def _header_width(filled_rows: list[CsvRow], delimiter: str) -> int:
    """Return the number of cells in the header. `filled_rows` were split at this delimiter.

    The header is the first row that is not a title; 0 without rows.
    """
    if not filled_rows:
        return 0
    first_width = len(filled_rows[0].cells)
    if first_width > 1:  # The first row is the header.
        return first_width

    # The first row has one cell. It is a title if a table with several columns follows,
    # and otherwise the header of a table with one column.
    titles = _leading_titles(filled_rows)
    rows_below = filled_rows[len(titles) :]
    if not titles or len(rows_below) < 2:
        return 1
    width = _most_frequent_width(rows_below)
    if width >= _LEAST_CERTAIN_WIDTH:
        return width
    if width == 2 and _has_two_columns(titles, rows_below[0], delimiter):
        return width
    return 1


def _has_two_columns(titles: list[CsvRow], first_row: CsvRow, delimiter: str) -> bool:
    """Return True if rows with two cells below these titles are a table with two columns.

    Otherwise it is a table with one column, whose name is the "title", and whose values
    contain the delimiter:

        two columns:          one column:
        Sales of 2025         name
        Berlin,5              Ada, the first
    """
    # The name of a column rarely has several words.
    titles_have_several_words = all(" " in title.cells[0] for title in titles)
    may_be_one_value = delimiter == "," and _has_commas_of_values(first_row)
    return titles_have_several_words and not may_be_one_value


def _most_frequent_width(rows: list[CsvRow]) -> int:
    """Return the most common number of cells in a row; the larger number in a tie."""
    rows_of_width = Counter(len(row.cells) for row in rows)
    return max(rows_of_width, key=lambda width: (rows_of_width[width], width))


def _has_commas_of_values(row: CsvRow) -> bool:
    """Return True if two cells may be one value with a comma: `Ada, the first` or `1,500`."""
    for cell, next_cell in zip(row.cells, row.cells[1:], strict=False):
        is_prose = next_cell.startswith(" ")
        if is_prose or is_split_number(cell, next_cell):
            return True
    return False


# Finds the delimiter of a file: the one for which most lines have as many cells as the header.
#
# For `Weight, kg;Name` above `2,5;Lamp`, it is the semicolon: each row then has two cells. The
# detectors of DuckDB and Python are not used, because they choose the comma for this header.

_DELIMITERS: Final = (",", ";", "\t", "|")
_NO_DELIMITER: Final = "\x1f"
"""Used as the delimiter of a file with one column, because this character occurs in no text."""
_LEAST_QUALITY: Final = 0.3
"""The quality that a delimiter must exceed: about the share of lines as wide as the header."""
_COMMA_IN_VALUE: Final = re.compile(r"\d,\d|, ")
"""A comma that may be part of a value: between digits, or before a space as in prose."""


def _likeliest_delimiter(sample: str, *, has_backslashes: bool) -> str:
    """Return the delimiter for which most lines have as many cells as the header.

    `sample` is the beginning of the file. The result is `_NO_DELIMITER` if none fits well.
    """
    best_delimiter = _NO_DELIMITER
    best_quality = _LEAST_QUALITY
    best_width = 0
    for delimiter in _DELIMITERS:
        if delimiter not in sample:
            continue
        rows = _sample_rows(sample, delimiter, has_backslashes=has_backslashes)
        filled_rows = [row for row in rows if any(row.cells)]
        width = _header_width(filled_rows, delimiter)
        has_several_columns = width > 1
        if not has_several_columns:
            continue
        # Rounded, so that of two delimiters that fit about equally well, the one with more
        # columns is chosen.
        quality = round(_quality(filled_rows, width, delimiter), 2)
        fits_better = quality > best_quality
        fits_as_well = quality == best_quality
        if fits_better or (fits_as_well and width > best_width):
            best_delimiter = delimiter
            best_quality = quality
            best_width = width
    return best_delimiter


def _quality(rows: list[CsvRow], width: int, delimiter: str) -> float:
    """Return how well a delimiter fits: 1 is best.

    This is the share of rows as wide as the header, minus the share of cells that
    contain another delimiter. (A wrong delimiter leaves the right one inside the cells:
    splitting `a;b,c;d` at commas gives `a;b` and `c;d`.)
    """
    matching_rows = 0.0
    cells = 0
    cells_with_other_delimiter = 0
    for row in rows:
        if len(row.cells) == width:
            matching_rows += 1
        elif len(row.cells) > width:
            # It counts half: it may be right, with the delimiter in an unquoted value. A
            # narrower row cannot be right.
            matching_rows += 0.5
        for cell in row.cells:
            cells += 1
            if _holds_other_delimiter(cell, delimiter):
                cells_with_other_delimiter += 1
    return matching_rows / len(rows) - cells_with_other_delimiter / cells


def _holds_other_delimiter(cell: str, delimiter: str) -> bool:
    """Return True if a cell contains a delimiter other than the assumed one.

    A comma that may be part of a value, as in `1,500`, does not count.
    """
    for other in _DELIMITERS:
        if other == delimiter or other not in cell:
            continue
        if other != ",":
            return True
        if "," in _COMMA_IN_VALUE.sub("", cell):
            return True
    return False


def _sample_rows(sample: str, delimiter: str, *, has_backslashes: bool) -> list[CsvRow]:
    """Return the rows of a sample, split at a delimiter. The last row may be incomplete."""
    layout = CsvLayout(delimiter, has_backslashes)
    not_used = UnfitRows()  # Irregular rows are noted only when the whole file is read.
    return list(raw_rows(sample, layout, not_used))


# Finds the header of a table below rows of titles, such as the title and date of an export.
#
#     Sales of 2025
#
#     City,Amount,Tax
#     Berlin,5,1
#
# Here the header is the third row. Titles are recognized because they have fewer cells than
# the rows of the table.


def _position_of_header(rows: list[CsvRow], delimiter: str) -> int | None:
    """Return the index of the header row; None if there is none.

    There may be titles above it, and empty rows:

        Sales of 2025
        Region,North
        Date,2025-12-31

        City,Amount,Tax
        Berlin,5,1
    """
    # Skip titles with one cell: `Sales of 2025`. In a table with one column, the first
    # row has one cell, too, but is the header.
    filled_rows = [row for row in rows if any(row.cells)]
    position = 0
    if _header_width(filled_rows, delimiter) > 1:
        position = len(_leading_titles(rows))

    # Skip titles with several cells: `Region,North`. Only an empty row below tells them from
    # the table.
    position = _end_of_title_block(rows, position)

    # Skip empty rows.
    while position < len(rows) and not any(rows[position].cells):
        position += 1
    return position if position < len(rows) else None


def _end_of_title_block(rows: list[CsvRow], start: int) -> int:
    """Return the index of the empty row that ends a block of titles; `start` without a block.

    A block begins at the row `start`, and a wider table follows it. Here the result is 1:

        Report,2025

        City,Amount,Tax
        Berlin,5,1
    """
    empty_row = _next_empty_row(rows, start)
    if empty_row is None:
        return start

    title_width = max(len(row.cells) for row in rows[start:empty_row])
    filled_rows_below = [row.cells for row in rows[empty_row:] if any(row.cells)]
    if len(filled_rows_below) < 2:
        return start
    header, first_row = filled_rows_below[:2]
    is_wider_table = len(header) > title_width and len(header) == len(first_row)
    header_has_numbers = any(map(is_number, header))
    if is_wider_table and not header_has_numbers:
        return empty_row
    return start


def _next_empty_row(rows: list[CsvRow], start: int) -> int | None:
    """Return the index of the first empty row after `start`; None without one nearby."""
    end = min(len(rows), start + _MAX_TITLE_ROWS)
    for index in range(start + 1, end):
        if not any(rows[index].cells):
            return index
    return None


# Headers of two rows, in which the names of the upper row span several columns.
#
#     2024,,2025,
#     Q1,Q2,Q1,Q2
#     5,7,6,8
#
# The columns of this table are `2024 Q1`, `2024 Q2`, `2025 Q1` and `2025 Q2`.


def _is_second_header(cells: list[str], rows_below: list[list[str]]) -> bool:
    """Return True if the first of the rows below belongs to the header, whose cells are given.

    Both have the same width, only the rows of values have numbers, and a name of the header
    spans several columns: the header has an empty cell, or the same name again. Below such a
    name, years are names, too: `Name,Sales,Sales` above `Name,2024,2025`.
    """
    if not rows_below:
        return False
    second_header, *rows_of_values = rows_below
    if len(second_header) != len(cells):
        return False
    if not any(is_number(cell) for row in rows_of_values for cell in row):
        return False
    upper_names = [cell.strip() for cell in cells]
    has_span = False
    for column, name in enumerate(second_header):
        is_spanned = column > 0 and upper_names[column] in ("", upper_names[column - 1])
        if is_spanned and name.strip():
            has_span = True
        if is_number(name):
            begins_span = upper_names[column] in upper_names[column + 1 : column + 2]
            values = [row[column] for row in rows_of_values if column < len(row)]
            is_name = is_year(name) and not any(map(is_year, values))
            if not is_name or not (is_spanned or begins_span):
                return False
    return has_span


def _joined_names(upper_cells: list[str], lower_cells: list[str]) -> list[str]:
    """Join the names of a header of two rows: `2024,,2025,` and `Q1,Q2,Q1,Q2` -> `2024 Q1`, ..."""
    names = []
    upper_name = ""
    for upper_cell, lower_cell in zip(upper_cells, lower_cells, strict=True):
        # An empty cell continues the name on its left.
        upper_name = upper_cell.strip() or upper_name
        lower_name = lower_cell.strip()
        if lower_name and lower_name != upper_name:
            names.append(f"{upper_name} {lower_name}".strip())
        else:
            names.append(upper_name)
    return names


# Reads the header of a table: one row of names, two rows, or none at all.
#
# Usually it is `City,Amount` in the first line. But there may be titles above it, or the
# file begins with values at once: then columns are named `column_1` and so on. What was assumed
# is told with each result, since a wrong header makes wrong columns.

SHOWN_TITLE_CHARS: Final = 60


def _find_header(rows: list[CsvRow], layout: CsvLayout) -> None:
    """Add the header of a file to its layout, from its first rows.

    The script is told by `assumed` what was taken for the header, and by `doubts` why that
    may be wrong.
    """
    position = _position_of_header(rows, layout.delimiter)
    if position is None:
        return
    header_row = rows[position]
    rows_below = [row for row in rows[position + 1 :] if any(row.cells)]
    cells_below = [row.cells for row in rows_below]
    for row in rows[:position]:
        title = " ".join(filter(None, row.cells))[:SHOWN_TITLE_CHARS]
        if title:
            layout.assumed.append(f"line {row.line} stands above the header: {title!r}")

    # `Berlin,5` above `Bonn,7`: no header. Columns get numbers.
    if _is_row_of_values(header_row.cells, cells_below):
        layout.names = [
            column_name(number) for number, _ in enumerate(header_row.cells, start=1)
        ]
        layout.first_value_row = position
        layout.doubts.append(
            f"line {header_row.line} looks like a row, "
            f"so columns are named {layout.names[0]} and so on"
        )
        return

    layout.names = header_row.cells
    layout.header_line = header_row.line
    layout.first_value_row = position + 1
    if position > 0:
        layout.assumed.append(f"line {header_row.line} is the header")
    # `2025,,2026,` above `Q1,Q2,Q1,Q2`: a header of two rows.
    if _is_second_header(header_row.cells, cells_below):
        second_row = rows_below[0]
        layout.names = _joined_names(header_row.cells, second_row.cells)
        # There may be empty rows between the two.
        layout.first_value_row = rows.index(second_row) + 1
        layout.doubts.append(
            f"lines {header_row.line} and {second_row.line} are one header"
        )
    # `City,Amount`: a header of one row, which may lack a name for the first column.
    elif _has_row_names(header_row.cells, cells_below):
        row_name = column_name(1)
        layout.names = [row_name, *header_row.cells]
        layout.doubts.append(
            f"rows have one cell more than the header: the first one is taken for a name, {row_name}"
        )


def _is_row_of_values(cells: list[str], rows_below: list[list[str]]) -> bool:
    """Return True if the first row holds values instead of names: `Berlin,5` above `Bonn,7`.

    It must have a number in every column that is numeric below it. A year counts as a
    name, so `City,2024,2025` is a header.
    """
    has_numeric_column = False
    for column, cell in enumerate(cells):
        if not _is_numeric_column(column, rows_below):
            continue
        has_numeric_column = True
        is_name = is_year(cell) or not is_number(cell)
        if is_name:
            return False
    return has_numeric_column


def _is_numeric_column(column: int, rows: list[list[str]]) -> bool:
    """Return True if a column has values, and all are numbers. Empty cells do not count."""
    values = []
    for row in rows:
        if column < len(row) and row[column].strip():
            values.append(row[column])
    return bool(values) and all(map(is_number, values))


def _has_row_names(cells: list[str], rows_below: list[list[str]]) -> bool:
    """Return True if each row starts with a name that has no header cell, as written by R.

    mpg,cyl
    Mazda,21,6
    Datsun,22,4
    """
    for row in rows_below:
        if len(row) != len(cells) + 1 or is_number(row[0]):
            return False
        # Rows may also be one cell longer for other reasons: the line ends with a
        # delimiter, or a value with a comma, such as `Ada, the first`, was split.
        ends_with_delimiter = not row[-1].strip()
        has_split_value = any(cell.startswith(" ") for cell in row)
        if ends_with_delimiter or has_split_value:
            return False
    return len(rows_below) > 1


# Finds out from the first lines of a CSV file how to read it.
#
# Programs write CSV files with commas, semicolons or tabs, and some put titles above the
# header. Nothing in the file says so, and a wrong guess would make wrong columns.

_DELIMITER_NAMES: Final = {"\t": "tabs", ",": "commas", ";": "semicolons", "|": "pipes"}
_SAMPLE_LINES: Final = 500
"""The number of lines at the start of a file by which its layout is found."""
_SAMPLE_CHARS: Final = 200_000
_GAP: Final = re.compile(r" {2}")
"""What stands between columns of fixed width."""
_FEW_LINES: Final = 2
_SEPARATOR_LINE: Final = re.compile(r'\ufeff?"?sep=(.)"?')
"""The first line that Excel writes to name the delimiter: `sep=;`."""


def layout_of(text: str, *, is_tab_separated: bool = False) -> CsvLayout:
    """Detect from a file's first lines how to read it. A TSV file is tab-separated."""
    sample = _sample(text)
    # A quotation mark inside a cell is written `\"` in some files, and `""` in most.
    has_backslashes = '\\"' in sample and '""' not in sample

    declared_delimiter = _declared_delimiter(sample)
    if declared_delimiter:
        delimiter = declared_delimiter
    elif is_tab_separated and "\t" in sample:
        delimiter = "\t"
    else:
        delimiter = _likeliest_delimiter(sample, has_backslashes=has_backslashes)
    layout = CsvLayout(delimiter, has_backslashes)
    if delimiter != _NO_DELIMITER:
        name = _DELIMITER_NAMES.get(delimiter, repr(delimiter))
        layout.assumed.append(f"cells are separated by {name}")

    rows = _sample_rows(sample, delimiter, has_backslashes=has_backslashes)
    if declared_delimiter and rows:
        # The line `sep=;` is not a part of the table. It becomes an empty row, so that all
        # other rows keep their indices.
        rows[0] = CsvRow(line=1, cells=[])
    _find_header(rows, layout)
    lines = list(filter(str.strip, sample.splitlines()))
    if delimiter == _NO_DELIMITER and len(lines) > _FEW_LINES:
        if all(_GAP.search(line.strip()) for line in lines):
            layout.doubts.append(
                "the lines look like columns of fixed width, which are read as one column"
            )
    return layout


def _declared_delimiter(sample: str) -> str:
    """Return the delimiter that the first line names: `sep=;` -> `;`; empty if it names none."""
    first_line = sample.partition("\n")[0].rstrip("\r")
    match = _SEPARATOR_LINE.fullmatch(first_line)
    return match[1] if match else ""


def normal_lines(text: str) -> str:
    """Return the text with line feeds if its lines end with carriage returns, as on old Macs."""
    lone_returns = text.count("\r") - text.count("\r\n")
    if lone_returns and lone_returns >= text.count("\n"):
        return text.replace("\r\n", "\n").replace("\r", "\n")
    return text


def _sample(text: str) -> str:
    """Return the first lines of a text: at most `_SAMPLE_LINES`, about `_SAMPLE_CHARS` long.

    The last line is whole, unless the text has too few line breaks.
    """
    end = 0
    for _ in range(_SAMPLE_LINES):
        line_end = text.find("\n", end)
        if line_end < 0:
            return text[:_SAMPLE_CHARS]
        end = line_end + 1
        if end > _SAMPLE_CHARS:
            break
    return text[:end]


# Loads rows of cells into the raw table of the database, in which all cells are texts.
#
# The rows are first written to a file in memory as plain CSV, which DuckDB loads much faster than
# rows that are inserted one by one.

_RAW_FILE: Final = "/table.csv"
"""The in-memory file from which DuckDB loads the raw table."""
_MAX_CELL_CHARS: Final = 16_000_000
"""The most characters of one cell, and of a line in DuckDB. No file that is searched is larger."""
csv.field_size_limit(_MAX_CELL_CHARS)


class RawRows:
    """The rows of a file, and how they were read.

    All but `line` is complete after `load`.
    """

    def __init__(self, path: str, text: str) -> None:
        """Take the text of the file at a path, whose suffix says what it is."""
        self._path = path.lower()
        self._text = text
        self.columns = ColumnNames()
        """The names in the header. Wider rows add names, and so does a key that first appears in a
        later object of JSON Lines."""
        self.line = 1
        """The line that is being read, for error messages."""
        self.assumed: list[str] = []
        """How the file was read, such as `cells are separated by tabs`."""
        self.doubts: list[str] = []
        """What may be read wrongly, such as rows with fewer cells than the header."""
        self.unfit = UnfitRows()
        """The rows whose number of cells differs from the header's, and other irregular rows. (In
        JSON Lines, a row without a key has an empty cell there.)"""

    def load(self) -> None:
        """Load all rows into the raw table.

        Raises `ValueError`, `csv.Error` or `duckdb.Error` if the text is not a table.
        """
        is_json = self._path.endswith(JSON_LINES_SUFFIXES)
        rows = self._json_rows() if is_json else self._csv_rows()
        # First into a file in memory: only after the last row it is known how many columns
        # there are.
        with files.open(
            _RAW_FILE, "w", encoding="utf-8", errors="replace", newline=""
        ) as raw_file:
            csv.writer(raw_file, lineterminator="\n").writerows(rows)
        if not self.columns.names:
            msg = "its first line names no columns"
            raise ValueError(msg)
        columns = [f"'{LINE}': 'bigint'"]
        for number, _ in enumerate(self.columns.names):
            columns.append(f"'c{number}': 'varchar'")
        options = [
            f"columns={{{', '.join(columns)}}}",
            "auto_detect=false",
            "header=false",
            "delim=','",
            "quote='\"'",
            "escape='\"'",
            "new_line='\\n'",
            # An empty cell becomes null, and so does a cell that a short row lacks.
            "nullstr=''",
            "null_padding=true",
            "parallel=false",
            f"max_line_size={_MAX_CELL_CHARS}",
        ]
        database.execute(
            f"create or replace temp table {RAW_TABLE} as "
            f"from read_csv('memory://{_RAW_FILE}', {', '.join(options)})"
        )
        files.rm(_RAW_FILE)

    def _csv_rows(self) -> Iterator[list[Any]]:
        """Yield the line of each row, followed by its cells: `[2, "Berlin", "1,5"]`.

        Raises `ValueError` or `csv.Error` if the text is not a table.
        """
        text = normal_lines(self._text)
        is_tab_separated = self._path.endswith(TAB_SUFFIXES)
        layout = layout_of(text, is_tab_separated=is_tab_separated)
        self.assumed = layout.assumed
        for name in layout.names:
            self.columns.add(name)
        for row in csv_rows(text, layout, self.unfit):
            self.line = row.line
            yield [row.line, *row.cells]
        # Rows that are longer than the header have further cells, which need columns.
        for number in range(len(self.columns.names) + 1, self.unfit.most_cells + 1):
            self.columns.add(column_name(number))
        self.doubts = [*layout.doubts, *self.unfit.doubts(len(layout.names))]

    def _json_rows(self) -> Iterator[list[Any]]:
        """Yield the line of each object in JSON Lines, followed by its values.

        The lines `{"city": "Graz"}` and `{"city": "Linz", "km": 5}` are rows of the columns `city`
        and `km`. A row is shorter if a later object adds a column. A single value on a line is a row
        of the column `value`. Raises `ValueError` if a line is not JSON.
        """
        # Those of all objects so far, as a set with an order.
        keys: dict[str, None] = {}
        lines = io.StringIO(self._text, newline="\n")
        for line, json_text in enumerate(lines, start=1):
            self.line = line
            if not json_text.strip():
                continue
            value = read_json(json_text)
            record = value if isinstance(value, dict) else {"value": value}
            for key in record:
                if key not in keys:
                    keys[key] = None
                    self.columns.add(key)
            cells: list[Any] = [line]
            for key in keys:
                cell = record.get(key)
                is_text = cell is None or isinstance(cell, str)
                cells.append(cell if is_text else written_value(cell))
            yield cells
