"""Read-only SQL over the records: an in-memory SQLite database, built from the current files."""

from __future__ import annotations

import csv
import io
import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from functools import cached_property
from typing import TYPE_CHECKING, Final

from sandbox.files.pinned_sqlite import pinned_database
from sandbox.interface import Plain

if TYPE_CHECKING:
    from benchmarks.ecom.workspace import Workspace

LARGEST: Final = int(sys.float_info.max)

ALLOWED: Final = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
)
TABLE_PRAGMAS: Final = frozenset({"table_info", "table_list", "table_xinfo"})

Row = tuple[str, Mapping[str, Plain]]
"""A table, and the values of one row by column."""


def _items(data: Mapping[str, Plain], name: str) -> list[dict[str, Plain]]:
    items = data.get(name)
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def _parts(table: str, data: Mapping[str, Plain]) -> Iterator[Row]:
    match table:
        case "products":
            properties = data.get("properties")
            for key, value in properties.items() if isinstance(properties, dict) else ():
                shown = str(value).lower() if isinstance(value, bool) else str(value)
                yield "product_properties", {"sku": data.get("sku"), "key": key, "value": shown}
        case "stores":
            for row in _items(data, "inventory"):
                on_hand, reserved = row.get("on_hand"), row.get("reserved")
                free = max(on_hand - reserved, 0) if isinstance(on_hand, int) and isinstance(reserved, int) else 0
                yield "inventory", {**row, "store_id": data.get("id"), "available": free}
                for coming in _items(row, "incoming"):
                    yield "incoming", {**coming, "store_id": data.get("id"), "sku": row.get("sku")}
        case "baskets":
            for line in _items(data, "lines"):
                yield "basket_lines", {**line, "basket_id": data.get("id")}
        case "employees":
            roles = data.get("roles")
            for role in roles if isinstance(roles, list) else ():
                yield "employee_roles", {"employee_id": data.get("id"), "role": role}


def _scalar(value: Plain) -> str | int | float | None:
    """Return a value as SQLite can hold it: a large integer as a real number, lists and objects as their text."""
    if isinstance(value, int) and value.bit_length() >= 64:
        return float(max(-LARGEST, min(value, LARGEST)))
    if value is None or isinstance(value, int | float):
        return value
    return str(value).encode("utf-8", "replace").decode()


def _authorize(action: int, first: str | None, *rest: str | None) -> int:
    is_allowed = action in ALLOWED or (action == sqlite3.SQLITE_PRAGMA and first in TABLE_PRAGMAS)
    return sqlite3.SQLITE_OK if is_allowed else sqlite3.SQLITE_DENY


class RecordsDatabase:
    """The records of a workspace as they are now, for queries that only read."""

    def __init__(
        self,
        records: Callable[[str], Iterable[tuple[str, dict[str, Plain]]]],
        workspace: Workspace,
        tables: Mapping[str, Sequence[Sequence[str]]],
    ) -> None:
        """Take the records below each root, with their paths, and the tables' columns, by the names of the code."""
        self._records, self._workspace, self._tables = records, workspace, tables

    @cached_property
    def _content(self) -> bytes:
        """The database with the rows of all records."""
        workspace, tables = self._workspace, dict[str, list[Mapping[str, Plain]]]()
        for table, root in asdict(workspace.roots).items():
            for path, data in self._records(root):
                tables.setdefault(table, []).append({**data, "record_path": path})
                for part, row in _parts(table, data):
                    tables.setdefault(part, []).append(row)
        with closing(sqlite3.connect(":memory:")) as made:
            made.executescript(workspace.names.schema())
            for table, rows in tables.items():
                columns = [name for name, _ in self._tables[table]]
                values = ([self._value(row, column) for column in columns] for row in rows)
                shown = workspace.names.tables.get(table, table)
                made.executemany(f"INSERT INTO {shown} VALUES ({', '.join('?' * len(columns))})", values)
            made.commit()
            return made.serialize()

    def _value(self, row: Mapping[str, Plain], column: str) -> str | int | float | None:
        value = row.get(column)
        return _scalar(self._workspace.names.state(value, of=column) if isinstance(value, str) else value)

    def answer(self, query: str, most: int) -> str:
        """Return the first `most` rows of one query as CSV with a header, and below them a warning if there are more.

        Raises `ValueError`, for SQL in the words of the platform's driver. Some queries never end.
        """
        with pinned_database(self._workspace.clock) as database:
            names = self._workspace.names
            if any(names.tables.get(table, table).casefold() in query.casefold() for table in self._tables):
                database.deserialize(self._content)
            else:
                database.executescript(names.schema())
            database.set_authorizer(_authorize)
            database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 100_000)
            try:
                cursor = database.execute(query)
                rows = cursor.fetchmany(most + 1)
            except (sqlite3.Error, sqlite3.Warning) as error:
                msg = f"SQL logic error: {error} (1)"
                raise ValueError(msg) from error
            if cursor.description is None:
                msg = "only queries that return rows are run"
                raise ValueError(msg)
            out = io.StringIO()
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(column[0] for column in cursor.description)
            writer.writerows(rows[:most])
            return out.getvalue() + (f"warning: result truncated at {most} rows\n" if len(rows) > most else "")
