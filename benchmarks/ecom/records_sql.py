"""A database of a shop's records, for the tool `/bin/sql`.

The records are JSON files. They are copied into tables of an in-memory SQLite database:

    SELECT sku, price_cents FROM products WHERE price_cents < 2000
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import asdict
from functools import cached_property
from typing import TYPE_CHECKING

from controlplane.benchmarks.ecom.record_names import RecordNames
from controlplane.benchmarks.ecom.sql_schema import TABLES, shown_schema
from controlplane.benchmarks.ecom.tools.fixed_time_database import fixed_time_database
from controlplane.benchmarks.ecom.tools.read_only_query import answer_of_query
from controlplane.benchmarks.ecom.tools.table_rows import rows_of, scalar
from controlplane.sandbox.interface import Plain

if TYPE_CHECKING:
    from controlplane.benchmarks.ecom.tools.record_store import RecordStore
    from controlplane.benchmarks.ecom.workspace import Workspace


class RecordsDatabase:
    """The records of a workspace at one time, for read-only queries.

    Created again when files have changed. Queries and rows have this world's own names of
    tables, columns and states.
    """

    def __init__(self, records: RecordStore, workspace: Workspace) -> None:
        self._records = records
        self._version = records.tree.version
        """The version of the files, which each change of a file increases."""
        self._names = workspace.names
        self._clock = workspace.clock
        self._folders: dict[str, str] = asdict(workspace.roots)
        """The folder of each kind of record, by the name of its table: `baskets`."""

    @property
    def is_current(self) -> bool:
        """True if no file has changed since the database was created."""
        return self._version == self._records.tree.version

    def answer(self, query: str, max_rows: int) -> str:
        """Run one query and return its first rows as CSV with a header.

        A warning follows if there are more rows. Raises `ValueError` if the query fails or
        tries to change something. A recursive query may never end, so the caller needs a
        deadline.
        """
        with fixed_time_database(self._clock) as database:
            # Filling the tables takes long, because all files are read.
            # `SELECT date('now')` needs no rows.
            if self._may_refer_to_table(query):
                database.deserialize(self._content)
            else:
                database.executescript(shown_schema(self._names))
            return answer_of_query(database, query, max_rows)

    def _may_refer_to_table(self, query: str) -> bool:
        """Return True if a query contains the name of a table, even as a part of another word."""
        folded_query = query.casefold()
        for table in TABLES:
            shown_table = self._names.tables.get(table, table)
            if shown_table.casefold() in folded_query:
                return True
        return False

    @cached_property
    def _content(self) -> bytes:
        """The database with the rows of all records, serialized. It is copied for each query."""
        rows_by_table: dict[str, list[Mapping[str, Plain]]] = {}
        for table, folder in self._folders.items():
            for record in self._records.records_below(folder):
                for row in rows_of(table, record):
                    rows_by_table.setdefault(row.table, []).append(row.values)
        with closing(sqlite3.connect(":memory:")) as database:
            database.executescript(shown_schema(self._names))
            for table, rows in rows_by_table.items():
                _insert(database, table, rows, self._names)
            database.commit()
            return database.serialize()


def _insert(
    database: sqlite3.Connection,
    table: str,
    rows: Iterable[Mapping[str, Plain]],
    names: RecordNames,
) -> None:
    """Insert rows into a table. They have the names that the code uses."""
    columns = [column for column, _ in TABLES[table]]
    inserted_rows = []
    for row in rows:
        inserted_rows.append(
            [_shown(row.get(column), column, names) for column in columns]
        )
    shown_table = names.tables.get(table, table)
    marks = ", ".join("?" * len(columns))
    database.executemany(f"INSERT INTO {shown_table} VALUES ({marks})", inserted_rows)


def _shown(value: Plain, column: str, names: RecordNames) -> str | int | float | None:
    """Return the value for a column. A state is translated to the name that the world shows."""
    if isinstance(value, str):
        value = names.state(value, of=column)
    return scalar(value)
