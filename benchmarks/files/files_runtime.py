"""What a question asks of all files at once, in the trial's worker: the passages that fit words best, and one table."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, cast

from controlplane.benchmarks.files.file_sources import TABLE_SUFFIXES, WORD
from controlplane.sandbox.child.worker_process import ask_parent
from controlplane.sandbox.files.file_tree import FileTree
from controlplane.sandbox.interface import (
    CallError,
    Effect,
    Operation,
    Parameter,
    Plain,
    ResultField,
    bounds,
    error_codes,
)

PASSAGE_CHARS: Final = 700

TABLE: Final = Operation(
    "table",
    (
        *(
            Parameter("path", "str"),
            Parameter("where", "str", ""),
            Parameter("columns", "str", "*"),
        ),
        *(
            Parameter("group", "str", ""),
            Parameter("order", "str", ""),
            Parameter("limit", "int", 100),
        ),
        *(Parameter("sql", "str", ""), Parameter("form", "str", "")),
    ),
    tuple(
        map(
            ResultField,
            (
                *("path", "content", "rows", "columns", "lines", "total", "truncated"),
                *("forms", "assumed", "doubts"),
            ),
        )
    ),
    'rows of a CSV, TSV, JSONL or sheet as dicts, by DuckDB: where="amount > 5", columns="city, sum(x)", group="city", '
    """or sql="select ... from t join '/b.csv' b using (id)"; at most 1,000 of .total rows; .content is them as CSV, """
    ".lines their lines, .forms tells what was read as numbers or dates ($1,200 is 1200, 3.4.2025 is 2025-04-03, NA is "
    'null). Where that is not certain, say form="decimal comma", "decimal point", "day first" or "month first", or '
    'take "COLUMN as number" or "COLUMN as written"',
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


if TYPE_CHECKING:
    from controlplane.benchmarks.files.tables import Table


class FilesTools:
    """The calls that are made in the worker."""

    def __init__(self, tree: FileTree) -> None:
        self.tree = tree
        self._tables: dict[tuple[str, str, int], Table] = {}
        """The tables of the last call, by path, form, and the number of changes to files that they know of."""

    def call(self, operation: str, arguments: Mapping[str, Any]) -> dict[str, Plain]:
        """Return the result of `passages` or `table`. Raises `CallError`."""
        return self.passages(**arguments) if operation == PASSAGES.name else self.table(**arguments)

    def table(self, path: str, form: str, **query: Any) -> dict[str, Plain]:
        """Return rows of a table, which is held until others are asked for or something is written."""
        used = set[tuple[str, str, int]]()

        def opened(path: str) -> Table:
            from controlplane.benchmarks.files.tables import (
                Table,
            )  # DuckDB, which is imported in workers alone

            key = self._table_path(path), form, self.tree.version
            if key not in self._tables:
                self._tables[key] = Table(key[0], dict(self._texts_of([key[0]]))[key[0]], form)
            used.add(key)
            return self._tables[key]

        try:
            return opened(path).query(opened=opened, **query)
        finally:
            for key in self._tables.keys() - used:
                self._tables.pop(key).drop()

    def _table_path(self, path: str) -> str:
        """Return the path of a table, which may be the one sheet of a workbook. Raises `CallError`."""
        path = str(self.tree.stat(path)["path"])
        sheets = [one for one in self.tree.paths(path) if one != path and one.endswith(".csv")]
        if len(sheets) > 1:
            msg = f"{path} has several tables: name {', '.join(sheets[:-1])} or {sheets[-1]}"
            raise CallError(error_codes.INVALID_ARGUMENT, msg)
        path = sheets[0] if sheets else path
        if not path.lower().endswith(TABLE_SUFFIXES):
            msg = f"{path} is not a table: table reads {', '.join(TABLE_SUFFIXES)} and the sheets of workbooks"
            raise CallError(error_codes.INVALID_ARGUMENT, msg)
        return path

    def passages(
        self, words: str, limit: int, stems: list[str], likeliest: list[str], heads: list[list[str]]
    ) -> dict[str, Plain]:
        """Return the heads of tables that `words` name, and the passages that fit these best, by BM25, among those of
        the likeliest files with a stem."""
        fitting = (
            # The path counts too: files are named for what they hold.
            (path.replace("/", " ").replace("_", " "), path, line, passage)
            for path, text in self._texts_of(likeliest)  # the likeliest files first
            for line, passage in passages_in(text)
            if any(map(passage.lower().count, stems))
        )
        wanted = list(dict.fromkeys(WORD.findall(words.lower())))[: bounds.MOST_WORDS]
        query = " OR ".join(f'"{word}"' for word in wanted)
        most = min(limit if limit > 0 else bounds.SHOWN_PASSAGES, bounds.SHOWN_PASSAGES)
        with closing(sqlite3.connect(":memory:")) as table:
            columns = "place, path unindexed, line unindexed, text"
            table.execute(
                f"create virtual table passages using fts5({columns}, tokenize='porter unicode61')"
            )
            table.executemany(
                "insert into passages values (?, ?, ?, ?)", islice(fitting, bounds.MOST_PASSAGES)
            )
            ranked = (
                "passages where passages match ? order by bm25(passages, 0.5, 0, 0, 1.0) limit ?"
            )
            best = table.execute(f"select path, line, text from {ranked}", (query, most)).fetchall()
        texts = {(path, 1): text for path, text in heads} | {
            (path, line): text for path, line, text in best
        }
        best = [(path, line, text) for (path, line), text in texts.items()][:most]
        shown = "\n\n".join(f"[{path}, from line {line}]\n{text}" for path, line, text in best)
        matches: list[Plain] = [
            {"path": path, "line": line, "text": text} for path, line, text in best
        ]
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
