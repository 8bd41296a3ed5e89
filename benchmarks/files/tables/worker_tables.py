"""The tables that the queries of a trial use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from controlplane.benchmarks.files.sources.file_suffixes import TABLE_SUFFIXES, is_table
from controlplane.benchmarks.files.worker_texts import text_of
from controlplane.sandbox.files.file_tree import FileTree
from controlplane.sandbox.interface import CallError, Plain, error_codes

if TYPE_CHECKING:
    from controlplane.benchmarks.files.tables.loaded_table import (
        Table,  # It imports DuckDB.
    )


@dataclass(frozen=True, slots=True)
class TableKey:
    """What a loaded table depends on. If any of it changes, the table is loaded again."""

    path: str
    stated_form: str
    """How the call says numbers and dates are written: `decimal comma`. Empty if it does not."""
    tree_version: int
    """The number of changes to files before the table was loaded."""


class WorkerTables:
    """Loads the tables of queries. After each query, only its own tables stay loaded."""

    def __init__(self, tree: FileTree) -> None:
        self._tree = tree
        self._tables: dict[TableKey, Table] = {}
        """The tables that the last query used."""

    def query(self, path: str, sql: str, limit: int, form: str) -> dict[str, Plain]:
        """Return the first rows of a query on the table at a path. Raises `CallError`."""
        # DuckDB is imported only in workers.
        from controlplane.benchmarks.files.tables.tables import query_table

        used_keys: set[TableKey] = set()

        def open_table(named_path: str) -> Table:
            """Return the table of this call, or another one that its query names."""
            key = TableKey(self._table_path(named_path), form, self._tree.version)
            used_keys.add(key)
            return self._loaded(key)

        try:
            return query_table(open_table(path), sql, limit, open_table)
        finally:
            self._drop_except(used_keys)

    def _loaded(self, key: TableKey) -> Table:
        from controlplane.benchmarks.files.tables.loaded_table import Table

        if key not in self._tables:
            text = text_of(self._tree, key.path)
            self._tables[key] = Table(key.path, text, key.stated_form)
        return self._tables[key]

    def _drop_except(self, used_keys: set[TableKey]) -> None:
        """Free the memory of tables that the last query did not use."""
        for key in list(self._tables):
            if key not in used_keys:
                self._tables.pop(key).drop()

    def _table_path(self, path: str) -> str:
        """Return the path of a table; for a workbook with one sheet, that of the sheet.

        Raises `CallError`.
        """
        path = str(self._tree.stat(path)["path"])
        sheets = []
        for below in self._tree.paths(path):
            if below != path and below.endswith(".csv"):
                sheets.append(below)
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
