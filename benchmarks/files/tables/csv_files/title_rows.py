"""Finds the header of a table below rows of titles, such as the title and date of an export.

    Sales of 2025

    City,Amount,Tax
    Berlin,5,1

Here the header is the third row. Titles are recognized because they have fewer cells than
the rows of the table.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from controlplane.benchmarks.files.tables.csv_files.cell_values import (
    is_number,
    is_split_number,
)
from controlplane.benchmarks.files.tables.csv_files.csv_layout import CsvRow

MAX_TITLE_ROWS: Final = 10
"""The most rows above the header, such as the title and date of an export."""


def position_of_header(rows: list[CsvRow], delimiter: str) -> int | None:
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
    if header_width(filled_rows, delimiter) > 1:
        position = len(leading_titles(rows))

    # Skip titles with several cells, which only an empty row tells from the table.
    position = _end_of_title_block(rows, position)

    while position < len(rows) and not any(rows[position].cells):
        position += 1
    return position if position < len(rows) else None


LEAST_CERTAIN_WIDTH: Final = 3
"""If a row with one cell stands above rows with this many, it is surely a title.

Above rows with two cells it may be the header of one column, whose values have a comma."""


def header_width(filled_rows: list[CsvRow], delimiter: str) -> int:
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
    titles = leading_titles(filled_rows)
    rows_below = filled_rows[len(titles) :]
    if not titles or len(rows_below) < 2:
        return 1
    width = _most_frequent_width(rows_below)
    if width >= LEAST_CERTAIN_WIDTH:
        return width
    if width == 2 and _has_two_columns(titles, rows_below[0], delimiter):
        return width
    return 1


def leading_titles(rows: list[CsvRow]) -> list[CsvRow]:
    """Return the first rows that have at most one text, such as an export's title.

    Return none if all of the first `MAX_TITLE_ROWS` are like that: the file is then a
    table with one column.
    """
    first_rows = rows[:MAX_TITLE_ROWS]
    for position, row in enumerate(first_rows):
        texts = [cell for cell in row.cells if cell.strip()]
        if len(texts) > 1:
            return first_rows[:position]
    return []


def _end_of_title_block(rows: list[CsvRow], start: int) -> int:
    """Return where a block of titles ends that begins at the row `start`.

    An empty row ends the block, and a wider table follows. Here the result is 1, the index
    of the empty row:

        Report,2025

        City,Amount,Tax
        Berlin,5,1

    If there is no such block, the result is `start`: the header may be there.
    """
    empty_row = _next_empty_row(rows, start)
    if empty_row is None:
        return start

    # A wider table has a header without numbers and a first row of the same width.
    title_width = max(len(row.cells) for row in rows[start:empty_row])
    filled_rows_below = [row.cells for row in rows[empty_row:] if any(row.cells)]
    if len(filled_rows_below) < 2:
        return start
    header = filled_rows_below[0]
    first_row = filled_rows_below[1]
    is_wider_table = len(header) > title_width and len(header) == len(first_row)
    if is_wider_table and not any(map(is_number, header)):
        return empty_row
    return start


def _next_empty_row(rows: list[CsvRow], start: int) -> int | None:
    """Return the index of the first empty row after `start`; None if it is not near."""
    end = min(len(rows), start + MAX_TITLE_ROWS)
    for index in range(start + 1, end):
        if not any(rows[index].cells):
            return index
    return None


def _has_two_columns(titles: list[CsvRow], first_row: CsvRow, delimiter: str) -> bool:
    """Return True if rows with two cells below these titles are a table with two columns.

    Or they are a table with one column, whose values contain the delimiter. Then the
    "title" is the column's header:

        Sales of 2025   |   name
        Berlin,5        |   Ada, the first

    On the left are two columns: the title has several words, which the name of a column
    rarely has. On the right is one: a comma before a space belongs to a text.
    """
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
