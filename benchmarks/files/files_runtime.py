"""What a question asks of all files at once, in the trial's worker: the passages that fit words best, and one table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from controlplane.benchmarks.files.file_sources import TABLE_SUFFIXES
from controlplane.benchmarks.files.files_operations import PASSAGES
from controlplane.benchmarks.files.passages import passages_in
from controlplane.sandbox.child.worker_process import ask_parent
from controlplane.sandbox.files.file_tree import FileTree
from controlplane.sandbox.files.word_ranking import (
    TitledText,
    beginning_of,
    comparable_text,
    ranked_texts,
    words_of,
)
from controlplane.sandbox.interface import CallError, Plain, bounds, error_codes

PATH_WEIGHT: Final = 0.5
"""A word in a file's path weighs half as much as the same word in a passage."""

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
        self,
        words: str,
        limit: int,
        likeliest: list[str],
        heads: list[list[str]],
    ) -> dict[str, Plain]:
        """Return the heads of tables that `words` name, and the passages of the likeliest files that fit best."""
        query = words_of(words)[: bounds.MOST_WORDS]
        max_passages = min(limit if limit > 0 else bounds.SHOWN_PASSAGES, bounds.SHOWN_PASSAGES)
        ranked = self._ranked_passages(likeliest, query)
        best = ranked[:max_passages]
        # A passage that begins a table takes the place of its head.
        beginnings = {path: text for path, line, text in best if line == 1}
        passages = [(path, 1, beginnings.get(path, head)) for path, head in heads]
        passages += [passage for passage in best if passage not in passages]
        matches: list[Plain] = []
        shown: list[str] = []
        for path, line, text in passages[:max_passages]:
            matches.append({"path": path, "line": line, "text": text})
            shown.append(f"[{path}, from line {line}]\n{text}")
        return {
            "matches": matches,
            "shown": "\n\n".join(shown) or "no passage holds these words",
            "truncated": len(ranked) > len(best) or len(passages) > max_passages,
        }

    def _ranked_passages(self, paths: list[str], query: list[str]) -> list[tuple[str, int, str]]:
        """Return path, line and text of the passages that hold some words, the best first."""
        beginnings = [beginning_of(word) for word in query]
        passages: list[tuple[str, int, str]] = []
        for path, text in self._texts_of(paths):
            for line, passage in passages_in(text):
                comparable = comparable_text(passage)
                if any(beginning in comparable for beginning in beginnings):
                    passages.append((path, line, passage))
            if len(passages) >= bounds.MOST_PASSAGES:
                break
        titled: dict[str, TitledText] = {}
        for number, (path, _, passage) in enumerate(passages[: bounds.MOST_PASSAGES]):
            # The path counts too: files are named for what they hold.
            title = path.replace("/", " ").replace("_", " ")
            titled[str(number)] = TitledText(title, passage)
        scores = ranked_texts(titled, query, title_weight=PATH_WEIGHT)
        return [passages[int(number)] for number in scores]

    def _texts_of(self, paths: list[str]) -> Iterator[tuple[str, str]]:
        """Yield path and text of the files that were written, and of others, asked for in batches and not kept."""
        yield from ((path, text or "") for path, text in self.tree.changes.items())
        wanted = [path for path in paths if path not in self.tree.changes]
        while wanted:
            texts = cast("list[str | None]", ask_parent(*wanted[:200]))
            yield from ((path, text or "") for path, text in zip(wanted, texts, strict=False))
            del wanted[: max(len(texts), 1)]


def open_tools(files: Mapping[str, str], directories: tuple[str, ...], data: Plain) -> FilesTools:
    """Return the tools over the files of a question, in a worker."""
    return FilesTools(FileTree(files))
