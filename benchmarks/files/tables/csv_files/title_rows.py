"""Finds the header of a table below rows of titles, such as the title and date of an export.

For example, the header is the third row of

    Sales of 2025

    City,Amount,Tax
    Berlin,5,1
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
LEAST_TITLED_WIDTH: Final = 3
"""A row with one cell above so many columns is a title. Above fewer it may be a value."""


def position_of_header(rows: list[CsvRow], delimiter: str) -> int | None:
    """Return the index of the header row; None if there is none.

    Above the header there may be titles with one cell, then titles with several cells,
    and empty rows.
    """
    filled_rows = [row for row in rows if any(row.cells)]
    position = 0
    if header_width(filled_rows, delimiter) > 1:
        position = len(leading_titles(rows))
    position = _below_block_of_titles(rows, position)
    while position < len(rows) and not any(rows[position].cells):
        position += 1
    return position if position < len(rows) else None


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
    if width >= LEAST_TITLED_WIDTH:
        return width
    if width == 2 and _is_table_of_pairs(titles, rows_below[0], delimiter):
        return width
    return 1


def leading_titles(rows: list[CsvRow]) -> list[CsvRow]:
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
        if is_prose or is_split_number(cell, next_cell):
            return True
    return False
