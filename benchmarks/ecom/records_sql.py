"""Read-only SQL queries of the records, in an in-memory SQLite database of the current files.

A repeated query gives the same rows: the current time is that of the world, which
stands still, and random numbers have a fixed seed.
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
from typing import TYPE_CHECKING, Any, Final

from controlplane.sandbox.interface import Plain

if TYPE_CHECKING:
    from controlplane.benchmarks.ecom.workspace import Workspace

LARGEST_REAL: Final = int(sys.float_info.max)
"""The largest integer that can become a float."""
MAX_VALUE_BYTES: Final = 100_000
"""The largest size of one value in a query."""
MAX_RANDOM_BYTES: Final = 1_000_000
"""The largest result of `randomblob`."""

ALLOWED_ACTIONS: Final = frozenset(
    {
        sqlite3.SQLITE_SELECT,
        sqlite3.SQLITE_READ,
        sqlite3.SQLITE_FUNCTION,
        sqlite3.SQLITE_RECURSIVE,
    }
)
"""What a query may do: select, read columns, call functions, and recurse in a select."""
ALLOWED_PRAGMAS: Final = frozenset({"table_info", "table_list", "table_xinfo"})
"""Pragmas that list tables and columns."""

CLOCK_KEYWORDS: Final = {
    "current_timestamp": "datetime",
    "current_date": "date",
    "current_time": "time",
}
"""SQL keywords for the current time, and the function that gives the same value.

SQLite evaluates a keyword by calling a user-defined function with the keyword's name,
if there is one.
"""
TIME_ARGUMENTS: Final[Mapping[str, tuple[int, ...]]] = {
    "date": (0,),
    "time": (0,),
    "datetime": (0,),
    "julianday": (0,),
    "unixepoch": (0,),
    "strftime": (1,),  # The first argument is the format.
    "timediff": (0, 1),
}
"""SQLite's time functions, and the positions of the arguments that are times."""
SUBSECOND_WORDS: Final = ("subsec", "subsecond")
"""SQLite's words for the current time with fractions of a second: `time('subsec')`.

After a time, they only ask for fractions: `time('now', 'subsec')`.
"""

Value = str | bytes | int | float | None
TableRow = tuple[str, Mapping[str, Plain]]
"""A table's name, and one of its rows by column: `("inventory", {"sku": ..., "on_hand": 4})`."""


def _items(data: Mapping[str, Plain], name: str) -> list[dict[str, Plain]]:
    """Return the objects of the list `name` in a record.

    Other values, which a script may have written there, are left out.
    """
    items = data.get(name)
    if not isinstance(items, list):
        return []
    return [item for item in items if isinstance(item, dict)]


def _part_rows(table: str, record: Mapping[str, Plain]) -> Iterator[TableRow]:
    """Yield the rows that parts of a record add to other tables, such as the lines of a basket."""
    match table:
        case "products":
            yield from _property_rows(record)
        case "stores":
            yield from _stock_rows(record)
        case "baskets":
            for line in _items(record, "lines"):
                yield "basket_lines", {**line, "basket_id": record.get("id")}
        case "employees":
            roles = record.get("roles")
            if isinstance(roles, list):
                for role in roles:
                    yield (
                        "employee_roles",
                        {"employee_id": record.get("id"), "role": role},
                    )


def _property_rows(product: Mapping[str, Plain]) -> Iterator[TableRow]:
    properties = product.get("properties")
    if not isinstance(properties, dict):
        return
    for key, value in properties.items():
        shown_value = str(value)
        if isinstance(value, bool):
            shown_value = shown_value.lower()
        yield (
            "product_properties",
            {"sku": product.get("sku"), "key": key, "value": shown_value},
        )


def _stock_rows(store: Mapping[str, Plain]) -> Iterator[TableRow]:
    store_id = store.get("id")
    for stock in _items(store, "inventory"):
        on_hand = stock.get("on_hand")
        reserved = stock.get("reserved")
        available = 0
        if isinstance(on_hand, int) and isinstance(reserved, int):
            available = max(on_hand - reserved, 0)
        yield "inventory", {**stock, "store_id": store_id, "available": available}
        for incoming in _items(stock, "incoming"):
            yield (
                "incoming",
                {**incoming, "store_id": store_id, "sku": stock.get("sku")},
            )


