"""Compares a table that a model has written with the right one, and tells the differences.

    written             right
    SKU,2027-03-01      SKU,2027-03-01
    AB-1,5              AB-1,4

-> "line 1: `2027-03-01` is '5', and the records give '4'"
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

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


def differences(written: Table, right: Table, code_column: int) -> list[str]:
    """Return texts on the first cells of a table that differ from the right ones.

    Both tables have a header, and each row has the code of a product in `code_column`. If the
    number of rows is wrong, only that is told, because then all rows below would differ.
    """
    if len(written) != len(right):
        # The header is not counted.
        fault = f"the table has {len(written) - 1} rows, and {len(right) - 1} are due"
        missing = _missing_codes(written, right, code_column)
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


def _missing_codes(written: Table, right: Table, code_column: int) -> list[str]:
    """Return the codes in the right table that occur in no cell of the written one."""
    written_cells = {cell for row in written for cell in row}
    codes = [row[code_column] for row in right]
    return [code for code in codes if code not in written_cells]
