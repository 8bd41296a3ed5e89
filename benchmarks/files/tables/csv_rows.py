"""Read CSV files as they occur in practice: any delimiter, titles above the header, uneven rows.

No data is dropped without a note. The delimiter is the one for which most lines have as
many cells as the header. The detectors of DuckDB and Python are not used: for the
header `Weight, kg;Name`, they choose the comma.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from controlplane.sandbox.interface import bounds

DELIMITERS: Final = (",", ";", "\t", "|")
DELIMITER_NAMES: Final = {"\t": "tabs", ",": "commas", ";": "semicolons", "|": "pipes"}
NO_DELIMITER: Final = "\x1f"
"""Used as the delimiter of a file with one column, because this character occurs in no text."""
SAMPLE_LINES: Final = 500
"""The number of lines at the start of a file by which its layout is found."""
SAMPLE_CHARS: Final = 200_000

# Limits for the header

MAX_TITLE_ROWS: Final = 10
"""The most rows above the header, such as the title and date of an export."""
LEAST_TITLED_WIDTH: Final = 3
"""A row with one cell above so many columns is a title. Above fewer it may be a value."""
SHOWN_TITLE_CHARS: Final = 60
LEAST_QUALITY: Final = 0.3
"""The quality that a delimiter must exceed: about the share of lines as wide as the header."""
FIRST_YEAR: Final = 1900
LAST_YEAR: Final = 2100
"""Whole numbers in this range are years, which may be column names."""

# Limits for rows

MAX_CELL_LINES: Final = 1_000
"""The most lines of one cell in quotation marks.

If the closing mark does not follow within them, the opening one is an ordinary character.
"""

# What cells look like

SEPARATOR_LINE: Final = re.compile(r'\ufeff?"?sep=(.)"?')
"""The first line that Excel writes to name the delimiter: `sep=;`."""
NUMBER: Final = re.compile(r"[-+(]?[$€£]?\d[\d.,' ]*%?\)?")
"""A cell with only digits and number marks, such as `1.234,50` or `(5)`."""
COMMA_IN_VALUE: Final = re.compile(r"\d,\d|, ")
"""A comma that may be part of a value: between digits, or before a space as in prose."""


@dataclass(frozen=True, slots=True)
class CsvRow:
    """One row, and the line of the file on which it begins."""

    line: int
    cells: list[str]


@dataclass(slots=True)
class CsvLayout:
    """How a CSV file is read: its delimiter, its header, and the first row of values.

    Created from a sample of the file by `layout_of`.
    """

    delimiter: str
    has_backslashes: bool = False
    """True if a quotation mark within a cell is escaped with a backslash."""
    header_line: int = 0
    """The line of the header; 0 if the file has none."""
    names: list[str] = field(default_factory=list)
    first_row: int = 0
    """The index of the first row with values. Rows before it are titles and the header."""
    assumed: list[str] = field(default_factory=list)
    """Sentences on how the file was read, for whoever uses its rows: `line 3 is the header`."""
    doubts: list[str] = field(default_factory=list)
    """Sentences on what may be read wrongly: `line 1 looks like a row, so ...`."""


@dataclass(slots=True)
class UnfitRows:
    """The rows of a file that do not fit its header. `csv_rows` fills it while it reads."""

    longer: list[int] = field(default_factory=list)
    """The lines of rows with more cells than the header."""
    most_cells: int = 0
    """The number of cells of the longest such row; 0 if there is none."""
    shorter: list[int] = field(default_factory=list)
    """The lines of rows with fewer cells than the header."""
    empty: int = 0
    """The number of rows whose cells are all empty. They are left out."""
    open_quotations: list[int] = field(default_factory=list)
    """The lines with a quotation mark that was read as an ordinary character."""
    spanning: list[int] = field(default_factory=list)
    """The first lines of rows that span several lines, some of which look like separate rows."""
    split_column: int | None = None
    """The index of the first column whose number may have been split at its comma; or None.

    If commas separate cells, the number `1,200` without quotation marks becomes the
    cells `1` and `200`, and the row is longer than the header.
    """

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
                f"{_column_name(width + 1)} and after it"
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
    """Return `line 7`, or `line 7 and 2 more`."""
    if len(lines) == 1:
        return f"line {lines[0]}"
    return f"line {lines[0]} and {len(lines) - 1:,} more"


def _column_name(number: int) -> str:
    return f"column_{number}"


def normal_lines(text: str) -> str:
    """Return the text with line feeds if its lines end with carriage returns, as on old Macs."""
    lone_returns = text.count("\r") - text.count("\r\n")
    if lone_returns and lone_returns >= text.count("\n"):
        return text.replace("\r\n", "\n").replace("\r", "\n")
    return text


# The layout of a file


def layout_of(text: str, *, is_tab_separated: bool = False) -> CsvLayout:
    """Detect from a file's first lines how to read it."""
    sample = _sample(text)
    # `sep=;`
    declared = SEPARATOR_LINE.fullmatch(sample.partition("\n")[0].rstrip("\r"))
    # A quotation mark inside a cell is written `\"` in some files, and `""` in most.
    has_backslashes = '\\"' in sample and '""' not in sample
    if declared:
        delimiter = declared[1]
    elif is_tab_separated and "\t" in sample:
        delimiter = "\t"
    else:
        delimiter = _likeliest_delimiter(sample, has_backslashes=has_backslashes)
    layout = CsvLayout(delimiter, has_backslashes)
    if delimiter != NO_DELIMITER:
        layout.assumed.append(
            f"cells are separated by {DELIMITER_NAMES.get(delimiter, repr(delimiter))}"
        )
    rows = _sample_rows(sample, delimiter, has_backslashes=has_backslashes)
    if declared and rows:
        # The line `sep=;` is not a part of the table. An empty row in its place keeps the indices.
        rows[0] = CsvRow(line=1, cells=[])
    _find_header(layout, rows)
    return layout


