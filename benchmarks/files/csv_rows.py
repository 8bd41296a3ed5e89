"""The rows of CSV files as people have them: any delimiter, titles above the header, rows that do not fit it.

Nothing is dropped without a note. The delimiter is the one by which most lines have as many cells as the header; the
detectors of DuckDB and Python were tried, and take the comma of `Weight, kg;Name` for it.
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
"""Separates no cells in a file of one column: it stands in no text."""
SAMPLE_LINES: Final = 500
SAMPLE_CHARS: Final = 200_000
MOST_TITLE_ROWS: Final = 10
"""Rows above the header, as the title of an export and its date."""
MOST_CELL_LINES: Final = 1_000
"""Lines of one cell in quotation marks; a mark that is not closed by then opens nothing."""
LEAST_TITLED_WIDTH: Final = 3
"""Columns from which on a first line with a single cell is a title. Above two columns it is one only if it has several
words: it may name the one column of values that hold commas or semicolons."""
SHOWN_TITLE_CHARS: Final = 60
LEAST_MATCHING_SHARE: Final = 0.3
"""Share of lines that must fit the header for a delimiter to be one."""
FIRST_YEAR: Final = 1900
LAST_YEAR: Final = 2100
"""Numbers between these may name columns."""
SEPARATOR_LINE: Final = re.compile(r'\ufeff?"?sep=(.)"?')
"""Excel's first line that names the delimiter, as `sep=;`."""
NUMBER: Final = re.compile(r"[-+(]?[$€£]?\d[\d.,' ]*%?\)?")
"""A cell that begins with a digit and holds digits and their marks alone, as `1.234,50` or `(5)`."""
COMMA_IN_VALUE: Final = re.compile(r"\d,\d|, ")
"""A comma that need not separate cells: within a number, or before a blank, as in prose."""


@dataclass(frozen=True, slots=True)
class CsvRow:
    """One row, and the line of the file on which it begins."""

    line: int
    cells: list[str]


@dataclass(slots=True)
class CsvLayout:
    """How a CSV file is read."""

    delimiter: str
    has_backslashes: bool = False
    """A backslash stands before a quotation mark within a cell."""
    header_line: int = 0
    """0 if the file has no header."""
    names: list[str] = field(default_factory=list)
    first_row: int = 0
    """The number of the first row with values; those before are titles and the header."""
    assumed: list[str] = field(default_factory=list)
    """What was found out about the file, for whoever reads its rows."""
    doubts: list[str] = field(default_factory=list)
    """What may have been read in another way than its author meant."""


@dataclass(slots=True)
class UnfitRows:
    """The rows that do not fit the header, as they are met."""

    longer: list[int] = field(default_factory=list)
    """The lines of rows with more cells than the header."""
    most_cells: int = 0
    shorter: list[int] = field(default_factory=list)
    empty: int = 0
    open_quotations: list[int] = field(default_factory=list)
    """Lines whose quotation mark was read as a character."""
    spanning: list[int] = field(default_factory=list)
    """First lines of rows that hold lines which look like rows of their own."""
    split_column: int | None = None
    """The first column that may hold the first half of a number with a comma in it, as 1 of 1,200."""

    def doubts(self, width: int) -> list[str]:
        """Return a sentence for each kind of row that does not fit."""
        doubts = []
        if self.longer:
            place = _line_text(self.longer)
            doubts.append(
                f"{place}: more cells than the header, which has {width}; the further ones are in "
                f"{_column_name(width + 1)} and after it"
            )
        if self.shorter:
            doubts.append(f"{_line_text(self.shorter)}: fewer cells than the header has")
        if self.open_quotations:
            place = _line_text(self.open_quotations)
            doubts.append(f"{place}: a quotation mark that nothing closes is read as a character")
        if self.spanning:
            place = _line_text(self.spanning)
            doubts.append(
                f"{place}: a cell in quotation marks holds further lines, which may be rows"
            )
        if self.empty:
            doubts.append(f"rows without any value, left out: {self.empty:,}")
        return doubts


def _line_text(lines: list[int]) -> str:
    if len(lines) == 1:
        return f"line {lines[0]}"
    return f"line {lines[0]} and {len(lines) - 1:,} more"


def _column_name(number: int) -> str:
    return f"column_{number}"


