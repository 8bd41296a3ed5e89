"""The calls of a question that run in the trial's worker process: `passages` and `table`.

They search or compute over untrusted files. The worker process has limits of time and
memory, and can neither open files nor reach the network.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from controlplane.benchmarks.files.passage_search import (
    Passage,
    ranked_passages,
    with_table_heads,
)
from controlplane.benchmarks.files.search_operations import PASSAGES
from controlplane.benchmarks.files.tables.worker_tables import WorkerTables
from controlplane.sandbox.files.file_tree import FileTree
from controlplane.sandbox.files.text_words import words_of
from controlplane.sandbox.interface import Plain, bounds


class FilesTools:
    """The calls that run in the worker. Created once for each trial."""

    def __init__(self, tree: FileTree) -> None:
        self.tree = tree
        self._tables = WorkerTables(tree)

    def call(self, operation: str, arguments: Mapping[str, Any]) -> dict[str, Plain]:
        """Return the result of `passages` or `table`. Raises `CallError`."""
        if operation == PASSAGES.name:
            return self.passages(**arguments)
        return self.table(**arguments)

    def table(
        self, path: str, form: str, sql: str, limit: int, **clauses: str
    ) -> dict[str, Plain]:
        """Return the rows of a table that a query selects.

        The query is `sql`, or else made of the clauses `columns`, `where`, `group` and
        `order`: `where="amount > 5"`.
        """
        # DuckDB is imported only in workers.
        from controlplane.benchmarks.files.tables.tables import select_statement

        statement = sql if sql.strip() else select_statement(**clauses)
        return self._tables.query(path, statement, limit, form)

    def passages(
        self, words: str, limit: int, paths: list[str], table_heads: list[list[str]]
    ) -> dict[str, Plain]:
        """Return the best passages for some words, after the first lines of tables that fit them.

        A script gives only `words` and `limit`. The parent process, which has all files, adds

        - `paths`: the files to search, those that most likely have the words first.
        - `table_heads`: the path and first lines of each table whose name or columns have
          the words, such as `["/sales.csv", "city,amount\\nBerlin,5"]`.
        """
        query = words_of(words)[: bounds.MOST_QUERY_WORDS]
        max_passages = bounds.SHOWN_PASSAGES
        if limit > 0:
            max_passages = min(limit, max_passages)

        ranked = ranked_passages(self.tree, paths, query)
        # The tables come first, so they may push out the last of the best passages.
        with_tables = with_table_heads(ranked[:max_passages], table_heads)
        has_more = len(ranked) > max_passages or len(with_tables) > max_passages
        return _passages_result(with_tables[:max_passages], is_truncated=has_more)


def _passages_result(
    passages: list[Passage], *, is_truncated: bool
) -> dict[str, Plain]:
    """Return passages as the result of a call. `is_truncated`: there are more."""
    matches: list[Plain] = []
    for passage in passages:
        matches.append(
            {"path": passage.path, "line": passage.line, "text": passage.text}
        )
    shown = "\n\n".join(passage.shown for passage in passages)
    return {
        "matches": matches,
        "shown": shown or "no passage holds these words",
        "truncated": is_truncated,
    }


def open_tools(
    files: Mapping[str, str], directories: tuple[str, ...], data: Plain
) -> FilesTools:
    """Return the tools for a question's files, in a worker.

    The sandbox passes these parameters to every benchmark's module. A question needs only
    `files`.
    """
    return FilesTools(FileTree(files))