def _sample(text: str) -> str:
    """Return the first lines of a text: at most `SAMPLE_LINES`, about `SAMPLE_CHARS` long.

    The last line is whole, unless the text has too few line breaks.
    """
    end = 0
    for _ in range(SAMPLE_LINES):
        line_end = text.find("\n", end)
        if line_end < 0:
            return text[:SAMPLE_CHARS]
        end = line_end + 1
        if end > SAMPLE_CHARS:
            break
    return text[:end]


def _sample_rows(sample: str, delimiter: str, *, has_backslashes: bool) -> list[CsvRow]:
    """Return the rows of a sample. The last row may be incomplete."""
    layout = CsvLayout(delimiter, has_backslashes)
    return list(_raw_rows(sample, layout, UnfitRows()))


def _likeliest_delimiter(sample: str, *, has_backslashes: bool) -> str:
    """Return the delimiter for which most lines have as many cells as the header."""
    best_delimiter = NO_DELIMITER
    best_quality = LEAST_QUALITY
    best_width = 0
    for delimiter in DELIMITERS:
        if delimiter not in sample:
            continue
        rows = _sample_rows(sample, delimiter, has_backslashes=has_backslashes)
        filled_rows = [row for row in rows if any(row.cells)]
        width = _header_width(filled_rows, delimiter)
        if width < 2:
            continue
        # Rounded: if two delimiters fit about equally well, the one with more columns wins.
        quality = round(_quality(filled_rows, width, delimiter), 2)
        is_wider = quality == best_quality and width > best_width
        if quality > best_quality or is_wider:
            best_delimiter = delimiter
            best_quality = quality
            best_width = width
    return best_delimiter


