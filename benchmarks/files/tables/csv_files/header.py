"""Reads the header of a table: one row of names, two rows, or none at all.

Usually it is `City,Amount` in the first line. But there may be titles above it, or the
file begins with values at once: then columns are named `column_1` and so on. What was assumed
is told with each result, since a wrong header makes wrong columns.
"""

from __future__ import annotations

from typing import Final

from controlplane.benchmarks.files.tables.csv_files.cell_values import (
    is_number,
    is_year,
)
from controlplane.benchmarks.files.tables.csv_files.csv_layout import CsvRow, Header
from controlplane.benchmarks.files.tables.csv_files.header_position import (
    position_of_header,
)
from controlplane.benchmarks.files.tables.csv_files.second_header import (
    is_second_header,
    joined_names,
)
from controlplane.benchmarks.files.tables.csv_files.unfit_rows import column_name

SHOWN_TITLE_CHARS: Final = 60


def header_of(rows: list[CsvRow], delimiter: str) -> Header:
    """Return the header of a file, from its first rows.

    Its `assumed` and `doubts` are told to the script: what was taken for the header, and why
    that may be wrong.
    """
    position = position_of_header(rows, delimiter)
    if position is None:
        return Header()
    header_row = rows[position]  # Of a file without a header, this row has values.
    rows_below = [row for row in rows[position + 1 :] if any(row.cells)]
    cells_below = [row.cells for row in rows_below]
    assumed = []
    for row in rows[:position]:
        title = " ".join(filter(None, row.cells))[:SHOWN_TITLE_CHARS]
        if title:
            assumed.append(f"line {row.line} stands above the header: {title!r}")

    # No header: columns get numbers.
    if _is_row_of_values(header_row.cells, cells_below):
        names = [
            column_name(number) for number, _ in enumerate(header_row.cells, start=1)
        ]
        doubt = (
            f"line {header_row.line} looks like a row, "
            f"so columns are named {names[0]} and so on"
        )
        return Header(names, first_value_row=position, assumed=assumed, doubts=[doubt])

    # A header of one row or two, or one that lacks a name for the first column.
    if position > 0:
        assumed.append(f"line {header_row.line} is the header")
    header = Header(
        header_row.cells, header_row.line, first_value_row=position + 1, assumed=assumed
    )
    if is_second_header(header_row.cells, cells_below):
        second_row = rows_below[0]
        # There may be empty rows above it.
        header.first_value_row = rows.index(second_row) + 1
        header.names = joined_names(header_row.cells, second_row.cells)
        header.doubts.append(
            f"lines {header_row.line} and {second_row.line} are one header"
        )
    elif _has_row_names(header_row.cells, cells_below):
        row_name = column_name(1)
        header.names = [row_name, *header_row.cells]
        header.doubts.append(
            f"rows have one cell more than the header: the first one is taken for a name, {row_name}"
        )
    return header


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
