"""SQLite databases in which a repeated query gives the same result.

The current time is fixed: `date('now')` gives the day of a world, which stands still.
Random numbers have a fixed seed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import datetime
from random import Random
from typing import Any, Final

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
MAX_RANDOM_BYTES: Final = 1_000_000
"""The largest result of `randomblob`."""

Value = str | bytes | int | float | None


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

    It calls SQLite's own function with other arguments: `date('now', '+1 day')` -> `date('2027-03-01 10:00:00', '+1 day')`.
    """

    def call(*call_arguments: Value) -> Value:
        arguments = _with_fixed_time(name, call_arguments, now)
        marks = ", ".join("?" * len(arguments))
        query = f"SELECT {name}({marks})"
        result: Value = unchanged_database.execute(query, arguments).fetchone()[0]
        return result

    return call


def _with_fixed_time(
    function: str, call_arguments: tuple[Value, ...], now: str
) -> list[Value]:
    """Return the arguments of a time function, with `now` where they mean the current time."""
    time_positions = TIME_ARGUMENTS[function]
    arguments: list[Value] = []
    for position, value in enumerate(call_arguments):
        word = _lower_word(value) if position in time_positions else ""
        if word == "now":
            arguments.append(now)
        elif word in SUBSECOND_WORDS:
            arguments += [now, word]
        else:
            arguments.append(value)
    if _lacks_time(function, len(call_arguments)):
        arguments.append(now)
    return arguments


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