def _header_width(filled_rows: list[CsvRow], delimiter: str) -> int:
    """Return the number of cells in the header, assuming this delimiter.

    The header is the first row that is not a title. For example, a header with 3 cells
    may follow the title `Sales of 2025`.
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
    if width >= LEAST_TITLED_WIDTH:
        return width
    if width == 2 and _is_table_of_pairs(titles, rows_below[0], delimiter):
        return width
    return 1


def _is_table_of_pairs(titles: list[CsvRow], first_row: CsvRow, delimiter: str) -> bool:
    """Return True if rows with two cells are rows of two columns below these titles.

    They may also be values of one column that contain the delimiter. Then the title is
    the column's header:

        name
        Ada, the first

    A title of several words is not likely to be the name of a column.
    """
    may_be_one_value = delimiter == "," and _has_commas_of_values(first_row)
    titles_have_several_words = all(" " in title.cells[0] for title in titles)
    return titles_have_several_words and not may_be_one_value


def _most_frequent_width(rows: list[CsvRow]) -> int:
    """Return the most common number of cells in a row; the larger number in a tie."""
    rows_of_width = Counter(len(row.cells) for row in rows)
    return max(rows_of_width, key=lambda width: (rows_of_width[width], width))


def _has_commas_of_values(row: CsvRow) -> bool:
    """Return True if two cells may be one value with a comma: `Ada, the first` or `1,500`."""
    for cell, next_cell in zip(row.cells, row.cells[1:], strict=False):
        is_prose = next_cell.startswith(" ")
        if is_prose or _is_split_number(cell, next_cell):
            return True
    return False


def _is_split_number(cell: str, next_cell: str) -> bool:
    """Return True if two cells may be one number with a comma: `1` and `500` of `1,500`."""
    return cell[-1:].isdigit() and next_cell[:1].isdigit()


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
    for other in DELIMITERS:
        if other == delimiter or other not in cell:
            continue
        if other != ",":
            return True
        if "," in COMMA_IN_VALUE.sub("", cell):
            return True
    return False


# The header of a file


def _find_header(layout: CsvLayout, rows: list[CsvRow]) -> None:
    """Find the header of a file and set the layout's column names."""
    position = _position_of_header(rows, layout.delimiter)
    if position is None:
        return
    header = rows[position]
    rows_below = [row for row in rows[position + 1 :] if any(row.cells)]
    cells_below = [row.cells for row in rows_below]
    for row in rows[:position]:
        title = " ".join(filter(None, row.cells))[:SHOWN_TITLE_CHARS]
        if title:
            layout.assumed.append(f"line {row.line} stands above the header: {title!r}")

    if _is_row_of_values(header.cells, cells_below):
        layout.first_row = position
        layout.names = [
            _column_name(number) for number, _ in enumerate(header.cells, start=1)
        ]
        layout.doubts.append(
            f"line {header.line} looks like a row, so columns are named {layout.names[0]} and so on"
        )
        return

    layout.header_line = header.line
    layout.first_row = position + 1
    layout.names = header.cells
    if _is_second_header(header.cells, cells_below):
        second_header = rows_below[0]
        # There may be empty rows above it.
        layout.first_row = rows.index(second_header) + 1
        layout.names = _joined_names(header.cells, second_header.cells)
        layout.doubts.append(
            f"lines {header.line} and {second_header.line} are one header"
        )
    elif _has_row_names(header.cells, cells_below):
        row_name = _column_name(1)
        layout.names = [row_name, *header.cells]
        layout.doubts.append(
            f"rows have one cell more than the header: the first one is taken for a name, {row_name}"
        )
    if position > 0:
        layout.assumed.append(f"line {header.line} is the header")


def _position_of_header(rows: list[CsvRow], delimiter: str) -> int | None:
    """Return the index of the header row; None if there is none.

    Above the header there may be titles with one cell, then titles with several cells,
    and empty rows.
    """
    filled_rows = [row for row in rows if any(row.cells)]
    position = 0
    if _header_width(filled_rows, delimiter) > 1:
        position = len(_leading_titles(rows))
    position = _below_block_of_titles(rows, position)
    while position < len(rows) and not any(rows[position].cells):
        position += 1
    return position if position < len(rows) else None


def _leading_titles(rows: list[CsvRow]) -> list[CsvRow]:
    """Return the rows above the header that have at most one text, such as an export's title.

    Return none if all of the first rows are like that:
    the file is then a table with one column.
    """
    first_rows = rows[:MAX_TITLE_ROWS]
    for position, row in enumerate(first_rows):
        texts = [cell for cell in row.cells if cell.strip()]
        if len(texts) > 1:
            return first_rows[:position]
    return []


def _below_block_of_titles(rows: list[CsvRow], start: int) -> int:
    """Return the index of the row after a block of titles with several cells; else `start`.

    The block ends at an empty row, and a wider table follows. In this example the result is the
    index of the empty row:
        Report,2025

        City,Amount,Tax
        Berlin,5,1
    """
    end = start + 1
    last_end = min(len(rows), start + MAX_TITLE_ROWS)
    while end < last_end and any(rows[end].cells):
        end += 1
    if end >= last_end:  # No empty row ends the block.
        return start

    # A wider table has a header without numbers and a first row of the same width.
    title_width = max(len(row.cells) for row in rows[start:end])
    filled_rows_below = [row.cells for row in rows[end:] if any(row.cells)]
    if len(filled_rows_below) < 2:
        return start
    header = filled_rows_below[0]
    first_row = filled_rows_below[1]
    is_wider_table = len(header) > title_width and len(header) == len(first_row)
    if is_wider_table and not any(map(is_number, header)):
        return end
    return start


def is_number(cell: str) -> bool:
    """Return True if a cell looks like a number."""
    return NUMBER.fullmatch(cell.strip()) is not None


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
            if column < len(row) and row[column].strip()
        ]
        is_numeric_column = bool(values) and all(map(is_number, values))
        if not is_numeric_column:
            continue
        if not is_number(cell) or _is_year(cell):
            return False
        has_numeric_column = True
    return has_numeric_column


