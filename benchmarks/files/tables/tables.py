"""Run SQL queries on files as tables.

This runs in the trial's worker process,
which imports the module before it isolates itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import duckdb

from controlplane.benchmarks.files.tables.loaded_table import Table
from controlplane.benchmarks.files.tables.query_result import QueryResult, shown_rows
from controlplane.benchmarks.files.tables.sql_tree import (
    ColumnReference,
    Node,
    columns_compared_with_numbers,
    nodes_of,
)
from controlplane.benchmarks.files.tables.table_database import LINE, database
from controlplane.sandbox.interface import CallError, Plain, bounds, error_codes

SHOWN_COLUMNS: Final = 40
"""The most columns that an error message names for each table."""


def select_statement(columns: str, where: str, group: str, order: str) -> str:
    """Return the query built from a call's clauses: `select city, _line from t where amount > 5`.

    `_line` is added, so that a script can cite the line of each row. A grouped or
    computed row, such as a sum, has no line.
    """
    selected = columns.strip() or "*"
    calls_function = "(" in selected  # such as `sum(amount)`
    rows_have_lines = not group and not calls_function
    if rows_have_lines and selected != "*":  # `*` includes `_line`.
        selected += f", {LINE}"
    sql = f"select {selected} from t"
    if where.strip():
        sql += f" where {where}"
    if group.strip():
        sql += f" group by {group}"
    if order.strip():
        sql += f" order by {order}"
    return sql


def query_table(
    table: Table, sql: str, limit: int, open_table: Callable[[str], Table]
) -> dict[str, Plain]:
    """Run an SQL query that refers to a table as `t`, and return its first rows.

    A query may also name files by their paths, as in `from '/b.csv'`. `open_table` opens
    them. Raises `CallError`.
    """
    if limit > bounds.MOST_TABLE_ROWS:
        msg = (
            f"limit is at most {bounds.MOST_TABLE_ROWS:,} rows: the rows can be fewer by where and group, "
            f'or go on with sql="select ... offset {bounds.MOST_TABLE_ROWS}"'
        )
        raise CallError(error_codes.INVALID_ARGUMENT, msg)
    max_rows = limit if limit > 0 else bounds.MOST_TABLE_ROWS
    query = _Query(sql, table)
    try:
        query.prepare(open_table)
        result = _run(sql, max_rows)
    except (duckdb.Error, ValueError) as error:
        msg = f"the query failed: {query.reason_of(error)}"
        raise CallError(error_codes.INVALID_ARGUMENT, msg) from None
    shown = shown_rows(result)
    return {
        "path": table.path,
        "content": shown.content,
        "rows": shown.rows,
        "columns": list[Plain](table.names),
        "lines": table.lines_of(result.names, result.rows)[: len(shown.rows)],
        "total": result.total,
        "truncated": len(shown.rows) < result.total,
        **query.notes(),
    }


class _Query:
    """The tables and columns that an SQL query refers to."""

    def __init__(self, sql: str, table: Table) -> None:
        self._sql = sql
        self._table = table
        self._tables = {"t": table}
        """All tables of the query: that of the call by `t`, the others by their paths."""
        self._aliases = {"t": table}
        """The same tables by the name used before a column: `b` for `from '/b.csv' as b`."""
        self._columns: list[ColumnReference] = []
        """The columns that the query refers to, in any of the tables."""

    def prepare(self, open_table: Callable[[str], Table]) -> None:
        """Check the query and open the tables that it names.

        Raises `ValueError` or `duckdb.Error` for a query that must not run.
        """
        self._table.show_as("t")  # Queries call it `t`.
        statements = database.extract_statements(self._sql)
        types = [statement.type for statement in statements]
        if types != [duckdb.StatementType.SELECT]:
            msg = "one SELECT statement is run"
            raise ValueError(msg)

        nodes = nodes_of(self._sql)  # of the query's syntax tree
        for node in nodes:
            if "table_name" in node:
                self._open_table_of(node, open_table)
            column = ColumnReference.of_node(node)
            if column:
                self._columns.append(column)
        self._refuse_texts_as_numbers(nodes)

    def _open_table_of(self, node: Node, open_table: Callable[[str], Table]) -> None:
        """Open the file that a node names as a table, and note the table's alias."""
        name = node["table_name"]
        is_path = "/" in name or "." in name
        if is_path:
            self._tables[name] = open_table(name)
            self._tables[name].show_as(name)
        if name in self._tables:
            alias = node.get("alias") or name
            self._aliases[alias] = self._tables[name]

    def _refuse_texts_as_numbers(self, nodes: list[Node]) -> None:
        """Raise `ValueError` if the query compares a text column with a number.

        DuckDB would convert the texts to numbers without a warning.
        """
        for column in columns_compared_with_numbers(nodes):
            for table in self._possible_tables(column):
                if column.name in table.columns.texts:
                    msg = f"{column.name} is text: compare it with a text in quotes"
                    raise ValueError(msg)

    def _possible_tables(self, column: ColumnReference) -> list[Table]:
        """Return the tables that may contain a column: the one named before it, or else all."""
        if column.table in self._aliases:
            return [self._aliases[column.table]]
        return list(self._aliases.values())

    def reason_of(self, error: Exception) -> str:
        """Return why the query failed, and which columns it could have used."""
        uncertain = self._uncertain_columns()
        if uncertain and isinstance(error, duckdb.BinderException):
            return "; ".join(uncertain)
        parts = [str(error).partition("\n")[0]]
        for name, table in self._tables.items():
            columns = ", ".join(list(table.columns.sql)[:SHOWN_COLUMNS])
            parts.append(f"the table {name} has the columns {columns}")
        return "; ".join(parts)

    def _uncertain_columns(self) -> list[str]:
        """Return why it is uncertain how columns of the query are to be read."""
        reasons: dict[str, None] = {}
        for column in self._columns:
            for table in self._possible_tables(column):
                reason = table.columns.uncertain.get(column.name)
                if reason:
                    reasons[reason] = None
        return list(reasons)

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
            if table is not self._table:
                for name, form in table.columns.forms.items():
                    forms[f"{table.path} {name}"] = form
        forms.update(self._table.columns.forms)
        return {"forms": forms, "assumed": assumed, "doubts": doubts}


def _run(sql: str, max_rows: int) -> QueryResult:
    """Return the first rows of a query's result and the number of all rows.

    Raises `duckdb.Error`.
    """
    cursor = database.execute(sql)
    names: list[str] = []
    for column in cursor.description:
        name = column[0]
        if name in names:
            name = f"{name}_{len(names) + 1}"
        names.append(name)

    rows = cursor.fetchmany(max_rows + 1)
    total = len(rows)
    if total > max_rows:
        without_end = sql.rstrip().rstrip(";")
        database.execute(f"create or replace temp view counted as {without_end}")
        counted = database.execute("select count(*) from counted").fetchone()
        total = counted[0] if counted else total
    return QueryResult(names, rows[:max_rows], total)
