"""Finds the header of a table below rows of titles, such as the title and date of an export.

    Sales of 2025

    City,Amount,Tax
    Berlin,5,1

Here the header is the third row. Titles are recognized because they have fewer cells than
the rows of the table.
"""

from __future__ import annotations

from controlplane.benchmarks.files.tables.csv_files.cell_values import (
    is_number,
)
from controlplane.benchmarks.files.tables.csv_files.csv_layout import CsvRow
from controlplane.benchmarks.files.tables.csv_files.header_width import header_width
from controlplane.benchmarks.files.tables.csv_files.leading_titles import (
    MAX_TITLE_ROWS,
    leading_titles,
)


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
    end = min(len(rows), start + MAX_TITLE_ROWS)
    for index in range(start + 1, end):
        if not any(rows[index].cells):
            return index
    return None
