"""Headers of two rows, in which the names of the upper row span several columns.

    2024,,2025,
    Q1,Q2,Q1,Q2
    5,7,6,8

The columns of this table are `2024 Q1`, `2024 Q2`, `2025 Q1` and `2025 Q2`.
"""

from __future__ import annotations

from controlplane.benchmarks.files.tables.csv_files.cell_values import (
    is_number,
)


def is_second_header(cells: list[str], rows_below: list[list[str]]) -> bool:
    """Return True if the first of the rows below belongs to the header, whose cells are given.

    Both have the same width, only the rows of values have numbers, and a name of the header
    spans several columns: the header has an empty cell, or the same name again.
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


def joined_names(upper_cells: list[str], lower_cells: list[str]) -> list[str]:
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
