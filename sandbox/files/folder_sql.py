"""`/bin/sql` of a folder: runs untrusted SQLite queries over its `*.csv`, `*.sql` and `*.db` files.

Each query runs on a copy in memory. It cannot attach databases or load extensions; its time and its output are bounded.
"""

from __future__ import annotations

import csv
import io
import math
import re
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final, TypeVar

from sandbox.files.file_tree import FileTree
from sandbox.interface.operations import CallError

TIME_LIMIT_S: Final = 0.8
"""Seconds for a query plus loading all files that a script wrote, so that a waiting step ends on time."""
LEAST_TIME_S: Final = 0.1
"""Minimum seconds for a query, however long loading took."""
LOADING_LIMIT_S: Final = 5.0
"""Seconds for loading all files from disk."""
MAX_HEAP_BYTES: Final = 40_000_000
MAX_CELL_BYTES: Final = 140_000
MAX_COLUMNS: Final = 200
"""Together with the size of a cell, bounds the memory of one row."""
MAX_OUTPUT_CHARS: Final = 1_500_000
MAX_LIKE_CHARS: Final = 1_000
MAX_COMPARISONS: Final = 500_000_000
_COSTLY: Final = {"printf": -1, "format": -1, "trim": 2, "ltrim": 2, "rtrim": 2, "instr": 2, "replace": 3}
"""Functions that cannot be interrupted and take time in the product of their arguments, with their arity."""
_LONG_NUMBER: Final = re.compile(r"\d{6}")
_STEPS_BETWEEN_CHECKS: Final = 1_000
_DENIED: Final = frozenset({sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH})
_TRANSACTIONS: Final = frozenset({sqlite3.SQLITE_TRANSACTION, sqlite3.SQLITE_SAVEPOINT})
_DENIED_FUNCTIONS: Final = frozenset({"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer"})
_WHOLE: Final = re.compile(r"-?(0|[1-9]\d{0,17})")
_TRANSACTION: Final = re.compile(r"\s*(BEGIN|COMMIT|END|ROLLBACK|SAVEPOINT|RELEASE)\b", re.IGNORECASE)
_NUMBER: Final = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?")
_FAILED: Final = (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError, MemoryError)
"""Exceptions that SQLite raises, including those for text that it cannot store."""
_NOT_LOADED: Final = (*_FAILED, csv.Error, CallError, KeyError)
"""Exceptions for a file that is damaged, too large or missing."""
_Each = TypeVar("_Each")

_NOTHING_SELECTED: Final = (
    "Error: this selects nothing; each query runs on its own copy of the tables, so changes are lost\n"
)


def answer_query(tree: FileTree, on_disk: Callable[[str], Path], query: str) -> tuple[str, str, int]:
    """Run one query over the files of `tree`; return its rows as CSV with a header, its errors and its exit code."""
    if not query.strip():
        return "", "Error: no query; give it as arguments or on standard input\n", 1
    left_out: list[str] = []
    with closing(sqlite3.connect(":memory:")) as database, closing(sqlite3.connect(":memory:")) as aside:
        try:
            guard = _Guard(database)  # Guard before loading, because a script may have written the files.
            _bound_functions(database, aside, guard)
            left_s = _load(database, guard, tree, on_disk, left_out)
            database.commit()
            guard.deadline = time.monotonic() + max(left_s, LEAST_TIME_S)
            cursor = database.execute(query)
            if cursor.description is None:
                return "", _NOTHING_SELECTED, 1
            return _as_csv(cursor), "", 0
        except _FAILED as error:
            return "", f"Error: {str(error) or type(error).__name__}\n{''.join(left_out)}", 1


def _bound_functions(database: sqlite3.Connection, aside: sqlite3.Connection, guard: _Guard) -> None:
    """Replace costly functions by ones that check their arguments, then compute the result in `aside`."""
    for name, count in _COSTLY.items():
        database.create_function(name, count, _bounded(aside, name, guard), deterministic=True)


