"""The calls of a question that run in the trial's worker: search for passages, and read
a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from controlplane.benchmarks.files.file_suffixes import TABLE_SUFFIXES, is_table
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

if TYPE_CHECKING:
    from controlplane.benchmarks.files.loaded_table import Table  # It imports DuckDB.

PATH_WEIGHT: Final = 0.5
"""The weight of a word in a file's path, relative to a word in a passage."""
BATCH_FILES: Final = 200
"""The number of files whose texts are requested from the parent process at once."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a file, about one paragraph long."""

    path: str
    line: int
    """The line on which it begins."""
    text: str


@dataclass(frozen=True, slots=True)
class TableKey:
    """What a loaded table depends on. If any of it changes, the table is loaded
    again."""

    path: str
    stated_form: str
    """The argument `form` of the call, which says how numbers and dates are written:
    `decimal comma`. Empty if the call does not say so."""
    tree_version: int
    """The number of changes to files before the table was loaded."""


class FilesTools:
    """The calls that run in the worker. Created once for each trial."""

    def __init__(self, tree: FileTree) -> None:
        self.tree = tree
        self._tables: dict[TableKey, Table] = {}
        """The tables that the last call of `table` used."""

    def call(self, operation: str, arguments: Mapping[str, Any]) -> dict[str, Plain]:
        """Return the result of `passages` or `table`. Raises `CallError`."""
        if operation == PASSAGES.name:
            return self.passages(**arguments)
        return self.table(**arguments)

    def table(
        self, path: str, form: str, sql: str, limit: int, **clauses: str
    ) -> dict[str, Plain]:
        """Return rows of a table, selected by `sql` or by the clauses `columns`,
        `where`, `group` and `order`: `where="amount > 5"`.

        The tables that a query names stay loaded until a call uses other tables.
        """
        # DuckDB is imported only in workers.
        from controlplane.benchmarks.files.tables import query_table, select_statement

        statement = sql if sql.strip() else select_statement(**clauses)
        used_keys: set[TableKey] = set()

        def open_table(named_path: str) -> Table:
            """Return the table of this call, or another one that its query names."""
            key = TableKey(self._table_path(named_path), form, self.tree.version)
            used_keys.add(key)
            return self._loaded_table(key)

        try:
            return query_table(open_table(path), statement, limit, open_table)
        finally:
            self._drop_tables_except(used_keys)

    def _loaded_table(self, key: TableKey) -> Table:
        """Return a table. It is loaded unless the last call used it."""
        from controlplane.benchmarks.files.loaded_table import Table

        if key not in self._tables:
            self._tables[key] = Table(
                key.path, self._text_of(key.path), key.stated_form
            )
        return self._tables[key]

    def _drop_tables_except(self, used_keys: set[TableKey]) -> None:
        """Free the memory of tables that the last call did not use."""
        for key in list(self._tables):
            if key not in used_keys:
                self._tables.pop(key).drop()

    def _table_path(self, path: str) -> str:
        """Return the path of a table. A workbook with one sheet stands for that sheet.

        Raises `CallError`.
        """
        path = str(self.tree.stat(path)["path"])
        sheets = []
        for path_below in self.tree.paths(path):
            if path_below != path and path_below.endswith(".csv"):
                sheets.append(path_below)
        if len(sheets) > 1:
            msg = f"{path} has several tables: name {', '.join(sheets[:-1])} or {sheets[-1]}"
            raise CallError(error_codes.INVALID_ARGUMENT, msg)
        if sheets:
            return sheets[0]
        if not is_table(path):
            suffixes = ", ".join(TABLE_SUFFIXES)
            msg = f"{path} is not a table: table reads {suffixes} and the sheets of workbooks"
            raise CallError(error_codes.INVALID_ARGUMENT, msg)
        return path

    def _text_of(self, path: str) -> str:
        """Return the text of one file; empty if it is gone."""
        # The texts of all files that scripts wrote come first.
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
        """Return the best passages for some words, after the first lines of tables that
        fit them.

        The parent process, which has all files, adds the last two arguments.
        `likeliest` are the files to search, best first. `heads` are the path and first
        lines of tables whose names or columns contain the words, such as
        `["/sales.csv", "city,amount\\nBerlin,5"]`.
        """
        query = words_of(words)[: bounds.MOST_WORDS]
        max_passages = min(
            limit if limit > 0 else bounds.SHOWN_PASSAGES, bounds.SHOWN_PASSAGES
        )
        ranked = self._ranked_passages(likeliest, query)
        best = ranked[:max_passages]
        passages = _with_table_heads(best, heads)
        matches: list[Plain] = []
        shown: list[str] = []
        for passage in passages[:max_passages]:
            matches.append(
                {"path": passage.path, "line": passage.line, "text": passage.text}
            )
            shown.append(f"[{passage.path}, from line {passage.line}]\n{passage.text}")
        is_truncated = len(ranked) > max_passages or len(passages) > max_passages
        return {
            "matches": matches,
            "shown": "\n\n".join(shown) or "no passage holds these words",
            "truncated": is_truncated,
        }

    def _ranked_passages(self, paths: list[str], query: list[str]) -> list[Passage]:
        """Return the passages of some files that contain words of the query, best
        first."""
        beginnings = [beginning_of(word) for word in query]
        passages: list[Passage] = []
        for path, text in self._texts_of(paths):
            for line, passage_text in passages_in(text):
                comparable = comparable_text(passage_text)
                if any(beginning in comparable for beginning in beginnings):
                    passages.append(Passage(path, line, passage_text))
            if len(passages) >= bounds.MOST_PASSAGES:
                break

        titled_texts: dict[str, TitledText] = {}
        for number, passage in enumerate(passages[: bounds.MOST_PASSAGES]):
            # Include the path, because a file's name often describes its content.
            title = passage.path.replace("/", " ").replace("_", " ")
            titled_texts[str(number)] = TitledText(title, passage.text)
        ranked_numbers = ranked_texts(titled_texts, query, title_weight=PATH_WEIGHT)
        return [passages[int(number)] for number in ranked_numbers]

    def _texts_of(self, paths: list[str]) -> Iterator[tuple[str, str]]:
        """Yield the path and text of all files that scripts wrote, then of the given
        files.

        Texts are requested from the parent process in batches and not kept.
        """
        for path, text in self.tree.changes.items():
            yield path, text or ""
        remaining = [path for path in paths if path not in self.tree.changes]
        while remaining:
            texts = cast("list[str | None]", ask_parent(*remaining[:BATCH_FILES]))
            # A reply has only as many texts as fit in one message. The others are
            # requested again.
            for path, text in zip(remaining, texts, strict=False):
                yield path, text or ""
            if texts:
                remaining = remaining[len(texts) :]
            else:  # The first text alone is too long for a message. It cannot be searched.
                remaining = remaining[1:]


def _with_table_heads(best: list[Passage], heads: list[list[str]]) -> list[Passage]:
    """Return the first lines of tables, and then the best passages.

    If a passage begins on the first line of such a table, it is used instead, because
    it is longer.
    """
    beginning_of_file = {passage.path: passage for passage in best if passage.line == 1}
    passages = []
    for path, head in heads:
        passages.append(beginning_of_file.get(path, Passage(path, 1, head)))
    for passage in best:
        if passage not in passages:
            passages.append(passage)
    return passages


def open_tools(
    files: Mapping[str, str], directories: tuple[str, ...], data: Plain
) -> FilesTools:
    """Return the tools for a question's files, in a worker."""
    return FilesTools(FileTree(files))
