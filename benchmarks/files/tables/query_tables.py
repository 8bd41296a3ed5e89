"""The tables that an SQL query names, and what a script should know about them.

In `select b.city from t join '/b.csv' as b`, the table `t` is that of the call, and the
other one is the file `/b.csv`, with the alias `b`. The result tells of both how they were read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from controlplane.benchmarks.files.tables.loaded_table import Table
from controlplane.benchmarks.files.tables.sql_tree import ColumnReference, Node
from controlplane.sandbox.interface import Plain

OWN_NAME: Final = "t"
"""How queries name the table of the call."""


class QueryTables:
    """The tables of one query."""

    def __init__(self, table: Table) -> None:
        """Begin with the table of the call."""
        self._own_table = table
        self._tables = {OWN_NAME: table}
        """All tables: that of the call by `t`, the others by their paths."""
        self._aliases = {OWN_NAME: table}
        """The same tables by the name used before a column: `b` for `from '/b.csv' as b`."""

    def open_named(
        self, nodes: Iterable[Node], open_table: Callable[[str], Table]
    ) -> None:
        """Open the files that the nodes of a query name as tables, and note their aliases."""
        for node in nodes:
            if "table_name" not in node:
                continue
            # The name is `t`, a path, or a name that the query itself defines by `with`.
            name = node["table_name"]
            is_path = "/" in name or "." in name
            if is_path:
                self._tables[name] = open_table(name)
                self._tables[name].show_as(name)
            if name in self._tables:
                alias = node.get("alias") or name
                self._aliases[alias] = self._tables[name]

    @property
    def by_name(self) -> Mapping[str, Table]:
        """The tables by `t` and by their paths."""
        return self._tables

    def possible_tables(self, column: ColumnReference) -> list[Table]:
        """Return the tables that may contain a column: the one named before it, or else all."""
        if column.table in self._aliases:
            return [self._aliases[column.table]]
        return list(self._aliases.values())

    def notes(self) -> dict[str, Plain]:
        """Return facts on the tables for the script.

        These are how columns are read (`forms`, such as `decimal comma`), what was assumed
        about the files, and what is uncertain (`doubts`).
        """
        forms: dict[str, Plain] = {}
        assumed: list[Plain] = []
        doubts: list[Plain] = []
        for table in self._tables.values():
            assumed += [f"{table.path}: {note}" for note in table.assumed]
            doubts += [f"{table.path}: {note}" for note in table.doubts]
            if table is not self._own_table:
                for name, form in table.columns.forms.items():
                    forms[f"{table.path} {name}"] = form
        forms.update(self._own_table.columns.forms)
        return {"forms": forms, "assumed": assumed, "doubts": doubts}
