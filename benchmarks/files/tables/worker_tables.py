"""The tables that the queries of a trial use.

A script queries a file by `harness.table("/sales.csv", where="amount > 5")`. The file is
loaded as a table of DuckDB, and stays loaded while the next queries use it, too.
"""

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
    """The number of changes to the trial's files before the table was loaded. After one
    more, the file may have another text."""


class WorkerTables:
    """Loads the tables of queries. After a query, only the tables that it has used stay loaded.

    A script often queries one table several times. Others only take memory.
    """

    def __init__(self, tree: FileTree) -> None:
        self._tree = tree
        self._tables: dict[TableKey, Table] = {}
        """The tables that the last query used."""

    def query(
        self, path: str, sql: str, limit: int, stated_form: str
    ) -> dict[str, Plain]:
        """Return the first rows of a query on the table at a path. Raises `CallError`.

        `stated_form` says how the numbers and dates of its tables are written, if the
        files leave that open: `decimal comma, day first`. It may be empty.
        """
        # DuckDB is imported only in workers.
        from controlplane.benchmarks.files.tables.tables import query_table

        used_keys: set[TableKey] = set()

        def open_table(named_path: str) -> Table:
            """Return the table of this call, or one that its SQL names: `from '/b.csv'`."""
            full_path = self._table_path(named_path)
            key = TableKey(full_path, stated_form, self._tree.version)
            used_keys.add(key)
            return self._loaded(key)

        try:
            return query_table(open_table(path), sql, limit, open_table)
        finally:
            self._drop_except(used_keys)

    def _loaded(self, key: TableKey) -> Table:
        """Return a table, loaded now unless the last query has used it, too. Raises `CallError`."""
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
        """Return the full path of a table: `/sales.csv` for `sales.csv`.

        For a workbook with one sheet, it is the path of the sheet, which is a CSV file
        below it: `/sales.xlsx/Sheet1.csv`. Raises `CallError`.
        """
        path = str(self._tree.stat(path)["path"])  # `/sales.csv` for `sales.csv`.
        sheets = []
        for path_below in self._tree.paths(path):
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
