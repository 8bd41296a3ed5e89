"""What a question asks of all files at once, in the trial's worker: the passages that fit words best, and one table.

The table is in SQLite, filled part by part from CSV, TSV, or JSONL, with its cells as they are written. Once it is
whole, cells become numbers and dates by the form of their column; empty cells are null.
"""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import Any, Final, cast

from benchmarks.files.column_forms import ColumnCells, ColumnForm, StrictSum, number_or_none
from benchmarks.files.file_sources import WORD
from sandbox.child.worker_process import ask_parent
from sandbox.files.file_tree import FileTree
from sandbox.interface import CallError, Effect, Operation, Parameter, Plain, ResultField, error_codes

PASSAGE_CHARS: Final = 700
MOST_PASSAGES: Final = 6_000
MOST_SHOWN: Final = 40
MOST_WORDS: Final = 200

FILL: Final = "fill_table"
"""The call that sends a part of a file to the table in the worker; scripts cannot make it."""

TABLE_SUFFIXES: Final = (".csv", ".tsv", ".tab", ".jsonl", ".ndjson")
MOST_ROWS: Final = 1_000
MOST_COLUMNS: Final = 500
LINE: Final = "_line"
_READING: Final = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)
"""What the statement of a script may do."""

RESULT: Final = ("path", "content", "rows", "columns", "lines", "total", "truncated", "forms")
TABLE: Final = Operation(
    "table",
    (
        *(Parameter("path", "str"), Parameter("where", "str", ""), Parameter("columns", "str", "*")),
        *(Parameter("group", "str", ""), Parameter("order", "str", ""), Parameter("limit", "int", 100)),
        *(Parameter("sql", "str", ""), Parameter("form", "str", "")),
    ),
    tuple(map(ResultField, RESULT)),
    'rows of a CSV, TSV, JSONL or sheet as dicts, by SQLite: where="amount > 5", columns="city, sum(x)", group="city", '
    'or sql="select ... from t"; .content is them as CSV, .lines their lines, .total counts all rows, .forms tells '
    "what was read as numbers or dates ($1,200 is 1200, 3.4.2025 is 2025-04-03). Where that is not certain, say "
    'form="decimal comma", "decimal point", "day first" or "month first"',
    Effect.READS,
)


PASSAGES: Final = Operation(
    "passages",
    (Parameter("words", "str"), Parameter("limit", "int", 8)),
    (ResultField("matches", ("path", "line", "text")), ResultField("shown")),
    "the passages that fit some words best, in all files; .shown is them as text. Ask in the words of the files",
    Effect.LISTS,
    subject="root",
)


class FilesTools:
    """The calls that are made in the worker."""

    def __init__(self, tree: FileTree) -> None:
        self.tree = tree
        self._tables = dict[tuple[str, int], Table]()
        """The last table, by its path with its form, and the number of changes to files that it knows of."""

    def call(self, operation: str, arguments: Mapping[str, Any]) -> dict[str, Plain]:
        """Return the result of `passages`, or of a query of a table that was filled before. Raises `CallError`."""
        if operation == PASSAGES.name:
            return self.passages(**arguments)
        key = f"{arguments['path']}\n{arguments['form']}", arguments["version"]
        if operation == FILL and arguments["is_first"]:  # The table of another file goes.
            self._tables = {key: Table(arguments["path"], arguments["form"])}
        if (table := self._tables.get(key)) is None:
            raise CallError(error_codes.FAILED_PRECONDITION, "the table is not loaded")
        return table.add(**arguments) if operation == FILL else table.query(**arguments)

    def passages(self, words: str, limit: int, stems: list[str], likeliest: list[str]) -> dict[str, Plain]:
        """Return the passages that fit `words` best, by BM25, among those of the likeliest files with a stem."""
        rows = list[tuple[str, str, int, str]]()
        for path, text in self._texts_of(likeliest):
            if len(rows) >= MOST_PASSAGES:
                break  # The likeliest files come first.
            for line, passage in passages_in(text):
                folded = passage.lower()
                if len(rows) < MOST_PASSAGES and any(stem in folded for stem in stems):
                    # The path counts too: files are named for what they hold.
                    rows.append((path.replace("/", " ").replace("_", " "), path, line, passage))
        query = " OR ".join(f'"{word}"' for word in list(dict.fromkeys(WORD.findall(words.lower())))[:MOST_WORDS])
        most = min(limit if limit > 0 else MOST_SHOWN, MOST_SHOWN)
        with closing(sqlite3.connect(":memory:")) as table:
            columns = "place, path unindexed, line unindexed, text"
            table.execute(f"create virtual table passages using fts5({columns}, tokenize='porter unicode61')")
            table.executemany("insert into passages values (?, ?, ?, ?)", rows)
            ranked = "passages where passages match ? order by bm25(passages, 0.5, 0, 0, 1.0) limit ?"
            best = table.execute(f"select path, line, text from {ranked}", (query, most)).fetchall()
        shown = "\n\n".join(f"[{path}, from line {line}]\n{text}" for path, line, text in best)
        matches: list[Plain] = [{"path": path, "line": line, "text": text} for path, line, text in best]
        return {"matches": matches, "shown": shown or "no passage holds these words"}

    def _texts_of(self, paths: list[str]) -> Iterator[tuple[str, str]]:
        """Yield path and text of the files that were written, and of others, asked for in batches and not kept."""
        yield from ((path, text or "") for path, text in self.tree.changes.items())
        wanted = [path for path in paths if path not in self.tree.changes]
        while wanted:
            texts = cast("list[str | None]", ask_parent(*wanted[:200]))
            yield from ((path, text or "") for path, text in zip(wanted, texts, strict=False))
            del wanted[: max(len(texts), 1)]