def _bounded(aside: sqlite3.Connection, name: str, guard: _Guard) -> Callable[..., Any]:
    def call(*given: Any) -> Any:
        guard.check()
        texts = [each for each in given if isinstance(each, str | bytes)]
        wide = any(isinstance(each, int) and abs(each) > MAX_CELL_BYTES for each in given)
        form = str(given[0]) if given and name in ("printf", "format") else ""
        is_costly = (wide and "*" in form) or _LONG_NUMBER.search(form) is not None
        if is_costly or (not form and math.prod(len(each) for each in texts[:2]) > MAX_COMPARISONS):
            msg = f"{name}() of so much"
            raise OverflowError(msg)  # SQLite reports it as "string or blob too big".
        marks = ", ".join("?" * len(given))
        return aside.execute(f"SELECT {name}({marks})", given).fetchone()[0]

    return call


def _as_csv(cursor: sqlite3.Cursor) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([each[0] for each in cursor.description])
    for row in cursor:
        if out.tell() + sum(len(each) for each in row if isinstance(each, str | bytes)) > MAX_OUTPUT_CHARS:
            msg = f"the result is longer than {MAX_OUTPUT_CHARS} characters; narrow it or add LIMIT"
            raise ValueError(msg)
        writer.writerow(["" if each is None else each.hex() if isinstance(each, bytes) else each for each in row])
    return out.getvalue()