def _scalar(value: Plain) -> str | int | float | None:
    """Return a value that SQLite can store.

    A very large integer becomes a float. A list or object becomes text.
    """
    # SQLite's integers have 64 bits.
    if isinstance(value, int) and value.bit_length() >= 64:
        in_range = max(-LARGEST_REAL, min(value, LARGEST_REAL))
        return float(in_range)
    if value is None or isinstance(value, int | float):
        return value
    return str(value).encode("utf-8", "replace").decode()  # Replaces surrogates by `?`.


def _authorize(action: int, name: str | None, *details: str | None) -> int:
    """Tell SQLite whether a query may do something. For a pragma, `name` is its name."""
    is_allowed_pragma = action == sqlite3.SQLITE_PRAGMA and name in ALLOWED_PRAGMAS
    if action in ALLOWED_ACTIONS or is_allowed_pragma:
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


class RecordsDatabase:
    """The current records of a workspace, for read-only queries.

    Created again whenever files have changed. The records have the names that the code
    uses (`status`: `active`), but queries and rows have this world's own names
    (`state`: `open`).
    """

    def __init__(
        self,
        records: Callable[[str], Iterable[tuple[str, dict[str, Plain]]]],
        workspace: Workspace,
        tables: Mapping[str, Sequence[Sequence[str]]],
    ) -> None:
        """Set up the database. All arguments use the code's names.

        `records` yields the path and data of each record below a folder. `tables` has
        the columns of each table: `{"inventory": [("store_id", "TEXT"), ...]}`.
        """
        self._records_below = records
        self._workspace = workspace
        self._tables = tables

    @cached_property
    def _content(self) -> bytes:
        """The database with the rows of all records, serialized. It is copied for each query."""
        rows_by_table = self._rows_by_table()
        names = self._workspace.names
        with closing(sqlite3.connect(":memory:")) as database:
            database.executescript(names.schema())
            for table, rows in rows_by_table.items():
                columns = [name for name, _ in self._tables[table]]
                marks = ", ".join("?" * len(columns))
                shown_table = names.tables.get(table, table)
                database.executemany(
                    f"INSERT INTO {shown_table} VALUES ({marks})",
                    [
                        [self._shown_value(row, column) for column in columns]
                        for row in rows
                    ],
                )
            database.commit()
            return database.serialize()

    def _rows_by_table(self) -> dict[str, list[Mapping[str, Plain]]]:
        """Return the rows of each table: one for each record and for each part of a record."""
        rows: dict[str, list[Mapping[str, Plain]]] = {}
        folders = asdict(self._workspace.roots)  # The folder of each kind of record
        for table, folder in folders.items():
            for path, record in self._records_below(folder):
                rows.setdefault(table, []).append({**record, "record_path": path})
                for part_table, row in _part_rows(table, record):
                    rows.setdefault(part_table, []).append(row)
        return rows

    def _shown_value(
        self, row: Mapping[str, Plain], column: str
    ) -> str | int | float | None:
        """Return the value for a column. A state is translated to the name that the world shows."""
        value = row.get(column)
        if isinstance(value, str):
            value = self._workspace.names.state(value, of=column)
        return _scalar(value)

    def answer(self, query: str, max_rows: int) -> str:
        """Run one query and return its first rows as CSV with a header.

        A warning follows if there are more rows. Raises `ValueError`
        if the query is refused or wrong. A recursive query may never end,
        so the caller needs a deadline.
        """
        with fixed_time_database(self._workspace.clock) as database:
            self._make_tables(database, query)
            database.set_authorizer(_authorize)
            database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
            try:
                cursor = database.execute(query)
                rows = cursor.fetchmany(max_rows + 1)
            except (sqlite3.Error, sqlite3.Warning) as error:
                msg = f"SQL logic error: {error} (1)"  # The wording of the public benchmark
                raise ValueError(msg) from error
            if cursor.description is None:
                msg = "only queries that return rows are run"
                raise ValueError(msg)
            output = io.StringIO()
            writer = csv.writer(output, lineterminator="\n")
            writer.writerow([column[0] for column in cursor.description])
            writer.writerows(rows[:max_rows])
            if len(rows) > max_rows:
                output.write(f"warning: result truncated at {max_rows} rows\n")
            return output.getvalue()

    def _make_tables(self, database: sqlite3.Connection, query: str) -> None:
        """Create the tables, and fill them if the query may refer to one.

        Filling takes long, because all files are read.
        `SELECT date('now')` needs no rows.
        """
        names = self._workspace.names
        for table in self._tables:
            shown_table = names.tables.get(table, table)
            may_refer_to_table = shown_table.casefold() in query.casefold()
            if may_refer_to_table:
                database.deserialize(self._content)
                return
        database.executescript(names.schema())