def passages_in(text: str) -> Iterator[tuple[int, str]]:
    """Yield each passage with its first line: paragraphs of a fitting length, cut where they are too long."""
    lines: list[str] = []
    chars, first = 0, 1
    for number, line in enumerate(text.split("\n"), start=1):
        if lines and (chars + len(line) > PASSAGE_CHARS or (not line.strip() and chars >= 200)):
            yield first, "\n".join(lines).strip("\n")
            lines, chars, first = [], 0, number
        if lines or line.strip():
            lines.append(line[:PASSAGE_CHARS])
            chars += len(line) + 1
        else:
            first = number + 1
    if lines:
        yield first, "\n".join(lines).strip("\n")


def open_tools(files: Mapping[str, str], directories: tuple[str, ...], data: Plain) -> FilesTools:
    """Return the tools over the files of a question, in a worker."""
    return FilesTools(FileTree(files))


@dataclass(slots=True)
class Table:
    """The rows of one file, in the table `t`."""

    path: str
    form: str = ""
    """What the script says of numbers and dates, as `decimal comma, day first`."""
    names: list[str] = field(default_factory=list)
    _cells: list[ColumnCells] = field(default_factory=list)
    _keys: list[str] = field(default_factory=list)
    """The keys of JSON objects, in the order of the columns."""
    _lines: int = 0
    _open: str = ""
    _forms: dict[str, ColumnForm] = field(default_factory=dict)
    _written: dict[tuple[Any, Any], str] = field(default_factory=dict)
    """Cells with two readings, as they are written."""
    _words: dict[float, str] = field(default_factory=dict)
    """Words among numbers, by the numbers that stand for them in the other reading."""
    refusals: list[str] = field(default_factory=list)
    """Why a sum failed, which SQLite does not tell."""
    _mark: str = ","
    _database: sqlite3.Connection = field(default_factory=lambda: sqlite3.connect(":memory:", isolation_level=None))

    def __post_init__(self) -> None:
        self._database.execute("pragma temp_store = memory")
        self._database.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        self._database.execute(f"create table t ({LINE} integer)")

    def add(self, text: str, *, is_last: bool, **_: object) -> dict[str, Plain]:
        """Add the next lines of the file; after the last ones, no text has the cells read by the form of their column,
        in a call of its own. Raises `CallError` for a file that is not a table."""
        if not text:
            self._read_by_form()
            return {}
        text = self._open + text
        self._open = ""
        is_json = self.path.endswith(TABLE_SUFFIXES[3:])
        # Max characters of a part whose last quoted cell is still open.
        if not is_json and text.count('"') % 2 and not is_last and len(text) < 8_000_000:
            self._open = text
            return {}
        try:
            self._database.execute("begin")
            self._insert(iter(self._json_rows(text)) if is_json else self._rows(text))
            self._database.execute("commit")
        except (csv.Error, sqlite3.Error, ValueError) as error:
            msg = f"{self.path} cannot be read as a table, near line {self._lines + 1}: {error}"
            raise CallError(error_codes.INVALID_ARGUMENT, msg) from None
        self._lines += text.count("\n")
        return {}

    def _rows(self, text: str) -> Iterator[list[Any]]:
        """Yield the first line of each row, and then its cells."""
        if not self.names:
            head = text[: text.find("\n") + 1 or None]
            self._mark = "\t" if self.path.endswith(TABLE_SUFFIXES[1:3]) else max(",;\t|", key=head.count)
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=self._mark)
        line = self._lines + 1
        for row in reader:
            if row:
                yield [line, *row]
            line = self._lines + reader.line_num + 1

    def _json_rows(self, text: str) -> list[list[Any]]:
        """Return the line of each object, and then its values in the order of the columns, which may become more."""
        lines = ((line, written) for line, written in enumerate(text.split("\n"), self._lines + 1) if written.strip())
        given = [(line, json.loads(written)) for line, written in lines]
        objects = [(line, one if isinstance(one, dict) else {"value": one}) for line, one in given]
        new = [key for key in dict.fromkeys(key for _, one in objects for key in one) if key not in self._keys]
        self._keys += new
        if new or not self.names:
            self._add_columns(new)
        rows = [[line, *map(one.get, self._keys)] for line, one in objects]
        return [[json.dumps(cell) if isinstance(cell, (list, dict)) else cell for cell in row] for row in rows]

    def _insert(self, rows: Iterator[list[Any]]) -> None:
        if not self.names:
            _, *header = next(rows, [0])
            self._add_columns(list(map(str, header)))
        size = len(self.names) + 1
        held = [row if len(row) == size else (row + [None] * size)[:size] for row in rows]
        for column, cells in zip(self._cells, list(zip(*held, strict=True))[1:], strict=False):
            column.add(cells)
        marks = ", ".join(["nullif(?, '')"] * size)
        self._database.executemany(f"insert into t values ({marks})", held)

    def _read_by_form(self) -> None:
        """Make the table `cells`, whose columns are read by their forms, of `t`."""
        run, marks = self._database.execute, {cells.mark for cells in self._cells}
        columns, read = [f"{LINE} integer"], [LINE]
        for at, (name, cells) in enumerate(zip(self.names, self._cells, strict=True)):
            column, form = _quoted(name), cells.form(marks, self.form)
            columns.append(f"{column} {'text' if form is None else 'numeric'}")
            read.append(column)
            if form and form.readings:
                self._forms[name] = form
                self._database.create_function(f"read_{at}", 1, form.readings[0], deterministic=True)
                read[-1] = f"read_{at}({column})"
            if form and not form.is_certain:
                columns.append(f"{_quoted(f'{name} otherwise')} numeric")
                self._database.create_function(f"other_{at}", 1, partial(self._second_of, form), deterministic=True)
                read.append(f"other_{at}({column})")
        run("begin")
        run(f"create table cells ({', '.join(columns)})")
        run(f"insert into cells select {', '.join(read)} from t")
        run("drop table t")
        run("commit")
        self._show("")
        self._database.create_function("number", 1, number_or_none, deterministic=True)
        for name in ("sum", "avg"):
            self._database.create_window_function(name, 1, partial(StrictSum, self.refusals, name == "avg"))

    def _show(self, sql: str, *, is_other: bool = False) -> None:
        """Make `t` the view of the first readings, or of the other ones but for words that a query names."""
        shown = [LINE]
        for name in self.names:
            column, other, form = _quoted(name), _quoted(f"{name} otherwise"), self._forms.get(name)
            if is_other and form and not form.is_certain:
                named = ", ".join(word for word in map(_literal, form.words) if word in sql)
                column = (
                    f"case when {column} in ({named}) then {column} else {other} end as {column}"
                    if named
                    else f"{other} as {column}"
                )
            shown.append(column)
        self._database.execute("drop view if exists t")
        self._database.execute(f"create temp view t as select {', '.join(shown)} from cells")

    def _second_of(self, form: ColumnForm, cell: Any) -> Any:
        first, second = (reading(cell) for reading in form.readings)
        if cell in form.words:
            self._words[second] = cell
        self._written[first, second] = cell
        return second

    def _add_columns(self, header: list[str]) -> None:
        if not header or len(self.names) + len(header) > MOST_COLUMNS:
            msg = f"its first line names no columns, or there are more than {MOST_COLUMNS}"
            raise ValueError(msg)
        for place, name in enumerate(header, len(self.names) + 1):
            plain = name.strip().lstrip("\ufeff") or "column"
            is_new = plain.casefold() not in {name.casefold() for name in (*self.names, LINE)}
            self.names.append(plain if is_new else f"{plain}_{place}")
            self._cells.append(ColumnCells())
            self._database.execute(f"alter table t add column {_quoted(self.names[-1])}")

    def query(self, sql: str, limit: int, **parts: str) -> dict[str, Plain]:
        """Return rows of a query, or of one that `where`, `columns`, `group` and `order` make. Raises `CallError`."""
        if not sql.strip():
            columns = parts["columns"].strip() or "*"
            has_line = columns == "*" or parts["group"] or "(" in columns
            sql = f"select {columns}{'' if has_line else f', {LINE}'} from t"
            words = (("where", parts["where"]), ("group by", parts["group"]), ("order by", parts["order"]))
            sql += "".join(f" {word} {text}" for word, text in words if text.strip())
        certain = [form for name, form in self._forms.items() if form.is_certain and name in sql]
        for form, literal in product(certain, sql.split("'")[1::2]):
            if (value := form.readings[0](literal)) != literal and not literal.isdecimal():
                msg = f"{literal!r} is read as {value!r} in this table: compare with that; .forms tells the form"
                raise CallError(error_codes.INVALID_ARGUMENT, msg)
        most = limit if 0 < limit < MOST_ROWS else MOST_ROWS
        names, records = self._rows_of(sql, most)
        if doubts := {name: form.doubt for name, form in self._forms.items() if not form.is_certain}:
            self._show(sql, is_other=True)
            try:
                _, others = self._rows_of(sql, most)
            finally:
                self._show("")
            others = [tuple(self._words.get(cell, cell) for cell in row) for row in others]
            pairs = [list(zip(row, other, strict=True)) for row, other in zip(records, others, strict=False)]
            is_same = all(a == b or (a, b) in self._written for row in pairs for a, b in row)
            if len(records) != len(others) or not (is_same or Counter(records) == Counter(others)):
                concerned = {
                    name: doubt for name, doubt in doubts.items() if name.casefold() in sql.casefold()
                } or doubts
                told = "; ".join(f"{name}: {doubt}" for name, doubt in concerned.items())
                raise CallError(error_codes.INVALID_ARGUMENT, f"the result depends on how cells are read: {told}")
            lines = self._lines_of(names, records)
            records = [tuple(self._written.get((a, b), a) for a, b in row) for row in pairs]
            return self._result(names, records, most, lines)
        return self._result(names, records, most, self._lines_of(names, records))

    def _rows_of(self, sql: str, most: int) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Return the columns and the first rows of a query. Raises `CallError`."""
        self.refusals.clear()
        try:
            self._database.set_authorizer(lambda action, *_: 0 if action in _READING else 1)
            cursor = self._database.execute(sql)
            records = cursor.fetchmany(most + 1)
            return [column[0] for column in cursor.description or ()], records
        except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
            reason = self.refusals[0] if self.refusals else error
            msg = f"the query failed: {reason}; the table t has the columns {', '.join(self.names[:40])} and {LINE}"
            raise CallError(error_codes.INVALID_ARGUMENT, msg) from None
        finally:
            self._database.set_authorizer(None)

    def _lines_of(self, names: list[str], records: list[tuple[Any, ...]]) -> list[Plain]:
        """Return the line of each row if all of them show cells of their own line as they are; else they are a result,
        and there are none."""
        if LINE not in names or not {*names} <= {*self.names, LINE} or len({*names}) < len(names):
            return []
        asked = [row[names.index(LINE)] for row in records]
        held = dict[Any, list[tuple[Any, ...]]]()
        shown = ", ".join(map(_quoted, names))
        for line in {line for line in asked if isinstance(line, int)}:
            held[line] = self._database.execute(f"select {shown} from t where {LINE} = ?", (line,)).fetchall()
        is_read = all(row in held.get(line, ()) for line, row in zip(asked, records, strict=True))
        return asked if is_read else []

    def _result(
        self, names: list[str], records: list[tuple[Any, ...]], most: int, lines: list[Plain]
    ) -> dict[str, Plain]:
        at = names.index(LINE) if LINE in names else -1
        shown = [name for name in names if name != LINE]
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(shown)
        rows: list[Plain] = []
        for row in records[:most]:
            cells = ["" if isinstance(cell, bytes) else cell for number, cell in enumerate(row) if number != at]
            writer.writerow(cells)
            if out.tell() > 300_000:
                break
            rows.append(dict(zip(shown, cells, strict=True)))
        (total,) = self._database.execute("select count(*) from cells").fetchone()
        forms: dict[str, Plain] = {name: form.said for name, form in self._forms.items()}
        values = (
            out.getvalue(),
            rows,
            list[Plain](self.names),
            lines[: len(rows)],
            total,
            len(rows) < len(records),
            forms,
        )
        return {"path": self.path, **dict(zip(RESULT[1:], values, strict=True))}


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
