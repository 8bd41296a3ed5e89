"""`/bin/sql` of a folder: SQLite over its `*.csv`, `*.sql` and `*.db`, for queries that nobody trusts.

A query sees a copy in memory. It may not attach, may not load, and is ended after its time; what it returns is bounded.
"""

from __future__ import annotations

import csv
import io
import re
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

from sandbox.filetree import FileTree

TIME_LIMIT_S: Final = 5.0
MAX_HEAP_BYTES: Final = 50_000_000
MAX_CELL_BYTES: Final = 1_000_000
MAX_OUTPUT_CHARS: Final = 1_500_000
_STEPS_BETWEEN_CHECKS: Final = 10_000
_DENIED: Final = frozenset({sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH})
_DENIED_FUNCTIONS: Final = frozenset({"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer"})
_WHOLE: Final = re.compile(r"-?(0|[1-9]\d{0,17})")
_NUMBER: Final = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?")


def answer_query(tree: FileTree, on_disk: Callable[[str], Path], query: str) -> tuple[str, str, int]:
    """Return CSV with a header line, errors and the exit code of one query over the files of `tree`."""
    if not query.strip():
        return "", "Error: no query; give it as arguments or on standard input\n", 1
    with closing(sqlite3.connect(":memory:")) as database:
        try:
            _load(database, tree, on_disk)
            database.commit()
            database.execute(f"PRAGMA hard_heap_limit={MAX_HEAP_BYTES}")
            _guard(database)
            cursor = database.execute(query)
            if cursor.description is None:
                return "", "", 0
            return _as_csv(cursor), "", 0
        except (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError, MemoryError) as error:
            return "", f"Error: {error}\n", 1


def _as_csv(cursor: sqlite3.Cursor) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([each[0] for each in cursor.description])
    for row in cursor:
        writer.writerow(["" if each is None else each.hex() if isinstance(each, bytes) else each for each in row])
        if out.tell() > MAX_OUTPUT_CHARS:
            msg = f"the result is longer than {MAX_OUTPUT_CHARS} characters; narrow it or add LIMIT"
            raise ValueError(msg)
    return out.getvalue()


def _guard(database: sqlite3.Connection) -> None:
    """Bound what the query may do from here on."""
    deadline = time.monotonic() + TIME_LIMIT_S
    database.set_progress_handler(lambda: int(time.monotonic() > deadline), _STEPS_BETWEEN_CHECKS)
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_CELL_BYTES)
    database.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)

    def authorise(action: int, first: str | None, second: str | None, base: str | None, trigger: str | None) -> int:
        is_denied = action in _DENIED or (action == sqlite3.SQLITE_FUNCTION and second in _DENIED_FUNCTIONS)
        is_setting = action == sqlite3.SQLITE_PRAGMA and second is not None and not str(first).endswith("_info")
        return sqlite3.SQLITE_DENY if is_denied or is_setting else sqlite3.SQLITE_OK

    database.set_authorizer(authorise)


def _load(database: sqlite3.Connection, tree: FileTree, on_disk: Callable[[str], Path]) -> None:
    for path in tree.paths():
        name = path.rsplit("/", 1)[1]
        stem, _, kind = name.rpartition(".")
        if kind == "csv":
            _load_csv(database, stem, tree.text(path) or "")
        elif kind == "sql":
            database.executescript(tree.text(path) or "")
        elif kind == "db":
            _load_database(database, on_disk(path))


def _load_csv(database: sqlite3.Connection, name: str, text: str) -> None:
    rows = list(csv.reader(io.StringIO(text)))
    if not rows:
        return
    header, body = rows[0], [row for row in rows[1:] if row]
    width = len(header)
    body = [(row + [""] * width)[:width] for row in body]
    kinds = [_kind([row[index] for row in body]) for index in range(width)]
    columns = ", ".join(f"{_quoted(column)} {kind}" for column, kind in zip(header, kinds, strict=True))
    database.execute(f"CREATE TABLE IF NOT EXISTS {_quoted(name)} ({columns})")
    marks = ", ".join("?" * width)
    values = [
        [None if cell == "" and kind != "TEXT" else cell for cell, kind in zip(row, kinds, strict=True)] for row in body
    ]
    database.executemany(f"INSERT INTO {_quoted(name)} VALUES ({marks})", values)


def _kind(cells: list[str]) -> str:
    filled = [each for each in cells if each]
    if filled and all(_WHOLE.fullmatch(each) for each in filled):
        return "INTEGER"
    return "REAL" if filled and all(_NUMBER.fullmatch(each) for each in filled) else "TEXT"


def _load_database(database: sqlite3.Connection, place: Path) -> None:
    """Copy the tables of a database file, which is opened for reading only."""
    with closing(sqlite3.connect(f"{place.as_uri()}?mode=ro", uri=True)) as source:
        source.text_factory = lambda data: data.decode("utf-8", "replace")
        for statement in source.iterdump():
            if not statement.startswith(("BEGIN TRANSACTION", "COMMIT")):
                database.execute(statement)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
