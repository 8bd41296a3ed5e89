"""The number of cells in the header of a table, which may have titles above it.

    Sales of 2025
    City,Amount
    Berlin,5

Here it is 2, assuming that a comma is the delimiter. To find the delimiter of a file, this
width is computed for each candidate: with the right one, most rows are as wide.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from controlplane.benchmarks.files.tables.csv_files.cell_values import (
    is_split_number,
)
from controlplane.benchmarks.files.tables.csv_files.csv_layout import CsvRow
from controlplane.benchmarks.files.tables.csv_files.leading_titles import (
    leading_titles,
)

LEAST_CERTAIN_WIDTH: Final = 3
"""If a row with one cell stands above rows with this many, it is surely a title.

Above rows with two cells, it may be the header of one column, whose values have a comma."""


def header_width(filled_rows: list[CsvRow], delimiter: str) -> int:
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
