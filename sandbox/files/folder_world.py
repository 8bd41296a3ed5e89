"""The tools of a folder, which run in an aide: `cat`, and SQL over its tables.

`/bin/sql` runs SQLite over the folder's `*.csv`, `*.sql` and `*.db` files, each query on a copy in memory; files that
cannot be loaded are left out. SQLite's clock is pinned and its random numbers come from a fixed seed, so that a query
can be replayed.
"""

from __future__ import annotations

import csv
import io
import re
import sqlite3
import sqlite3.dump  # An aide cannot import anything later.
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import datetime
from random import Random
from typing import Any, Final, cast

from sandbox.child.aide_process import ask_parent
from sandbox.files.file_tree import BYTES_OF, FileTree
from sandbox.interface.error_codes import NOT_FOUND, RESOURCE_EXHAUSTED, CallError
from sandbox.interface.operations import Plain

MAX_CAT_CHARS: Final = 2_000_000
MAX_OUTPUT_CHARS: Final = 1_500_000
_WHOLE: Final = re.compile(r"-?(0|[1-9]\d{0,17})")
_NUMBER: Final = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?")
_FAILED: Final = (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError)
"""Exceptions of SQLite, including those for text that it cannot store."""
_NOT_LOADED: Final = (*_FAILED, csv.Error, CallError)
_NOTHING_SELECTED: Final = (
    "Error: this selects nothing; each query runs on its own copy of the tables, so changes are lost\n"
)
SEED: Final = 0
CURRENT: Final = {"current_timestamp": "datetime", "current_date": "date", "current_time": "time"}
"""Keywords that call a function, which SQLite looks up by name, even for the default of a column."""
FIRST_TIMES: Final = {"date": 0, "time": 0, "datetime": 0, "julianday": 0, "unixepoch": 0, "strftime": 1, "timediff": 0}
"""Functions of time, with the position of their first argument that is a time."""
FRACTION: Final = ("subsec", "subsecond")
"""As a time, this means now; there is a modifier of the same name."""

Value = str | bytes | int | float | None


class FolderTools:
    """`cat` and `sql` on the files of a folder, at one moment."""

    def __init__(self, tree: FileTree, now: datetime) -> None:
        self.tree = tree
        self._now = now

    def call(self, operation: str, arguments: Mapping[str, Any]) -> dict[str, Plain]:
        """Run the tool named `operation` and return its `stdout stderr exit_code`."""
        run = {"cat": self._cat, "sql": self._sql}[operation]
        return run(**arguments)

    def _cat(self, args: list[str], stdin: str) -> dict[str, Plain]:
        if not args:
            return _output(stdin)
        parts: list[str] = []
        left = MAX_CAT_CHARS
        for path in args:
            try:
                parts.append(str(self.tree.read(path)["content"]))
                left -= len(parts[-1])
                if left < 0:
                    raise CallError(RESOURCE_EXHAUSTED, f"the output is longer than {MAX_CAT_CHARS} characters")
            except CallError as error:
                return _output("".join(parts), f"cat: {error.message}\n", 1)
        return _output("".join(parts))

    def _sql(self, args: list[str], stdin: str) -> dict[str, Plain]:
        """Run one query over the files; print its rows as CSV with a header."""
        query = " ".join(args) or stdin
        if not query.strip():
            return _output("", "Error: no query; give it as arguments or on standard input\n", 1)
        left_out: list[str] = []
        with pinned_database(self._now) as database:
            _confine(database)
            for path in self.tree.paths():
                try:
                    self._load(database, path)
                except _NOT_LOADED as error:
                    left_out.append(f"{path} was left out: {str(error) or type(error).__name__}\n")
            try:
                cursor = database.execute(query)
                return _output("", _NOTHING_SELECTED, 1) if cursor.description is None else _output(_as_csv(cursor))
            except _FAILED as error:
                return _output("", f"Error: {error}\n{''.join(left_out)}", 1)

    def _load(self, database: sqlite3.Connection, path: str) -> None:
        """Load a file if its kind holds tables: the whole file or nothing."""
        stem, _, kind = path.rsplit("/", 1)[1].rpartition(".")
        if kind == "csv":
            _load_csv(database, stem, self.tree.text(path) or "")
        elif kind in ("sql", "db"):
            with closing(sqlite3.connect(":memory:")) as before:
                database.commit()
                database.backup(before)
                try:
                    if kind == "sql":
                        database.executescript(self.tree.text(path) or "")
                    else:
                        _load_database(database, self._bytes(path))
                except _FAILED:
                    database.rollback()
                    before.backup(database)
                    raise

    def _bytes(self, path: str) -> bytes:
        if path in self.tree.changes:
            return (self.tree.text(path) or "").encode()
        replies = cast("list[Any]", ask_parent(BYTES_OF + path))
        if replies[0] is None:
            raise CallError(NOT_FOUND, "it is not a file")
        return b64decode(replies[0])