class _Guard:
    """Confines loading and queries to this in-memory database and to a deadline."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self.is_in_file = False
        """The statement comes from a file, which may not begin or end a transaction."""
        self.deadline = time.monotonic() + LOADING_LIMIT_S
        database.execute(f"PRAGMA hard_heap_limit={MAX_HEAP_BYTES}")
        database.set_progress_handler(lambda: int(time.monotonic() > self.deadline), _STEPS_BETWEEN_CHECKS)
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_CELL_BYTES)
        database.setlimit(sqlite3.SQLITE_LIMIT_COLUMN, MAX_COLUMNS)
        database.setlimit(sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, MAX_LIKE_CHARS)
        database.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        database.set_authorizer(self._judge)

    def check(self) -> None:
        """Raise `sqlite3.OperationalError` after the deadline."""
        if time.monotonic() > self.deadline:
            msg = "interrupted"
            raise sqlite3.OperationalError(msg)

    def watched(self, each: Iterable[_Each]) -> Iterator[_Each]:
        """Yield the items; raise `sqlite3.OperationalError` after the deadline."""
        for one in each:
            self.check()
            yield one

    def _judge(self, action: int, first: str | None, second: str | None, base: str | None, trigger: str | None) -> int:
        is_denied = action in _DENIED or (action == sqlite3.SQLITE_FUNCTION and second in _DENIED_FUNCTIONS)
        is_setting = action == sqlite3.SQLITE_PRAGMA and second is not None and not str(first).endswith("_info")
        is_ours = self.is_in_file and action in _TRANSACTIONS
        return sqlite3.SQLITE_DENY if is_denied or is_setting or is_ours else sqlite3.SQLITE_OK


def _load(
    database: sqlite3.Connection,
    guard: _Guard,
    tree: FileTree,
    on_disk: Callable[[str], Path],
    left_out: list[str],
) -> float:
    """Load each file in its own savepoint, report skipped files in `left_out`, and return the seconds left."""
    left_s = {True: TIME_LIMIT_S, False: LOADING_LIMIT_S}
    for path in tree.paths():
        name = path.rsplit("/", 1)[1]
        stem, _, kind = name.rpartition(".")
        if kind not in ("csv", "sql", "db"):
            continue
        is_written, started = path in tree.changes, time.monotonic()
        guard.deadline = started + left_s[is_written]
        if left_s[is_written] <= 0:
            left_out.append(f"{path} was left out: the files before it took too long\n")
            continue
        database.execute("SAVEPOINT file")
        guard.is_in_file = True
        try:
            if kind == "csv":
                _load_csv(database, guard, stem, tree.text(path) or "")
            elif kind == "sql":
                for statement in guard.watched(_statements(tree.text(path) or "", guard)):
                    database.execute(statement)
            elif kind == "db":
                _load_database(database, guard, on_disk(path))
        except _NOT_LOADED as error:
            guard.is_in_file = False
            guard.deadline += LOADING_LIMIT_S  # The rollback must not be interrupted.
            if database.in_transaction:  # After an interrupt, SQLite has rolled back by itself.
                database.execute("ROLLBACK TO file")
            why = "it is no file" if isinstance(error, KeyError) else error
            left_out.append(f"{path} was left out: {str(why) or type(why).__name__}\n")
        guard.is_in_file = False
        guard.deadline += LOADING_LIMIT_S
        if database.in_transaction:
            database.execute("RELEASE file")
        left_s[is_written] -= time.monotonic() - started
    return left_s[True]


def _statements(text: str, guard: _Guard) -> Iterator[str]:
    """Yield the statements of a script one by one, except those that begin or end transactions."""
    pending = ""
    for line in io.StringIO(text):
        *ended, rest = line.split(";")
        for part in guard.watched(ended):
            pending += f"{part};"
            if sqlite3.complete_statement(pending):
                if not _TRANSACTION.match(pending):
                    yield pending
                pending = ""
        pending += rest
    if pending.strip():
        yield pending


def _load_csv(database: sqlite3.Connection, guard: _Guard, name: str, text: str) -> None:
    text = text.removeprefix("\ufeff")
    first = next(csv.reader(io.StringIO(text)), [])
    if not first:
        return
    if len(first) > MAX_COLUMNS:
        msg = f"it has {len(first)} columns; at most {MAX_COLUMNS} are loaded"
        raise csv.Error(msg)
    header = _column_names(first)
    width = len(header)

    def rows() -> Iterator[list[str]]:
        lines = csv.reader(io.StringIO(text))
        next(lines)
        return ((row + [""] * width)[:width] for row in guard.watched(lines) if row)

    kinds = _kinds(rows(), width)
    columns = ", ".join(f"{_quoted(column)} {kind}" for column, kind in zip(header, kinds, strict=True))
    database.execute(f"CREATE TABLE IF NOT EXISTS {_quoted(name)} ({columns})")
    marks = ", ".join("?" * width)
    values = (
        [None if cell == "" and kind != "TEXT" else cell for cell, kind in zip(row, kinds, strict=True)]
        for row in rows()
    )
    database.executemany(f"INSERT INTO {_quoted(name)} VALUES ({marks})", values)


def _column_names(header: list[str]) -> list[str]:
    """Return the column names of a header; empty and repeated names get their position as a suffix."""
    names: list[str] = []
    for place, name in enumerate(header, 1):
        is_taken = not name or name.lower() in (each.lower() for each in names)
        names.append(f"{name or 'column'}_{place}" if is_taken else name)
    return names


def _kinds(rows: Iterator[list[str]], width: int) -> list[str]:
    """Return the type of each column: INTEGER, REAL or TEXT. Empty cells are ignored."""
    kinds = [""] * width
    for row in rows:
        for index, cell in enumerate(row):
            if cell and kinds[index] != "TEXT":
                is_whole = kinds[index] in ("", "INTEGER") and _WHOLE.fullmatch(cell)
                kinds[index] = "INTEGER" if is_whole else "REAL" if _NUMBER.fullmatch(cell) else "TEXT"
    return [each or "TEXT" for each in kinds]


def _load_database(database: sqlite3.Connection, guard: _Guard, place: Path) -> None:
    """Copy the tables of a database file, opened read-only."""
    with closing(sqlite3.connect(f"{place.as_uri()}?mode=ro", uri=True)) as source:
        source.text_factory = lambda data: data.decode("utf-8", "replace")
        for statement in guard.watched(source.iterdump()):
            if not statement.startswith(("BEGIN TRANSACTION", "COMMIT", "PRAGMA")):
                database.execute(statement)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
