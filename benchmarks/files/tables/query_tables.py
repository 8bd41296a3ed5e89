"""The tables that an SQL query names, and what a script should know about them.

In `select b.city from t join '/b.csv' as b`, the table `t` is that of the call, and the
other one is the file `/b.csv`, with the alias `b`. The query's result tells how both were read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from controlplane.benchmarks.files.tables.loaded_table import Table
from controlplane.benchmarks.files.tables.sql_tree import ColumnReference, Node
from controlplane.sandbox.interface import Plain

OWN_NAME: Final = "t"
"""How queries name the table of the call."""


class QueryTables:
    """The tables of one query: first only that of the call, then those that `open_files` opens."""

    def __init__(self, own_table: Table) -> None:
        """`own_table` is the table of the call."""
        self._own_table = own_table
        self.by_name = {OWN_NAME: own_table}
        """Each table by its name after `from`: `t`, or a path such as `/b.csv`."""
        self._by_alias = {OWN_NAME: own_table}
        """The same tables by the name before a column: `b` in `b.city`, after `'/b.csv' as b`."""

    def open_files(
        self, nodes: Iterable[Node], open_table: Callable[[str], Table]
    ) -> None:
        """Open the files that a query names as tables, so that it can be run.

        `nodes` are those of its syntax tree. For `from '/b.csv' as b`, there is a node
        `{"table_name": "/b.csv", "alias": "b", ...}`.
        """
        for node in nodes:
            if "table_name" not in node:
                continue
            # The name is `t`, a path, or a name that the query itself defines by `with`.
            name = node["table_name"]
            is_path = "/" in name or "." in name
            if is_path:
                self.by_name[name] = open_table(name)
                self.by_name[name].show_as(name)
            if name in self.by_name:
                alias = node.get("alias") or name
                self._by_alias[alias] = self.by_name[name]

    def possible_tables(self, column: ColumnReference) -> list[Table]:
        """Return the tables that may contain a column: for `b.city` that of `b`, else all."""
        if column.table in self._by_alias:
            return [self._by_alias[column.table]]
        return list(self._by_alias.values())

    def notes(self) -> dict[str, Plain]:
        """Return what the script is told of the tables, as fields of the query's result.

        They are how columns are read (`forms`, `{"amount": "decimal comma"}`), what was
        assumed about the files, and what is uncertain (`doubts`).
        """
        forms: dict[str, Plain] = {}
        assumed: list[Plain] = []
        doubts: list[Plain] = []
        for table in self.by_name.values():
            assumed += [f"{table.path}: {note}" for note in table.assumed]
            doubts += [f"{table.path}: {note}" for note in table.doubts]
            if table is not self._own_table:
                for name, form in table.columns.forms.items():
                    forms[f"{table.path} {name}"] = form
        # Columns of the call's own table are named without its path.
        forms.update(self._own_table.columns.forms)
        return {"forms": forms, "assumed": assumed, "doubts": doubts}
