"""Writes trials, steps or calls of runs as a CSV table.

The table holds only data: a text that begins with `=`, such as `=1+1`, would be a formula in a
spreadsheet, so an apostrophe is put before it.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import re2

from controlplane.gates.surrogates import encodable
from controlplane.journal.state_files import open_regular
from controlplane.report.export.table_rows import RowsOf, flat_rows


def write_csv(rows_of: RowsOf, target: Path, paths: Sequence[Path]) -> int:
    """Write the rows of these journals; return their number."""
    count = 0
    with text_file(target) as file:
        table = csv.writer(file)
        for row in flat_rows(rows_of, paths):
            if count == 0:
                table.writerow(row)
            table.writerow([_csv_cell(value) for value in row.values()])
            count += 1
    return count


def text_file(target: Path) -> io.TextIOWrapper:
    """Open a file to write. Half a surrogate pair, which UTF-8 lacks, is written as an escape.

    The user has named its place, so the user's umask decides who may read it.
    """
    binary = open_regular(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode=0o666)
    return io.TextIOWrapper(
        binary, encoding="utf-8", errors="backslashreplace", newline=""
    )


_CELL_START: Final = r"^|[;|\t\r\n\v\f]"
"""The beginning of a cell: some spreadsheets split cells at each of these separators."""
_BLANKS: Final = (
    r"[\s\v"
    r"\x{85}\x{a0}"  # next line, no-break space
    r"\x{feff}\x{200b}"  # byte-order mark, zero-width space
    r"\x{2028}\x{2029}"  # line and paragraph separator
    r"]*"
)
"""Blanks that spreadsheets ignore before a formula."""
_FORMULA_SIGN: Final = (
    r"[=+\-@"
    r"\x{ff1d}\x{ff0b}\x{ff0d}\x{ff20}"  # the same signs in their full-width forms
    r"]"
)
"""A sign with which a formula begins."""
_FORMULA: Final = re2.compile(rf"({_CELL_START})({_BLANKS})({_FORMULA_SIGN})")
"""What a spreadsheet may take for the beginning of a formula, as in `=1+1` or `a;=1`.

Its groups are the beginning of the cell, the blanks, and the sign.
"""


def _csv_cell(value: object) -> object:
    """Return a cell's value, with an apostrophe before what spreadsheets take for a formula."""
    if not isinstance(value, str):
        return value
    # The apostrophe goes between the blanks and the sign: ` =1+1` becomes ` '=1+1`.
    guarded: str = _FORMULA.sub(r"\1\2'\3", encodable(value))
    # Some spreadsheets drop a tab or line break at the beginning. The rest may be a formula.
    if guarded.startswith(("\t", "\r")):
        return f"'{guarded}"
    return guarded