def normal_lines(text: str) -> str:
    """Return a text whose lines end with a line feed, as those of old Macs end with a carriage return alone."""
    lone_returns = text.count("\r") - text.count("\r\n")
    if lone_returns and lone_returns >= text.count("\n"):
        return text.replace("\r\n", "\n").replace("\r", "\n")
    return text


# The layout of a file


def layout_of(text: str, *, is_tab_separated: bool = False) -> CsvLayout:
    """Return how a file is read, from its first lines."""
    sample = _sample(text)
    declared = SEPARATOR_LINE.fullmatch(sample.partition("\n")[0].rstrip("\r"))
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
    rows = list(_sample_rows(sample, delimiter, has_backslashes=has_backslashes))
    if declared and rows:
        rows[0].cells.clear()
    _find_header(layout, rows)
    return layout


def _sample(text: str) -> str:
    """Return the first lines of a text."""
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
    """Return the rows of a sample; the last one may be cut."""
    layout = CsvLayout(delimiter, has_backslashes)
    return list(_raw_rows(sample, layout, UnfitRows()))


def _likeliest_delimiter(sample: str, *, has_backslashes: bool) -> str:
    """Return the delimiter by which most lines have as many cells as the header has."""
    best_delimiter = NO_DELIMITER
    best_quality = LEAST_MATCHING_SHARE
    best_width = 0
    for delimiter in DELIMITERS:
        if delimiter not in sample:
            continue
        rows = _sample_rows(sample, delimiter, has_backslashes=has_backslashes)
        rows = [row for row in rows if any(row.cells)]
        width = _header_width(rows, delimiter)
        if width < 2:
            continue
        quality = round(_quality(rows, width, delimiter), 2)
        if (quality, width) > (best_quality, best_width):
            best_delimiter = delimiter
            best_quality = quality
            best_width = width
    return best_delimiter


def _header_width(rows: list[CsvRow], delimiter: str) -> int:
    """Return the number of cells of the header: of the first row, unless it is a title above many cells."""
    if not rows:
        return 0
    if len(rows[0].cells) > 1:
        return len(rows[0].cells)
    titles = _leading_titles(rows, 2)
    table = rows[titles:]
    if not titles or len(table) < 2:
        return 1
    widths = Counter(len(row.cells) for row in table)
    width = max(widths, key=lambda width: (widths[width], width))
    if width >= LEAST_TITLED_WIDTH:
        return width
    are_titles = all(" " in row.cells[0] for row in rows[:titles])
    may_be_prose = delimiter == "," and _has_commas_of_values(table[:1])
    if width < 2 or may_be_prose or not are_titles:
        return 1
    return width


def _has_commas_of_values(rows: list[CsvRow]) -> bool:
    """Say whether the cells of a row may be one value with a comma in it, as prose or a number is."""
    for row in rows:
        for before, after in zip(row.cells, row.cells[1:], strict=False):
            if after.startswith(" ") or (before[-1:].isdigit() and after[:1].isdigit()):
                return True
    return False


def _quality(rows: list[CsvRow], width: int, delimiter: str) -> float:
    """Return how well a delimiter fits, at most 1: the share of rows as wide as the header, less that of cells which
    hold another delimiter without a reason."""
    matching = 0.0
    cells = 0
    unexplained_cells = 0
    for row in rows:
        if len(row.cells) == width:
            matching += 1
        elif len(row.cells) > width:
            matching += 0.5
        for cell in row.cells:
            cells += 1
            unexplained_cells += _holds_delimiter(cell, delimiter)
    return matching / len(rows) - unexplained_cells / cells


def _holds_delimiter(cell: str, delimiter: str) -> bool:
    """Say whether a cell holds a delimiter other than the assumed one that is no part of its value."""
    for other in DELIMITERS:
        if other == delimiter or other not in cell:
            continue
        if other != ",":
            return True
        if "," in COMMA_IN_VALUE.sub("", cell):
            return True
    return False


def _leading_titles(rows: list[CsvRow], width: int) -> int:
    """Return the number of rows above the header that hold a single text, as the title of an export."""
    count = 0
    for row in rows[:MOST_TITLE_ROWS]:
        texts = [cell for cell in row.cells if cell.strip()]
        if len(texts) > 1 or width < 2:
            break
        count += 1
    if count == min(len(rows), MOST_TITLE_ROWS):
        return 0
    return count


