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

    The script is told by `assumed` what was taken for the header, and by `doubts` why that
    may be wrong.
    """
    position = position_of_header(rows, delimiter)
    if position is None:
        return Header()
    header_row = rows[position]
    rows_below = [row for row in rows[position + 1 :] if any(row.cells)]
    cells_below = [row.cells for row in rows_below]
    assumed = _notes_on_titles(rows[:position])

    # `Berlin,5` above `Bonn,7`: no header. Columns get numbers.
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

    # `2025,,2026,` above `Q1,Q2,Q1,Q2`: a header of two rows.
    if is_second_header(header_row.cells, cells_below):
        second_row = rows_below[0]
        return Header(
            joined_names(header_row.cells, second_row.cells),
            header_row.line,
            # There may be empty rows between the two.
            first_value_row=rows.index(second_row) + 1,
            assumed=assumed,
            doubts=[f"lines {header_row.line} and {second_row.line} are one header"],
        )

    # `City,Amount`: a header of one row, which may lack a name for the first column.
    names = header_row.cells
    doubts = []
    if _has_row_names(header_row.cells, cells_below):
        row_name = column_name(1)
        names = [row_name, *header_row.cells]
        doubts.append(
            f"rows have one cell more than the header: the first one is taken for a name, {row_name}"
        )
    return Header(names, header_row.line, position + 1, assumed, doubts)


def _notes_on_titles(rows_above: list[CsvRow]) -> list[str]:
    """Return what is told of the rows above a header: `line 1 stands above the header: 'Sales'`."""
    notes = []
    for row in rows_above:
        title = " ".join(filter(None, row.cells))[:SHOWN_TITLE_CHARS]
        if title:
            notes.append(f"line {row.line} stands above the header: {title!r}")
    return notes


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
