"""Reads the header of a table: one row of names, two rows, or none at all.

Usually it is `City,Amount` in the first line. But there may be titles above it, or the
file begins with values at once: then columns are named `column_1` and so on.
"""

from __future__ import annotations

from typing import Final

from controlplane.benchmarks.files.tables.csv_files.cell_values import (
    is_number,
    is_year,
)
from controlplane.benchmarks.files.tables.csv_files.csv_layout import CsvRow, Header
from controlplane.benchmarks.files.tables.csv_files.title_rows import position_of_header
from controlplane.benchmarks.files.tables.csv_files.unfit_rows import column_name

SHOWN_TITLE_CHARS: Final = 60


def header_of(rows: list[CsvRow], delimiter: str) -> Header:
    """Return the header of a file, from its first rows."""
    position = position_of_header(rows, delimiter)
    if position is None:
        return Header()
    header_row = rows[position]  # If there is a header. Otherwise it has values.
    rows_below = [row for row in rows[position + 1 :] if any(row.cells)]
    cells_below = [row.cells for row in rows_below]
    assumed = []
    for row in rows[:position]:
        title = " ".join(filter(None, row.cells))[:SHOWN_TITLE_CHARS]
        if title:
            assumed.append(f"line {row.line} stands above the header: {title!r}")

    if _is_row_of_values(header_row.cells, cells_below):
        names = [
            column_name(number) for number, _ in enumerate(header_row.cells, start=1)
        ]
        doubt = (
            f"line {header_row.line} looks like a row, "
            f"so columns are named {names[0]} and so on"
        )
        return Header(names, first_value_row=position, assumed=assumed, doubts=[doubt])

    if position > 0:
        assumed.append(f"line {header_row.line} is the header")
    header = Header(
        header_row.cells, header_row.line, first_value_row=position + 1, assumed=assumed
    )
    if _is_second_header(header_row.cells, cells_below):
        second_row = rows_below[0]
        # There may be empty rows above it.
        header.first_value_row = rows.index(second_row) + 1
        header.names = _joined_names(header_row.cells, second_row.cells)
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
    """Return True if a column has values, and all are numbers."""
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
