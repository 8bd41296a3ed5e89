"""Loads rows of cells into the raw table of the database, in which all cells are texts.

The rows are first written to a file in memory as plain CSV, which DuckDB loads much faster than
rows that are inserted one by one.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from typing import Any, Final

from controlplane.benchmarks.files.tables.table_database import (
    LINE,
    RAW_TABLE,
    database,
    files,
)

RAW_FILE: Final = "/table.csv"
"""The in-memory file from which DuckDB loads the raw table."""
MAX_CELL_CHARS: Final = 16_000_000
"""The most characters of one cell, and of a line in DuckDB. No file that is searched is larger."""
csv.field_size_limit(MAX_CELL_CHARS)


def write_raw_file(rows: Iterable[list[Any]]) -> None:
    """Write rows to `RAW_FILE`, each with its line: `[2, "Berlin", "1,5"]`."""
    with files.open(
        RAW_FILE, "w", encoding="utf-8", errors="replace", newline=""
    ) as raw_file:
        csv.writer(raw_file, lineterminator="\n").writerows(rows)


def load_raw_file(width: int) -> None:
    """Load `RAW_FILE` into the raw table, which has `width` columns besides LINE.

    An empty cell becomes null, and so does a cell that a short row lacks.
    """
    columns = [f"'{LINE}': 'bigint'"]
    for number in range(width):
        columns.append(f"'c{number}': 'varchar'")
    # `write_raw_file` has written it, so its form is known.
    options = [
        f"columns={{{', '.join(columns)}}}",
        "auto_detect=false",
        "header=false",
        "delim=','",
        "quote='\"'",
        "escape='\"'",
        "new_line='\\n'",
        "nullstr=''",
        "null_padding=true",
        "parallel=false",
        f"max_line_size={MAX_CELL_CHARS}",
    ]
    database.execute(
        f"create or replace temp table {RAW_TABLE} as "
        f"from read_csv('memory://{RAW_FILE}', {', '.join(options)})"
    )
    files.rm(RAW_FILE)
