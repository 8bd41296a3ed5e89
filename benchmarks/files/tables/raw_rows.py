"""Loads a CSV, TSV or JSON Lines file into the raw table, in which all cells are texts.

Which columns hold numbers or dates is found out afterwards, from all cells of a column: whether
`1,234` is a thousand or about one is seen only if another row has `0,25`.
"""

from __future__ import annotations

from typing import TypeAlias

from controlplane.benchmarks.files.sources.file_suffixes import (
    JSON_LINES_SUFFIXES,
    TAB_SUFFIXES,
)
from controlplane.benchmarks.files.tables.csv_text_rows import CsvTextRows
from controlplane.benchmarks.files.tables.json_rows import JsonRows
from controlplane.benchmarks.files.tables.raw_file import load_raw_file, write_raw_file

RawRows: TypeAlias = CsvTextRows | JsonRows
"""What reads the rows of a file, and notes how they were read."""


def rows_of_file(path: str, text: str) -> RawRows:
    """Return what reads the rows of a file, by its suffix."""
    lower_path = path.lower()
    if lower_path.endswith(JSON_LINES_SUFFIXES):
        return JsonRows(text)
    return CsvTextRows(text, is_tab_separated=lower_path.endswith(TAB_SUFFIXES))


def load_rows(rows: RawRows) -> None:
    """Load all rows of a file into the raw table.

    Raises `ValueError`, `csv.Error` or `duckdb.Error` if it is not a table.
    """
    # First into a file in memory: only after the last row it is known how many columns
    # there are.
    write_raw_file(rows.rows())
    if not rows.columns.names:
        msg = "its first line names no columns"
        raise ValueError(msg)
    load_raw_file(len(rows.columns.names))
