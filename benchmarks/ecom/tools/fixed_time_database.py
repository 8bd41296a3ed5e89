"""SQLite databases in which a repeated query gives the same result.

The current time is fixed: `date('now')` gives the day of a world, which stands still.
Random numbers have a fixed seed. Thus a trial that is run again gets the same results.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from random import Random
from typing import Any, Final

from controlplane.benchmarks.ecom.tools.time_arguments import (
    TIME_ARGUMENTS,
    Value,
    with_fixed_time,
)

CLOCK_KEYWORDS: Final = {
    "current_timestamp": "datetime",
    "current_date": "date",
    "current_time": "time",
}
"""The keywords for the current time, and the functions with the same value.

`SELECT current_date` gives the same as `SELECT date('now')`. A keyword is redefined like a
function: SQLite calls a user-defined function of that name if there is one.
"""
MAX_RANDOM_BYTES: Final = 1_000_000
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
    for name in TIME_ARGUMENTS:
        if name in known_functions:  # Older versions of SQLite lack some.
            function = _fixed_time_function(original_database, name, now_text)
            database.create_function(name, -1, function, deterministic=True)
    for keyword, name in CLOCK_KEYWORDS.items():
        function = _fixed_time_function(original_database, name, now_text)
        database.create_function(keyword, 0, function, deterministic=True)


def _fixed_time_function(
    original_database: sqlite3.Connection, name: str, now: str
) -> Callable[..., Value]:
    """Return the time function `name` with `now` as the current time.

    It replaces the current time in its arguments, and calls SQLite's own function in
    `original_database`: `date('now', '+1 day')` -> `date('2027-03-01 10:00:00', '+1 day')`.
    """

    def call(*arguments: Value) -> Value:
        fixed_arguments = with_fixed_time(name, arguments, now)
        placeholders = ", ".join("?" * len(fixed_arguments))
        rows = original_database.execute(
            f"SELECT {name}({placeholders})", fixed_arguments
        )
        result: Value = rows.fetchone()[0]
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
        return random.randbytes(min(max(int(size or 1), 1), MAX_RANDOM_BYTES))

    database.create_function("random", 0, random_integer)
    database.create_function("randomblob", 1, random_bytes)