def _find_header(layout: CsvLayout, rows: list[CsvRow]) -> None:
    """Find the header of a file, and name its columns."""
    filled_rows = [row for row in rows if any(row.cells)]
    width = _header_width(filled_rows, layout.delimiter)
    header = _leading_titles(rows, width)
    header = _below_block_of_titles(rows, header)
    while header < len(rows) and not any(rows[header].cells):
        header += 1
    if header >= len(rows):
        return
    for row in rows[:header]:
        title = " ".join(filter(None, row.cells))[:SHOWN_TITLE_CHARS]
        if title:
            layout.assumed.append(f"line {row.line} stands above the header: {title!r}")
    cells = rows[header].cells
    below = [row.cells for row in rows[header + 1 :] if any(row.cells)]
    if _is_row_of_values(cells, below):
        layout.first_row = header
        layout.names = [_column_name(number) for number, _ in enumerate(cells, start=1)]
        layout.doubts.append(
            f"line {rows[header].line} looks like a row, so columns are named {layout.names[0]} and so on"
        )
        return
    layout.header_line = rows[header].line
    layout.first_row = header + 1
    if below and _is_second_header(cells, below):
        cells = _joined_names(cells, rows[header + 1].cells)
        layout.first_row = header + 2
        layout.doubts.append(
            f"lines {layout.header_line} and {rows[header + 1].line} are one header"
        )
    elif _has_row_names(cells, below):
        cells = [_column_name(1), *cells]
        layout.doubts.append(
            f"rows have one cell more than the header: the first one is taken for a name, {cells[0]}"
        )
    if header:
        layout.assumed.append(f"line {layout.header_line} is the header")
    layout.names = cells


def _below_block_of_titles(rows: list[CsvRow], start: int) -> int:
    """Return the row of the header below a block of several cells a line that an empty line ends, else `start`.

    An export may begin so: `Report, 2025`, then an empty line, and then a wider table.
    """
    for number, row in enumerate(rows[start : start + MOST_TITLE_ROWS], start=start):
        if any(row.cells) or number == start:
            continue
        above = max(len(row.cells) for row in rows[start:number])
        below = [row for row in rows[number:] if any(row.cells)]
        if below and len(below) > 1 and len(below[0].cells) > above:
            has_same_width = len(below[0].cells) == len(below[1].cells)
            if has_same_width and not any(map(is_number, below[0].cells)):
                return number
        return start
    return start


def is_number(cell: str) -> bool:
    """Say whether a cell looks like a number."""
    return NUMBER.fullmatch(cell.strip()) is not None


def _is_row_of_values(cells: list[str], below: list[list[str]]) -> bool:
    """Say whether a first row is no header: it has numbers where the rows below have numbers, and nowhere a name."""
    if not below:
        return False
    has_number = False
    for column, cell in enumerate(cells):
        values = [row[column] for row in below if column < len(row) and row[column].strip()]
        is_numeric = bool(values) and all(map(is_number, values))
        if not is_numeric:
            continue
        if not is_number(cell) or _is_year(cell):
            return False
        has_number = True
    return has_number


def _is_year(cell: str) -> bool:
    text = cell.strip()
    return text.isdecimal() and len(text) == 4 and FIRST_YEAR <= int(text) <= LAST_YEAR


def _has_row_names(cells: list[str], below: list[list[str]]) -> bool:
    """Say whether each row begins with a name for which the header has no cell, as R and pandas write tables."""
    for row in below:
        if len(row) != len(cells) + 1 or is_number(row[0]):
            return False
        if not row[-1].strip() or any(cell.startswith(" ") for cell in row):
            return False
    return len(below) > 1


def _is_second_header(cells: list[str], below: list[list[str]]) -> bool:
    """Say whether the row below a header is a second one, below names that span several columns, as in 2024: Q1, Q2."""
    first, *others = below
    if any(map(is_number, first)) or not others or len(first) != len(cells):
        return False
    has_spans = False
    for column, name in enumerate(cells):
        left_name = cells[column - 1] if column else None
        spans_left = not name.strip() or name == left_name
        if spans_left and column and first[column].strip():
            has_spans = True
    has_numbers = False
    for row in others:
        has_numbers = has_numbers or any(map(is_number, row))
    return has_spans and has_numbers


