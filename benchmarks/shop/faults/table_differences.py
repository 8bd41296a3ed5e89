"""Compares a table that a model has written with the right one, and tells the differences.

For `AB-1,5` instead of `AB-1,4`, the model reads "line 1: `2027-03-01` is '5', and the records
give '4'". If rows are missing, only that is told, since then all lines below would differ.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from controlplane.benchmarks.shop.faults.cross_list_page import FIRST_COLUMN
from controlplane.sandbox.functions import Reference

Table = list[list[str]]
"""The rows of a table, with the header first."""


@dataclass(frozen=True, slots=True)
class JudgedTable:
    """The result of comparing a written table with the right one."""

    references: tuple[Reference, ...]
    """The files from which the right table was computed."""
    faults: list[str]
    """Texts about the first cells that differ, or the missing rows; empty if the table is right."""


def table_of(text: str, separator: str) -> Table:
    """Return the rows of a written table, without blank lines."""
    return [line.split(separator) for line in text.splitlines() if line.strip()]


MAX_DIFFERENCES: Final = 3
"""The most differing cells or missing rows that a message names."""


def differences(written: Table, right: Table) -> list[str]:
    """Return texts on the first cells of a table that differ from the right ones.

    Both tables have a header. If the number of rows is wrong, only that is told.
    """
    if len(written) != len(right):
        # The header is not counted.
        fault = f"the table has {len(written) - 1} rows, and {len(right) - 1} are due"
        missing = _missing_rows(written, right)
        if missing:
            fault += f"; no row is about {', '.join(missing[:MAX_DIFFERENCES])}"
        return [fault]
    faults = []
    header = right[0]
    for number in range(1, len(right)):
        cells = zip_longest(header, written[number], right[number], fillvalue="")
        for column, written_cell, right_cell in cells:
            if written_cell != right_cell:
                faults.append(
                    f"line {number}: `{column}` is {written_cell!r}, "
                    f"and the records give {right_cell!r}"
                )
    if len(faults) > MAX_DIFFERENCES:
        more = len(faults) - MAX_DIFFERENCES
        return [*faults[:MAX_DIFFERENCES], f"{more} more cells differ"]
    return faults


def _missing_rows(written: Table, right: Table) -> list[str]:
    """Return the codes of right rows that occur in no written row."""
    # In a cross list, the first column is the line number, and the second one has the codes.
    is_cross_list = right[0][0] == FIRST_COLUMN
    code_column = 1 if is_cross_list else 0
    written_cells = {cell for row in written for cell in row}
    return [row[code_column] for row in right if row[code_column] not in written_cells]