def open_tools(files: Mapping[str, str], directories: tuple[str, ...], data: Plain) -> FolderTools:
    """Return the tools over a folder's files. `data` is their clock, as ISO text."""
    return FolderTools(FileTree(files, directories=directories), datetime.fromisoformat(str(data)))


def _output(stdout: str, stderr: str = "", exit_code: int = 0) -> dict[str, Plain]:
    return {"stdout": stdout, "stderr": stderr, "exit_code": exit_code}


def _confine(database: sqlite3.Connection) -> None:
    database.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    database.execute("PRAGMA temp_store = MEMORY")
    database.text_factory = lambda data: data.decode("utf-8", "replace")


def _as_csv(cursor: sqlite3.Cursor) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([column[0] for column in cursor.description])
    for row in cursor:
        writer.writerow(["" if cell is None else cell.hex() if isinstance(cell, bytes) else cell for cell in row])
        if out.tell() > MAX_OUTPUT_CHARS:
            msg = f"the result is longer than {MAX_OUTPUT_CHARS} characters; narrow it or add LIMIT"
            raise ValueError(msg)
    return out.getvalue()


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
    return [kind or "TEXT" for kind in kinds]


def _load_database(database: sqlite3.Connection, data: bytes) -> None:
    """Copy the tables of a database file, which anybody may have written."""
    if data[18:20] == b"\x02\x02":  # A write-ahead log needs a disk; without a log, the file is an ordinary one.
        data = data[:18] + b"\x01\x01" + data[20:]
    with closing(sqlite3.connect(":memory:")) as source:
        _confine(source)
        source.deserialize(data)
        for statement in source.iterdump():
            if not statement.startswith(("BEGIN TRANSACTION", "COMMIT", "PRAGMA")):
                database.execute(statement)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@contextmanager
def pinned_database(now: datetime) -> Iterator[sqlite3.Connection]:
    """Open a database in memory in which it is always `now`, in UTC. Every database gives the same random numbers."""
    with closing(sqlite3.connect(":memory:")) as database, closing(sqlite3.connect(":memory:")) as original:
        known = {name for (name,) in original.execute("SELECT name FROM pragma_function_list")}
        present = now.strftime("%Y-%m-%d %H:%M:%S")
        for name, first in FIRST_TIMES.items():
            if name in known:
                times = slice(first, first + (2 if name == "timediff" else 1))
                database.create_function(name, -1, _pinned(original, name, times, present), deterministic=True)
        for name, function in CURRENT.items():
            database.create_function(name, 0, _pinned(original, function, slice(0, 1), present), deterministic=True)
        random = Random(SEED)
        database.create_function("random", 0, lambda: random.randint(1 - 2**63, 2**63 - 1))
        database.create_function("randomblob", 1, _random_bytes(original, random, database))
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


def _random_bytes(original: sqlite3.Connection, random: Random, database: sqlite3.Connection) -> Callable[..., bytes]:
    def call(given: Value) -> bytes:
        (count,) = original.execute("SELECT max(1, ifnull(CAST(? AS INTEGER), 1))", [given]).fetchone()
        if count > database.getlimit(sqlite3.SQLITE_LIMIT_LENGTH):
            msg = "randomblob() of so much"
            raise OverflowError(msg)  # SQLite reports it as "string or blob too big".
        return random.randbytes(count)

    return call
