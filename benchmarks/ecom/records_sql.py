"""A database of a shop's records, for the tool `/bin/sql`.

The records are JSON files. They are copied into tables of an in-memory SQLite database:

    SELECT sku, price_cents FROM products WHERE price_cents < 2000
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
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from controlplane.benchmarks.ecom.record_store import (
    TABLES,
    RecordNames,
    StoredRecord,
    shown_schema,
)
from controlplane.sandbox.interface import Plain

if TYPE_CHECKING:
    from controlplane.benchmarks.ecom.record_store import RecordStore
    from controlplane.benchmarks.ecom.workspace import Workspace

# The arguments of SQLite's time functions, with a fixed time instead of the current one.
#
# `date('now', '+1 day')` gets the arguments `'2027-03-01 10:00:00', '+1 day'`, and `date()`
# gets `'2027-03-01 10:00:00'`.

_Value: TypeAlias = str | bytes | int | float | None
"""A value of SQLite."""

_TIME_ARGUMENTS: Final[Mapping[str, tuple[int, ...]]] = {
    "date": (0,),
    "time": (0,),
    "datetime": (0,),
    "julianday": (0,),
    "unixepoch": (0,),
    "strftime": (1,),  # The first argument is the format.
    "timediff": (0, 1),
}
"""SQLite's time functions, and the positions of the arguments that are times."""
_SUBSECOND_WORDS: Final = ("subsec", "subsecond")
"""The words for the current time with fractions of a second: `time('subsec')`.

After a time, the same words ask for fractions of that time: `time('now', 'subsec')`. So
`time('subsec')` becomes `time('2027-03-01 10:00:00', 'subsec')`.
"""


def _with_fixed_time(
    function: str, arguments: Sequence[_Value], now: str
) -> list[_Value]:
    """Return the arguments of a time function, with `now` where they mean the current time."""
    fixed: list[_Value] = []
    for position, value in enumerate(arguments):
        word = ""
        if position in _TIME_ARGUMENTS[function]:
            word = _lower_word(value)
        if word == "now":
            fixed.append(now)
        elif word in _SUBSECOND_WORDS:
            fixed += [now, word]
        else:
            fixed.append(value)
    if _lacks_time(function, len(arguments)):
        fixed.append(now)
    return fixed


def _lacks_time(function: str, argument_count: int) -> bool:
    """Return True if a call uses the current time because it has no time as an argument.

    Such calls are `date()` and `strftime('%Y')`. `timediff` always needs its times.
    """
    if function == "timediff":
        return False
    first_time_position = _TIME_ARGUMENTS[function][0]
    return argument_count == first_time_position


def _lower_word(value: _Value) -> str:
    """Return a text in lower case and only up to a NUL, as SQLite reads it: `NOW` -> `now`.

    For a number, the text is empty.
    """
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if not isinstance(value, str):
        return ""
    return value.partition("\0")[0].lower()


# SQLite databases in which a repeated query gives the same result.
#
# The current time is fixed: `date('now')` gives the day of a world, which stands still.
# Random numbers have a fixed seed. Thus a trial that is run again gets the same results.

_CLOCK_KEYWORDS: Final = {
    "current_timestamp": "datetime",
    "current_date": "date",
    "current_time": "time",
}
"""The keywords for the current time, and the functions with the same value.

`SELECT current_date` gives the same as `SELECT date('now')`. A keyword is redefined like a
function: SQLite calls a user-defined function of that name if there is one.
"""
_MAX_RANDOM_BYTES: Final = 1_000_000
"""The largest result of `randomblob`."""


@contextmanager
def fixed_time_database(now: datetime) -> Iterator[sqlite3.Connection]:
    """Open an in-memory database whose current time is always `now`, in UTC.

    Each database gives the same random numbers.
    """
    with (
        closing(sqlite3.connect(":memory:")) as database,
        # In the first database, `date` is replaced by a function that needs SQLite's own `date`.
        # The second one still has the original functions.
        closing(sqlite3.connect(":memory:")) as original_database,
    ):
        _fix_times(database, original_database, now)
        _fix_random_numbers(database)
        yield database


