"""SQLite with a pinned clock and random numbers from a fixed seed, so that a query can be replayed."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from random import Random
from typing import Final

CURRENT: Final = {"current_timestamp": "datetime", "current_date": "date", "current_time": "time"}
"""Keywords that call a function, which SQLite looks up by name, even for the default of a column."""
FIRST_TIMES: Final = {"date": 0, "time": 0, "datetime": 0, "julianday": 0, "unixepoch": 0, "strftime": 1, "timediff": 0}
"""Functions of time, with the position of their first argument that is a time."""
FRACTION: Final = ("subsec", "subsecond")
"""As a time, this means now; there is a modifier of the same name."""

Value = str | bytes | int | float | None


@contextmanager
def pinned_database(now: datetime) -> Iterator[sqlite3.Connection]:
    """Open a database in memory in which it is always `now`, in UTC. Every database gives the same random numbers."""
    with closing(sqlite3.connect(":memory:")) as database, closing(sqlite3.connect(":memory:")) as original:
        functions = {name for (name,) in original.execute("SELECT name FROM pragma_function_list")}
        present = now.strftime("%Y-%m-%d %H:%M:%S")
        for name, first in FIRST_TIMES.items():
            if name in functions:
                times = slice(first, first + (2 if name == "timediff" else 1))
                database.create_function(name, -1, _pinned(original, name, times, present), deterministic=True)
        for name, function in CURRENT.items():
            database.create_function(name, 0, _pinned(original, function, slice(0, 1), present), deterministic=True)
        random = Random(0)
        database.create_function("random", 0, lambda: random.randint(1 - 2**63, 2**63 - 1))
        # Bytes of one random value; SQLite refuses what is larger than its own bound.
        database.create_function("randomblob", 1, lambda size: random.randbytes(min(max(int(size or 1), 1), 1_000_000)))
        yield database


def _pinned(original: sqlite3.Connection, name: str, times: slice, present: str) -> Callable[..., Value]:
    """Return the function of time, which is computed elsewhere once the present is written into its arguments."""

    def call(*given: Value) -> Value:
        arguments: list[Value] = []
        for place, value in enumerate(given):
            word = _word(value) if place in range(times.start, times.stop) else ""
            arguments += [present] if word == "now" else [present, word] if word in FRACTION else [value]
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
