"""What a question asks of all files at once, in the trial's worker: the passages that fit words best, and one table."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from controlplane.benchmarks.files.file_sources import TABLE_SUFFIXES, WORD
from controlplane.benchmarks.files.files_operations import PASSAGES
from controlplane.sandbox.child.worker_process import ask_parent
from controlplane.sandbox.files.file_tree import FileTree
from controlplane.sandbox.interface import CallError, Plain, bounds, error_codes

PASSAGE_CHARS: Final = 700

if TYPE_CHECKING:
    from controlplane.benchmarks.files.tables import Table


TableKey: TypeAlias = tuple[str, str, int]
"""The path of a table, the stated form, and the number of changes to files that it knows of."""


class FilesTools:
    """The calls that are made in the worker."""

    def __init__(self, tree: FileTree) -> None:
        self.tree = tree
        self._tables: dict[TableKey, Table] = {}
        """The tables of the last call."""

    def call(self, operation: str, arguments: Mapping[str, Any]) -> dict[str, Plain]:
        """Return the result of `passages` or `table`. Raises `CallError`."""
        if operation == PASSAGES.name:
            return self.passages(**arguments)
        return self.table(**arguments)

    def table(self, path: str, form: str, **query: Any) -> dict[str, Plain]:
        """Return rows of a table, which stays loaded until others are asked for or something is written."""
        used_keys: set[TableKey] = set()

        def opened(path: str) -> Table:
            from controlplane.benchmarks.files.tables import Table  # DuckDB, in workers alone

            key = (self._table_path(path), form, self.tree.version)
            if key not in self._tables:
                self._tables[key] = Table(key[0], self._text_of(key[0]), form)
            used_keys.add(key)
            return self._tables[key]

        try:
            return opened(path).query(opened=opened, **query)
        finally:
            for key in self._tables.keys() - used_keys:
                self._tables.pop(key).drop()

    def _table_path(self, path: str) -> str:
        """Return the path of a table, which may be the one sheet of a workbook. Raises `CallError`."""
        path = str(self.tree.stat(path)["path"])
        sheets = [
            below for below in self.tree.paths(path) if below != path and below.endswith(".csv")
        ]
        if len(sheets) > 1:
            msg = f"{path} has several tables: name {', '.join(sheets[:-1])} or {sheets[-1]}"
            raise CallError(error_codes.INVALID_ARGUMENT, msg)
        if sheets:
            return sheets[0]
        if not path.lower().endswith(TABLE_SUFFIXES):
            suffixes = ", ".join(TABLE_SUFFIXES)
            msg = f"{path} is not a table: table reads {suffixes} and the sheets of workbooks"
            raise CallError(error_codes.INVALID_ARGUMENT, msg)
        return path

    def _text_of(self, path: str) -> str:
        """Return the text of one file."""
        for found_path, text in self._texts_of([path]):
            if found_path == path:
                return text
        return ""

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