def _fix_times(
    database: sqlite3.Connection, original_database: sqlite3.Connection, now: datetime
) -> None:
    """Replace a database's time functions by ones that use `now` as the current time.

    These call SQLite's own functions in `original_database`, where nothing is replaced.
    """
    known_functions = set()
    for (name,) in original_database.execute("SELECT name FROM pragma_function_list"):
        known_functions.add(name)
    now_text = now.strftime("%Y-%m-%d %H:%M:%S")
    for name in _TIME_ARGUMENTS:
        if name in known_functions:  # Older versions of SQLite lack some.
            function = _fixed_time_function(original_database, name, now_text)
            database.create_function(name, -1, function, deterministic=True)
    for keyword, name in _CLOCK_KEYWORDS.items():
        function = _fixed_time_function(original_database, name, now_text)
        database.create_function(keyword, 0, function, deterministic=True)


def _fixed_time_function(
    original_database: sqlite3.Connection, name: str, now: str
) -> Callable[..., _Value]:
    """Return the time function `name` with `now` as the current time.

    It replaces the current time in its arguments, and calls SQLite's own function in
    `original_database`: `date('now', '+1 day')` -> `date('2027-03-01 10:00:00', '+1 day')`.
    """

    def call(*arguments: _Value) -> _Value:
        fixed_arguments = _with_fixed_time(name, arguments, now)
        placeholders = ", ".join("?" * len(fixed_arguments))
        rows = original_database.execute(
            f"SELECT {name}({placeholders})", fixed_arguments
        )
        result: _Value = rows.fetchone()[0]
        return result

    return call


def _fix_random_numbers(database: sqlite3.Connection) -> None:
    """Replace a database's random functions by ones with a fixed seed.

    `SELECT random()` in a new database always gives the same first number.
    """
    random = Random(0)

    def random_integer() -> int:
        return random.randint(1 - 2**63, 2**63 - 1)

    def random_bytes(size: Any) -> bytes:
        return random.randbytes(min(max(int(size or 1), 1), _MAX_RANDOM_BYTES))

    database.create_function("random", 0, random_integer)
    database.create_function("randomblob", 1, random_bytes)


# Runs a query on a SQLite database that it may read but not change.
#
# Scripts write the queries, so they are not trusted. SQLite asks for each action of a query:
# reading a column is allowed, `DELETE` and `ATTACH` are not. The result is CSV text, as the
# tool `/bin/sql` prints it.

_MAX_VALUE_BYTES: Final = 100_000
"""The largest size of one value in a query."""
_ALLOWED_ACTIONS: Final = frozenset(
    {
        sqlite3.SQLITE_SELECT,
        sqlite3.SQLITE_READ,
        sqlite3.SQLITE_FUNCTION,
        sqlite3.SQLITE_RECURSIVE,
    }
)
"""What a query may do: select, read columns, call functions, and recurse in a select."""
_ALLOWED_PRAGMAS: Final = frozenset({"table_info", "table_list", "table_xinfo"})
"""Pragmas that list tables and columns."""


def _answer_of_query(database: sqlite3.Connection, query: str, max_rows: int) -> str:
    """Run a query and return its first rows as CSV with a header: `sku,price\nVH-TNT-2P,1990\n`.

    A warning follows if there are more than `max_rows`. From here on, the database can only
    be read. Raises `ValueError` if the query is wrong or tries to change something.
    """
    database.set_authorizer(_authorize)
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_VALUE_BYTES)
    try:
        cursor = database.execute(query)
        rows = cursor.fetchmany(max_rows + 1)  # One more shows that there are more.
    except (sqlite3.Error, sqlite3.Warning) as error:
        msg = f"SQL logic error: {error} (1)"  # The wording of the public benchmark
        raise ValueError(msg) from error
    if cursor.description is None:
        msg = "only queries that return rows are run"
        raise ValueError(msg)
    columns = [column[0] for column in cursor.description]
    text = _csv([columns, *rows[:max_rows]])
    if len(rows) > max_rows:
        text += f"warning: result truncated at {max_rows} rows\n"
    return text


def _authorize(action: int, name: str | None, *details: str | None) -> int:
    """Tell SQLite whether a query may do something. For a pragma, `name` is its name.

    The other details, such as the column that is read, do not matter.
    """
    is_allowed_pragma = action == sqlite3.SQLITE_PRAGMA and name in _ALLOWED_PRAGMAS
    if action in _ALLOWED_ACTIONS or is_allowed_pragma:
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