def _is_year(cell: str) -> bool:
    text = cell.strip()
    return text.isdecimal() and len(text) == 4 and FIRST_YEAR <= int(text) <= LAST_YEAR


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


def _is_second_header(cells: list[str], rows_below: list[list[str]]) -> bool:
    """Return True if the row below the header belongs to it.

    Names in the first row then span several columns:

        2024,,2025,
        Q1,Q2,Q1,Q2
        5,7,6,8
    """
    if not rows_below:
        return False
    second_header, *rows_of_values = rows_below
    if len(second_header) != len(cells) or any(map(is_number, second_header)):
        return False
    if not any(is_number(cell) for row in rows_of_values for cell in row):
        return False
    for column in range(1, len(cells)):
        is_spanned = not cells[column].strip() or cells[column] == cells[column - 1]
        if is_spanned and second_header[column].strip():
            return True
    return False


def _joined_names(upper_cells: list[str], lower_cells: list[str]) -> list[str]:
    """Join the names of a two-row header, whose upper names span columns: `2024 Q1`, `2024 Q2`."""
    names = []
    upper_name = ""
    for upper_cell, lower_cell in zip(upper_cells, lower_cells, strict=True):
        upper_name = upper_cell.strip() or upper_name
        lower_name = lower_cell.strip()
        if lower_name and lower_name != upper_name:
            names.append(f"{upper_name} {lower_name}".strip())
        else:
            names.append(upper_name)
    return names


# The rows of a file


def csv_rows(text: str, layout: CsvLayout, unfit: UnfitRows) -> Iterator[CsvRow]:
    """Yield the rows below the header, and record those that do not fit it in `unfit`.

    Raises `csv.Error` if a cell is too long.
    """
    width = len(layout.names)
    for number, row in enumerate(_raw_rows(text, layout, unfit)):
        if number < layout.first_row:
            continue
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
            _note_longer(row, width, unfit)
        elif len(row.cells) < width:
            unfit.shorter.append(row.line)
        yield row


def _note_longer(row: CsvRow, width: int, unfit: UnfitRows) -> None:
    """Record a row with more cells than the header, and where a number may have been split.

    Surplus cells that are all empty are removed without a note.
    """
    if not any(cell.strip() for cell in row.cells[width:]):
        del row.cells[width:]
        return
    unfit.longer.append(row.line)
    unfit.most_cells = max(unfit.most_cells, len(row.cells))
    for column, (cell, next_cell) in enumerate(
        zip(row.cells, row.cells[1:], strict=False)
    ):
        if _is_split_number(cell, next_cell):
            if unfit.split_column is None or column < unfit.split_column:
                unfit.split_column = column


class _Lines:
    """The lines of a text, as input of a `csv.reader`.

    A reader takes one line or several for a row. If it fails, all lines of the row but
    the first can be put back, so that they are read again.
    """

    def __init__(self, text: str) -> None:
        self._lines = iter(io.StringIO(text, newline="\n"))
        self._put_back: list[str] = []
        """Lines to read again. The next one is the last in the list."""
        self.of_row: list[str] = []
        """The lines read so far for the current row."""
        self.number = 1
        """The line number on which the current row begins."""

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
        self.number += len(self.of_row)
        self.of_row = []

    def cut_row_to_one_line(self) -> str:
        """Put back all lines of the current row but the first, and return the first."""
        first, *others = self.of_row
        self._put_back += reversed(others)
        self.of_row = [first]
        return first


def _raw_rows(text: str, layout: CsvLayout, unfit: UnfitRows) -> Iterator[CsvRow]:
    """Yield every row of the text. An empty line is a row without cells.

    A cell in quotation marks can span several lines.
    """
    lines = _Lines(text)
    reader = _strict_reader(lines, layout)
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            # A quotation has no closing mark, or a mark is inside a cell. The first
            # line becomes a row of its own. The reader cannot go on after an error, so
            # a new one reads the lines after it.
            line = lines.cut_row_to_one_line()
            unfit.open_quotations.append(lines.number)
            cells = _cells_of_line(line, layout)
            reader = _strict_reader(lines, layout)

        if len(lines.of_row) > 1 and _holds_rows(lines.of_row, layout):
            unfit.spanning.append(lines.number)
        if lines.number == 1 and cells:
            cells[0] = cells[0].removeprefix("\ufeff")
        row = CsvRow(lines.number, cells)
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


def _holds_rows(lines: list[str], layout: CsvLayout) -> bool:
    """Return True if a later line of a row has as many cells as the header."""
    width = len(layout.names)
    if width < 2:
        return False
    for line in lines[1:]:
        if line.count(layout.delimiter) >= width - 1:
            return True
    return False
