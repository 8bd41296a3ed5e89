"""Writes trials, steps or calls of runs as a Parquet table, with the library DuckDB.

A column needs one type for all rows, which is known only after the last row. So the rows are
first written to a temporary file.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

from controlplane.errors import UsageError
from controlplane.report.export.table_rows import RowsOf, flat_rows


def write_parquet(rows_of: RowsOf, target: Path, paths: Sequence[Path]) -> int:
    """Write the rows of these journals; return their number.

    Raises `UsageError` if there are none, and `ModuleNotFoundError` without DuckDB.
    """
    import duckdb

    count = 0
    types: dict[str, set[type]] = {}
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder) / "rows.jsonl"
        # DuckDB refuses half a surrogate pair, so `errors` writes a question mark instead.
        with lines.open("w", encoding="utf-8", errors="replace") as file:
            for row in flat_rows(rows_of, paths):
                for name, value in row.items():
                    types.setdefault(name, set()).add(type(value))
                file.write(f"{json.dumps(row, ensure_ascii=False)}\n")
                count += 1
        if count == 0:
            msg = "the runs hold nothing to write"
            raise UsageError(msg)
        columns = {name: _duckdb_type(kinds) for name, kinds in types.items()}
        with duckdb.connect() as database:
            table = database.read_json(
                str(lines), format="newline_delimited", columns=columns
            )
            table.write_parquet(str(target))
    return count


def _duckdb_type(types: set[type]) -> str:
    """Return DuckDB's type for a column with values of these types."""
    known_types = types - {type(None)}
    if known_types == {bool}:
        return "BOOLEAN"
    if known_types == {int}:
        return "BIGINT"
    if known_types and known_types <= {int, float}:
        return "DOUBLE"
    return "VARCHAR"