def _csv(rows: Iterable[Sequence[object]]) -> str:
    """Return rows as CSV, each with a newline at its end."""
    output = io.StringIO()
    csv.writer(output, lineterminator="\n").writerows(rows)
    return output.getvalue()


# The rows of SQL tables that a record gives: its own, and one for each of its parts.
#
# A basket with one line gives two rows:
#
#     _TableRow("baskets", {"id": "basket-7", ...})
#     _TableRow("basket_lines", {"basket_id": "basket-7", "sku": "VH-TNT-2P", ...})

_LARGEST_REAL: Final = int(sys.float_info.max)
"""The largest integer that can become a float. A script may write a larger one in a record."""


class _TableRow(NamedTuple):
    """One row of a table."""

    table: str
    values: Mapping[str, Plain]
    """The value of each column."""


def _rows_of(table: str, record: StoredRecord) -> Iterator[_TableRow]:
    """Yield the row of a record in its table, and the rows of its parts in other tables."""
    data = record.data
    yield _TableRow(table, {**data, "record_path": record.path})
    match table:
        case "products":
            yield from _property_rows(data)
        case "stores":
            yield from _stock_rows(data)
        case "baskets":
            for line in _items(data, "lines"):
                yield _TableRow("basket_lines", {**line, "basket_id": data.get("id")})
        case "employees":
            yield from _role_rows(data)


def _property_rows(product: Mapping[str, Plain]) -> Iterator[_TableRow]:
    """Yield a row for each property of a product: `sku`, `key` and `value`, as text."""
    properties = product.get("properties")
    if not isinstance(properties, dict):
        return
    sku = product.get("sku")
    for key, value in properties.items():
        shown_value = str(value)
        if isinstance(value, bool):
            shown_value = shown_value.lower()
        row = {"sku": sku, "key": key, "value": shown_value}
        yield _TableRow("product_properties", row)


def _stock_rows(store: Mapping[str, Plain]) -> Iterator[_TableRow]:
    """Yield a row for each product in a branch's stock, and one for each of its deliveries.

    `available` is computed: the units on hand minus the reserved ones.
    """
    store_id = store.get("id")
    for stock in _items(store, "inventory"):
        on_hand = stock.get("on_hand")
        reserved = stock.get("reserved")
        available = 0
        if isinstance(on_hand, int) and isinstance(reserved, int):
            available = max(on_hand - reserved, 0)
        row = {**stock, "store_id": store_id, "available": available}
        yield _TableRow("inventory", row)
        sku = stock.get("sku")
        for incoming in _items(stock, "incoming"):
            yield _TableRow("incoming", {**incoming, "store_id": store_id, "sku": sku})


def _role_rows(employee: Mapping[str, Plain]) -> Iterator[_TableRow]:
    """Yield a row for each role of an employee: `employee_id` and `role`."""
    roles = employee.get("roles")
    if not isinstance(roles, list):
        return
    for role in roles:
        row = {"employee_id": employee.get("id"), "role": role}
        yield _TableRow("employee_roles", row)


def _items(data: Mapping[str, Plain], name: str) -> list[dict[str, Plain]]:
    """Return the objects of the list `name` in a record.

    Other values, which a script may have written there, are left out.
    """
    items = data.get(name)
    if not isinstance(items, list):
        return []
    return [item for item in items if isinstance(item, dict)]


def scalar(value: Plain) -> str | int | float | None:
    """Return a value that SQLite can store.

    A very large integer becomes a float: 2**70 -> 1.18e21. A list or object becomes text.
    """
    # SQLite's integers have 64 bits with the sign.
    if isinstance(value, int) and value.bit_length() >= 64:
        # `float` raises an error for an even larger integer, so it is limited.
        return float(max(-_LARGEST_REAL, min(value, _LARGEST_REAL)))
    if value is None or isinstance(value, int | float):
        return value
    return str(value).encode("utf-8", "replace").decode()  # Replaces surrogates by `?`.


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
            return _answer_of_query(database, query, max_rows)

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
                for row in _rows_of(table, record):
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
