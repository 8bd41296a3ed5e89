"""What a question asks of all files at once, in the trial's aide: the passages that fit words best, and one table.

The table is in SQLite, filled part by part from CSV, TSV, or JSONL. Empty cells are null. Cells that
are numbers become numbers, except in columns where one has a leading zero.
"""

from __future__ import annotations

import csv
import io
import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, Final, cast

from benchmarks.files.file_sources import WORD
from sandbox import FileTree, ask_parent
from sandbox.interface import CallError, Effect, Operation, Parameter, Plain, ResultField, error_codes

TEXTS_AT_ONCE: Final = 200
PASSAGE_CHARS: Final = 700
LEAST_CHARS: Final = 200
MOST_PASSAGES: Final = 6_000
MOST_SHOWN: Final = 40
MOST_WORDS: Final = 200

FILL: Final = "fill_table"
"""The call that sends a part of a file to the table in the aide; scripts cannot make it."""

TABLE_SUFFIXES: Final = (".csv", ".tsv", ".tab", ".jsonl", ".ndjson")
MOST_ROWS: Final = 1_000
MOST_CONTENT_CHARS: Final = 300_000
MOST_COLUMNS: Final = 500
MOST_OPEN_CHARS: Final = 8_000_000
"""Max characters of a part whose last quoted cell is still open."""
LINE: Final = "_line"
_LEADING_ZERO: Final = re.compile(r"(?:^|[,;\t|\"])\s*[+-]?0\d", re.MULTILINE)
_CODE: Final = re.compile(r"\s*[+-]?0\d+")

