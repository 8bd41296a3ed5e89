"""Converts Parquet files and SQLite databases to CSV.

Their numbers have a type, but in CSV a number such as `1.234` could also be read as 1,234. So
it is written in a form that can be read in one way only: `1.2340`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from decimal import Decimal
from typing import Any, Final

from controlplane.benchmarks.files.documents.spreadsheets import csv_text
from controlplane.benchmarks.files.tables.written_values import written_value

PARQUET: Final = "memory://table.parquet"
"""The in-memory file from which DuckDB reads a Parquet file."""
FETCHED_ROWS: Final = 10_000
"""The number of rows that are fetched from DuckDB at once."""


def parquet_csv(data: bytes) -> str:
    """Return a Parquet file as CSV."""
    return csv_text(_with_written_numbers(_parquet_rows(data)))


def sqlite_csv(data: bytes) -> dict[str, str]:
    """Return each table of an SQLite database as CSV, by its name.

    Raises `ValueError` if `data` is not such a database.
    """
    if not data.startswith(b"SQLite format 3\0"):
        msg = "it is not an SQLite database"
        raise ValueError(msg)
    texts = {}
    with closing(sqlite3.connect(":memory:")) as database:
        database.deserialize(data)
        database.text_factory = lambda text: text.decode("utf-8", "replace")
        tables = database.execute(
            "select name from sqlite_schema where type = 'table' and name not like 'sqlite%'"
        )
        for (name,) in tables.fetchall():
            texts[name] = csv_text(_with_written_numbers(_table_rows(database, name)))
    return texts


def _parquet_rows(data: bytes) -> Iterator[Sequence[Any]]:
    """Yield the column names of a Parquet file, then its rows."""
    # DuckDB is imported only if the extra is installed.
    from controlplane.benchmarks.files.tables.table_database import database, files

    files.pipe(PARQUET, data)  # Writes the file in memory, from which DuckDB reads it.
    cursor = database.execute("select * from read_parquet(?)", [PARQUET])
    yield [column[0] for column in cursor.description]
    while rows := cursor.fetchmany(FETCHED_ROWS):
        yield from rows


def _table_rows(database: sqlite3.Connection, name: str) -> Iterator[Sequence[Any]]:
    """Yield the column names of a table, then its rows, without binary values."""
    quoted_name = name.replace('"', '""')
    rows = database.execute(f'select * from "{quoted_name}"')
    yield [column[0] for column in rows.description]
    for row in rows:
        yield ["" if isinstance(cell, bytes) else cell for cell in row]


def _with_written_numbers(rows: Iterable[Sequence[Any]]) -> Iterator[list[Any]]:
    """Yield rows whose numbers cannot be misread: `1.234` becomes `1.2340`.

    An `int` has no decimal point, and stays as it is.
    """
    for row in rows:
        yield [
            written_value(cell) if isinstance(cell, float | Decimal) else cell
            for cell in row
        ]
