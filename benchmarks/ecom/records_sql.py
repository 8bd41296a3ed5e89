"""Read-only SQL over the records: an in-memory SQLite database, built from the current files.

Its clock is pinned and its random numbers come from a fixed seed, so that a query can be replayed.
"""

from __future__ import annotations

import csv
import io
import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict
from datetime import datetime
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING, Final

from controlplane.sandbox.interface import Plain

if TYPE_CHECKING:
    from controlplane.benchmarks.ecom.workspace import Workspace

LARGEST: Final = int(sys.float_info.max)

ALLOWED: Final = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
)
TABLE_PRAGMAS: Final = frozenset({"table_info", "table_list", "table_xinfo"})

CURRENT: Final = {"current_timestamp": "datetime", "current_date": "date", "current_time": "time"}
"""Keywords that call a function, which SQLite looks up by name, even for the default of a column."""
FIRST_TIMES: Final = {
    "date": 0,
    "time": 0,
    "datetime": 0,
    "julianday": 0,
    "unixepoch": 0,
    "strftime": 1,
    "timediff": 0,
}
"""Functions of time, with the position of their first argument that is a time."""
FRACTION: Final = ("subsec", "subsecond")
"""As a time, this means now; there is a modifier of the same name."""

Value = str | bytes | int | float | None
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
                free = (
                    max(on_hand - reserved, 0)
                    if isinstance(on_hand, int) and isinstance(reserved, int)
                    else 0
                )
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
                made.executemany(
                    f"INSERT INTO {shown} VALUES ({', '.join('?' * len(columns))})", values
                )
            made.commit()
            return made.serialize()

    def _value(self, row: Mapping[str, Plain], column: str) -> str | int | float | None:
        value = row.get(column)
        return _scalar(
            self._workspace.names.state(value, of=column) if isinstance(value, str) else value
        )

    def answer(self, query: str, most: int) -> str:
        """Return the first `most` rows of one query as CSV with a header, and below them a warning if there are more.

        Raises `ValueError`, for SQL in the words of the platform's driver. Some queries never end.
        """
        with pinned_database(self._workspace.clock) as database:
            names = self._workspace.names
            if any(
                names.tables.get(table, table).casefold() in query.casefold()
                for table in self._tables
            ):
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
            return out.getvalue() + (
                f"warning: result truncated at {most} rows\n" if len(rows) > most else ""
            )


@contextmanager
def pinned_database(now: datetime) -> Iterator[sqlite3.Connection]:
    """Open a database in memory in which it is always `now`, in UTC. Every database gives the same random numbers."""
    with (
        closing(sqlite3.connect(":memory:")) as database,
        closing(sqlite3.connect(":memory:")) as original,
    ):
        functions = {name for (name,) in original.execute("SELECT name FROM pragma_function_list")}
        present = now.strftime("%Y-%m-%d %H:%M:%S")
        for name, first in FIRST_TIMES.items():
            if name in functions:
                times = slice(first, first + (2 if name == "timediff" else 1))
                database.create_function(
                    name, -1, _pinned(original, name, times, present), deterministic=True
                )
        for name, function in CURRENT.items():
            database.create_function(
                name, 0, _pinned(original, function, slice(0, 1), present), deterministic=True
            )
        random = Random(0)
        database.create_function("random", 0, lambda: random.randint(1 - 2**63, 2**63 - 1))
        # Bytes of one random value; SQLite refuses what is larger than its own bound.
        database.create_function(
            "randomblob", 1, lambda size: random.randbytes(min(max(int(size or 1), 1), 1_000_000))
        )
        yield database


def _pinned(
    original: sqlite3.Connection, name: str, times: slice, present: str
) -> Callable[..., Value]:
    """Return the function of time, which is computed elsewhere once the present is written into its arguments."""

    def call(*given: Value) -> Value:
        arguments: list[Value] = []
        for place, value in enumerate(given):
            word = _word(value) if place in range(times.start, times.stop) else ""
            arguments += (
                [present] if word == "now" else [present, word] if word in FRACTION else [value]
            )
        if len(given) == times.start and name != "timediff":
            arguments.append(present)
        marks = ", ".join("?" * len(arguments))
        result: Value = original.execute(f"SELECT {name}({marks})", arguments).fetchone()[0]
        return result

    return call


def _word(value: Value) -> str:
    """Return a text as SQLite reads it: up to a NUL, in lower case."""
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
    return text.partition("\0")[0].lower() if isinstance(text, str) else ""