RESULT: Final = ("path", "content", "rows", "columns", "lines", "total", "truncated")
TABLE: Final = Operation(
    "table",
    (
        *(Parameter("path", "str"), Parameter("where", "str", ""), Parameter("columns", "str", "*")),
        *(Parameter("group", "str", ""), Parameter("order", "str", ""), Parameter("limit", "int", 100)),
        Parameter("sql", "str", ""),
    ),
    tuple(map(ResultField, RESULT)),
    'rows of a CSV, TSV, JSONL or sheet as dicts, by SQLite: where="amount > 5", columns="city, sum(x)", group="city", '
    'or sql="select ... from t"; .content is them as CSV, .lines their lines, .total counts all rows',
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
    """The calls that are made in the aide."""

    def __init__(self, tree: FileTree) -> None:
        self.tree = tree
        self._tables = dict[tuple[str, int], Table]()
        """The last table, by its path and the number of changes to files that it knows of."""

    def call(self, operation: str, arguments: Mapping[str, Any]) -> dict[str, Plain]:
        """Return the result of `passages`, or of a query of a table that was filled before. Raises `CallError`."""
        if operation == PASSAGES.name:
            return self.passages(**arguments)
        key = arguments["path"], arguments["version"]
        if operation == FILL and arguments["is_first"]:  # The table of another file goes.
            self._tables = {key: Table(arguments["path"])}
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
            texts = cast("list[str | None]", ask_parent(*wanted[:TEXTS_AT_ONCE]))
            yield from ((path, text or "") for path, text in zip(wanted, texts, strict=False))
            del wanted[: max(len(texts), 1)]


def passages_in(text: str) -> Iterator[tuple[int, str]]:
    """Yield each passage with its first line: paragraphs of a fitting length, cut where they are too long."""
    lines: list[str] = []
    chars, first = 0, 1
    for number, line in enumerate(text.split("\n"), start=1):
        if lines and (chars + len(line) > PASSAGE_CHARS or (not line.strip() and chars >= LEAST_CHARS)):
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
    """Return the tools over the files of a question, in an aide."""
    return FilesTools(FileTree(files))


@dataclass(slots=True)
class Table:
    """The rows of one file, in the table `t`."""

    path: str
    names: list[str] = field(default_factory=list)
    texts: set[int] = field(default_factory=set)
    """Numbers of the columns whose cells stay text, counted from 1."""
    _keys: list[str] = field(default_factory=list)
    """The keys of JSON objects, in the order of the columns."""
    _lines: int = 0
    _open: str = ""
    _mark: str = ","
    _database: sqlite3.Connection = field(default_factory=lambda: sqlite3.connect(":memory:", isolation_level=None))

    def __post_init__(self) -> None:
        self._database.execute("pragma temp_store = memory")
        self._database.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        self._database.execute(f"create table t ({LINE} integer)")

    def add(self, text: str, *, is_last: bool, **_: object) -> dict[str, Plain]:
        """Add the next lines of the file. Raises `CallError` for a file that is not a table."""
        text = self._open + text
        self._open = ""
        is_json = self.path.endswith(TABLE_SUFFIXES[3:])
        if not is_json and text.count('"') % 2 and not is_last and len(text) < MOST_OPEN_CHARS:
            self._open = text
            return {}
        try:
            self._database.execute("begin")
            self._insert(iter(self._json_rows(text)) if is_json else self._rows(text), text)
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

    def _insert(self, rows: Iterator[list[Any]], text: str) -> None:
        if not self.names:
            _, *header = next(rows, [0])
            self._add_columns(list(map(str, header)))
        held: Iterable[list[Any]] = rows
        if _LEADING_ZERO.search(text):
            held = list(rows)
            cells = ((at, cell) for row in held for at, cell in enumerate(row) if isinstance(cell, str))
            self._keep_text({at for at, cell in cells if _CODE.match(cell)})
        size = len(self.names) + 1
        marks = ", ".join(["nullif(?, '')"] * size)
        fitting = (row if len(row) == size else (row + [None] * size)[:size] for row in held)
        self._database.executemany(f"insert into t values ({marks})", fitting)

    def _add_columns(self, header: list[str]) -> None:
        if not header or len(self.names) + len(header) > MOST_COLUMNS:
            msg = f"its first line names no columns, or there are more than {MOST_COLUMNS}"
            raise ValueError(msg)
        for place, name in enumerate(header, len(self.names) + 1):
            plain = name.strip().lstrip("\ufeff") or "column"
            is_new = plain.casefold() not in {name.casefold() for name in (*self.names, LINE)}
            self.names.append(plain if is_new else f"{plain}_{place}")
            self._database.execute(f"alter table t add column {_quoted(self.names[-1])} numeric")

    def _keep_text(self, columns: set[int]) -> None:
        """Keep the cells of columns as they are written from now on: `007` is a code."""
        if columns <= self.texts:
            return
        self.texts |= columns
        kinds = ["text" if at in self.texts else "numeric" for at in range(1, len(self.names) + 1)]
        columns_of_u = (f"{_quoted(name)} {kind}" for name, kind in zip(self.names, kinds, strict=True))
        self._database.execute(f"create table u ({LINE} integer, {', '.join(columns_of_u)})")
        self._database.execute("insert into u select * from t")
        self._database.execute("drop table t")
        self._database.execute("alter table u rename to t")

    def query(self, sql: str, limit: int, **parts: str) -> dict[str, Plain]:
        """Return rows of a query, or of one that `where`, `columns`, `group` and `order` make. Raises `CallError`."""
        if not sql.strip():
            columns = parts["columns"].strip() or "*"
            has_line = columns == "*" or parts["group"] or "(" in columns
            sql = f"select {columns}{'' if has_line else f', {LINE}'} from t"
            words = (("where", parts["where"]), ("group by", parts["group"]), ("order by", parts["order"]))
            sql += "".join(f" {word} {text}" for word, text in words if text.strip())
        most = limit if 0 < limit < MOST_ROWS else MOST_ROWS
        try:
            self._database.execute("pragma query_only = on")
            cursor = self._database.execute(sql)
            records = cursor.fetchmany(most + 1)
            names = [column[0] for column in cursor.description or ()]
        except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
            msg = f"the query failed: {error}; the table t has the columns {', '.join(self.names[:40])} and {LINE}"
            raise CallError(error_codes.INVALID_ARGUMENT, msg) from None
        finally:
            self._database.execute("pragma query_only = off")
        return self._result(names, records, most)

    def _result(self, names: list[str], records: list[tuple[Any, ...]], most: int) -> dict[str, Plain]:
        at = names.index(LINE) if LINE in names else -1
        shown = [name for name in names if name != LINE]
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(shown)
        rows: list[Plain] = []
        lines: list[Plain] = []
        for row in records[:most]:
            cells = ["" if isinstance(cell, bytes) else cell for number, cell in enumerate(row) if number != at]
            writer.writerow(cells)
            if out.tell() > MOST_CONTENT_CHARS:
                break
            rows.append(dict(zip(shown, cells, strict=True)))
            lines += [row[at]] if at >= 0 else []
        (total,) = self._database.execute("select count(*) from t").fetchone()
        values = out.getvalue(), rows, list[Plain](self.names), lines, total, len(rows) < len(records)
        return {"path": self.path, **dict(zip(RESULT[1:], values, strict=True))}


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
