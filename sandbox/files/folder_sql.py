"""`/bin/sql` of a folder: SQLite queries over its `*.csv`, `*.sql` and `*.db` files, in an aide.

Each query runs on a copy in memory, which is all that it can reach. A file that cannot be loaded is left out.
"""

from __future__ import annotations

import csv
import io
import re
import sqlite3
import sqlite3.dump  # An aide can import nothing later.
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime
from typing import Final

from sandbox.files.file_tree import FileTree
from sandbox.files.pinned_sqlite import pinned_database
from sandbox.interface.operations import CallError

MAX_OUTPUT_CHARS: Final = 1_500_000
_WHOLE: Final = re.compile(r"-?(0|[1-9]\d{0,17})")
_NUMBER: Final = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?")
_FAILED: Final = (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError)
"""Exceptions of SQLite, including those for text that it cannot store."""
_NOT_LOADED: Final = (*_FAILED, csv.Error, CallError)
_NOTHING_SELECTED: Final = (
    "Error: this selects nothing; each query runs on its own copy of the tables, so changes are lost\n"
)


def answer_query(tree: FileTree, bytes_of: Callable[[str], bytes], now: datetime, query: str) -> tuple[str, str, int]:
    """Run one query over the files of `tree`; return its rows as CSV with a header, its errors and its exit code."""
    if not query.strip():
        return "", "Error: no query; give it as arguments or on standard input\n", 1
    left_out: list[str] = []
    with pinned_database(now) as database:
        _confine(database)
        for path in tree.paths():
            try:
                _load(database, tree, bytes_of, path)
            except _NOT_LOADED as error:
                left_out.append(f"{path} was left out: {str(error) or type(error).__name__}\n")
        try:
            cursor = database.execute(query)
            if cursor.description is None:
                return "", _NOTHING_SELECTED, 1
            return _as_csv(cursor), "", 0
        except _FAILED as error:
            return "", f"Error: {error}\n{''.join(left_out)}", 1


def _confine(database: sqlite3.Connection) -> None:
    database.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    database.execute("PRAGMA temp_store = MEMORY")
    database.text_factory = lambda data: data.decode("utf-8", "replace")


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


def _load(database: sqlite3.Connection, tree: FileTree, bytes_of: Callable[[str], bytes], path: str) -> None:
    """Load a file, if it is one of those that hold tables: all of it or nothing."""
    stem, _, kind = path.rsplit("/", 1)[1].rpartition(".")
    if kind == "csv":
        _load_csv(database, stem, tree.text(path) or "")
    elif kind in ("sql", "db"):
        with closing(sqlite3.connect(":memory:")) as before:
            database.commit()
            database.backup(before)
            try:
                if kind == "sql":
                    database.executescript(tree.text(path) or "")
                else:
                    _load_database(database, bytes_of(path))
            except _FAILED:
                database.rollback()
                before.backup(database)
                raise


def _load_csv(database: sqlite3.Connection, name: str, text: str) -> None:
    text = text.removeprefix("\ufeff")
    header = _column_names(next(csv.reader(io.StringIO(text)), []))
    if not header:
        return
    width = len(header)

    def rows() -> Iterator[list[str]]:
        lines = csv.reader(io.StringIO(text))
        next(lines)
        return ((row + [""] * width)[:width] for row in lines if row)

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
    names: dict[str, str] = {}
    for place, name in enumerate(header, 1):
        unique = name if name and name.lower() not in names else f"{name or 'column'}_{place}"
        names[unique.lower()] = unique
    return list(names.values())


def _kinds(rows: Iterator[list[str]], width: int) -> list[str]:
    """Return the type of each column: INTEGER, REAL or TEXT. Empty cells are ignored."""
    kinds = [""] * width
    for row in rows:
        for index, cell in enumerate(row):
            if cell and kinds[index] != "TEXT":
                is_whole = kinds[index] in ("", "INTEGER") and _WHOLE.fullmatch(cell)
                kinds[index] = "INTEGER" if is_whole else "REAL" if _NUMBER.fullmatch(cell) else "TEXT"
    return [each or "TEXT" for each in kinds]


def _load_database(database: sqlite3.Connection, data: bytes) -> None:
    """Copy the tables of a database file, which anybody may have written."""
    if data[18:20] == b"\x02\x02":  # A write-ahead log needs a disk; without one, the file is an ordinary one.
        data = data[:18] + b"\x01\x01" + data[20:]
    with closing(sqlite3.connect(":memory:")) as source:
        _confine(source)
        source.deserialize(data)
        for statement in source.iterdump():
            if not statement.startswith(("BEGIN TRANSACTION", "COMMIT", "PRAGMA")):
                database.execute(statement)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