def _joined_names(above: list[str], below: list[str]) -> list[str]:
    """Return names of two lines, of which the upper one may span several columns."""
    names = []
    upper = ""
    for top, bottom in zip(above, below, strict=True):
        upper = top.strip() or upper
        if bottom.strip() and bottom.strip() != upper:
            names.append(f"{upper} {bottom.strip()}".strip())
        else:
            names.append(upper)
    return names


# The rows of a file


def csv_rows(text: str, layout: CsvLayout, unfit: UnfitRows) -> Iterator[CsvRow]:
    """Yield the rows below the header; those that do not fit it are noted in `unfit`, and kept.

    Raises `csv.Error` for a cell that is longer than a table may hold.
    """
    width = len(layout.names)
    for number, row in enumerate(_raw_rows(text, layout, unfit)):
        if number < layout.first_row:
            continue
        if not any(cell.strip() for cell in row.cells):
            unfit.empty += bool(row.cells)
            continue
        if len(row.cells) > bounds.MOST_COLUMNS:
            rest = layout.delimiter.join(row.cells[bounds.MOST_COLUMNS - 1 :])
            row.cells[bounds.MOST_COLUMNS - 1 :] = [rest]
        if len(row.cells) > width:
            _note_longer(row, width, unfit)
        elif len(row.cells) < width:
            unfit.shorter.append(row.line)
        yield row


def _note_longer(row: CsvRow, width: int, unfit: UnfitRows) -> None:
    """Note a row with more cells than the header, and where a number may have been split."""
    if not any(cell.strip() for cell in row.cells[width:]):
        del row.cells[width:]
        return
    unfit.longer.append(row.line)
    unfit.most_cells = max(unfit.most_cells, len(row.cells))
    for column, (cell, following) in enumerate(zip(row.cells, row.cells[1:], strict=False)):
        if cell[-1:].isdigit() and following[:1].isdigit():
            if unfit.split_column is None or column < unfit.split_column:
                unfit.split_column = column


class _Lines:
    """The lines of a text, which can be given back as long as their row is not read."""

    def __init__(self, text: str) -> None:
        self._lines = iter(io.StringIO(text, newline="\n"))
        self._returned: list[str] = []
        self.taken: list[str] = []
        """The lines of the row that is being read."""
        self.number = 1
        """The line on which that row begins."""

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if len(self.taken) >= MOST_CELL_LINES:
            msg = "a cell has too many lines"
            raise csv.Error(msg)
        line = self._returned.pop() if self._returned else next(self._lines)
        self.taken.append(line)
        return line

    def end_row(self) -> None:
        """Begin the next row."""
        self.number += len(self.taken)
        self.taken = []

    def give_back_all_but_first(self) -> str:
        """Give the lines of the row back, but for the first one, which is returned."""
        first, *others = self.taken
        self._returned += reversed(others)
        self.taken = [first]
        return first


def _raw_rows(text: str, layout: CsvLayout, unfit: UnfitRows) -> Iterator[CsvRow]:
    """Yield every line as a row, or several, over which a cell in quotation marks reaches; an empty one has no cells."""
    lines = _Lines(text)
    reader = _strict_reader(lines, layout)
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            line = lines.give_back_all_but_first()
            unfit.open_quotations.append(lines.number)
            cells = _cells_of_line(line, layout)
            reader = _strict_reader(lines, layout)
        if len(lines.taken) > 1 and _holds_rows(lines.taken, layout):
            unfit.spanning.append(lines.number)
        if lines.number == 1 and cells:
            cells[0] = cells[0].removeprefix("\ufeff")
        yield CsvRow(lines.number, cells)
        lines.end_row()


def _strict_reader(lines: _Lines, layout: CsvLayout) -> Iterator[list[str]]:
    """Return a reader that raises `csv.Error` for a quotation that does not end where a cell does."""
    if layout.has_backslashes:
        return csv.reader(
            lines, delimiter=layout.delimiter, strict=True, escapechar="\\", doublequote=False
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
    """Say whether a further line of a row has as many cells as the header."""
    width = len(layout.names)
    if width < 2:
        return False
    for line in lines[1:]:
        if line.count(layout.delimiter) >= width - 1:
            return True
    return False
