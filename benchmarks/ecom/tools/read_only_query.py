"""Runs a query on a SQLite database that it may read but not change.

Scripts write the queries, so they are not trusted. SQLite asks for each action of a query:
reading a column is allowed, `DELETE` and `ATTACH` are not. The result is CSV text, as the
tool `/bin/sql` prints it.
"""

from __future__ import annotations

import csv
import io
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Final

MAX_VALUE_BYTES: Final = 100_000
"""The largest size of one value in a query."""
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


def answer_of_query(database: sqlite3.Connection, query: str, max_rows: int) -> str:
    """Run a query and return its first rows as CSV with a header: `sku,price\nVH-TNT-2P,1990\n`.

    A warning follows if there are more than `max_rows`. From here on, the database can only
    be read. Raises `ValueError` if the query is wrong or tries to change something.
    """
    database.set_authorizer(_authorize)
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
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
    is_allowed_pragma = action == sqlite3.SQLITE_PRAGMA and name in ALLOWED_PRAGMAS
    if action in ALLOWED_ACTIONS or is_allowed_pragma:
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


def _csv(rows: Iterable[Sequence[object]]) -> str:
    """Return rows as CSV, each with a newline at its end."""
    output = io.StringIO()
    csv.writer(output, lineterminator="\n").writerows(rows)
    return output.getvalue()