# Fixed time and random numbers ------------------------------------------------------------------


@contextmanager
def fixed_time_database(now: datetime) -> Iterator[sqlite3.Connection]:
    """Open an in-memory database whose current time is always `now`, in UTC.

    Each database gives the same random numbers.
    """
    with (
        closing(sqlite3.connect(":memory:")) as database,
        closing(sqlite3.connect(":memory:")) as unchanged_database,
    ):
        _fix_times(database, unchanged_database, now)
        _fix_random_numbers(database)
        yield database


def _fix_times(
    database: sqlite3.Connection, unchanged_database: sqlite3.Connection, now: datetime
) -> None:
    """Replace a database's time functions by ones that use `now` as the current time.

    They call SQLite's own functions, which only `unchanged_database` still has.
    """
    known_functions = set()
    for (name,) in unchanged_database.execute("SELECT name FROM pragma_function_list"):
        known_functions.add(name)
    now_text = now.strftime("%Y-%m-%d %H:%M:%S")
    for name in TIME_ARGUMENTS:
        if name in known_functions:  # Older versions of SQLite lack some.
            function = _fixed_time_function(unchanged_database, name, now_text)
            database.create_function(name, -1, function, deterministic=True)
    for keyword, name in CLOCK_KEYWORDS.items():
        function = _fixed_time_function(unchanged_database, name, now_text)
        database.create_function(keyword, 0, function, deterministic=True)


def _fix_random_numbers(database: sqlite3.Connection) -> None:
    """Replace a database's random functions by ones with a fixed seed."""
    random = Random(0)

    def random_integer() -> int:
        return random.randint(1 - 2**63, 2**63 - 1)

    def random_bytes(size: Any) -> bytes:
        return random.randbytes(min(max(int(size or 1), 1), MAX_RANDOM_BYTES))

    database.create_function("random", 0, random_integer)
    database.create_function("randomblob", 1, random_bytes)


def _fixed_time_function(
    unchanged_database: sqlite3.Connection, name: str, now: str
) -> Callable[..., Value]:
    """Return the time function `name` with `now` as the current time.

    It replaces each argument that means the current time, and calls SQLite's own
    function: `date('now', '+1 day')` -> `date('2027-03-01 10:00:00', '+1 day')`.
    """
    time_positions = TIME_ARGUMENTS[name]

    def call(*call_arguments: Value) -> Value:
        arguments: list[Value] = []
        for position, value in enumerate(call_arguments):
            word = _lower_word(value) if position in time_positions else ""
            if word == "now":
                arguments.append(now)
            elif word in SUBSECOND_WORDS:
                arguments += [now, word]
            else:
                arguments.append(value)
        if _lacks_time(name, len(call_arguments)):
            arguments.append(now)
        marks = ", ".join("?" * len(arguments))
        query = f"SELECT {name}({marks})"
        result: Value = unchanged_database.execute(query, arguments).fetchone()[0]
        return result

    return call


def _lacks_time(function: str, argument_count: int) -> bool:
    """Return True if a call uses the current time because it has no time as an argument.

    Such calls are `date()` and `strftime('%Y')`. `timediff` always needs its times.
    """
    if function == "timediff":
        return False
    first_time_position = TIME_ARGUMENTS[function][0]
    return argument_count == first_time_position


def _lower_word(value: Value) -> str:
    """Return a text in lower case and only up to a NUL, as SQLite reads it; empty for numbers."""
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if not isinstance(value, str):
        return ""
    return value.partition("\0")[0].lower()
