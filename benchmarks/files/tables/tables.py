"""Runs SQL queries on files as tables.

`harness.table("/sales.csv", where="amount > 5")` becomes `select * from t where amount > 5`.
This runs in the trial's worker process, which imports the module, and then gives up its
right to open files and to start threads.
"""

from __future__ import annotations

from collections.abc import Callable

import duckdb

from controlplane.benchmarks.files.tables.loaded_table import Table
from controlplane.benchmarks.files.tables.query_faults import (
    check_no_text_as_number,
    check_one_select,
    reason_of,
)
from controlplane.benchmarks.files.tables.query_result import QueryResult, shown_rows
from controlplane.benchmarks.files.tables.query_tables import OWN_NAME, QueryTables
from controlplane.benchmarks.files.tables.sql_tree import (
    ColumnReference,
    columns_in,
    nodes_of,
)
from controlplane.benchmarks.files.tables.table_database import LINE, database
from controlplane.sandbox.interface import CallError, Plain, bounds, error_codes


def select_statement(columns: str, where: str, group: str, order: str) -> str:
    """Return the query built from a call's clauses, which may be empty.

    `city`, `amount > 5` -> `select city, _line from t where amount > 5`. `_line` is added, so that
    a script can cite the line of each row. Grouped or computed rows, such as sums, have none.
    """
    selected = columns.strip() or "*"
    calls_function = "(" in selected  # such as `sum(amount)`
    rows_have_lines = not group and not calls_function
    if rows_have_lines and selected != "*":  # `*` includes `_line`.
        selected += f", {LINE}"
    sql = f"select {selected} from {OWN_NAME}"
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

    `select city from t`, 10 -> `{"rows": [{"city": "Graz"}, ...], "total": 42, ...}`. A
    `limit` of 0 means as many rows as one result may have. A query may also name files by
    their paths, as in `from '/b.csv'`; `open_table` opens them. Raises `CallError`.
    """
    if limit > bounds.MOST_TABLE_ROWS:
        msg = (
            f"limit is at most {bounds.MOST_TABLE_ROWS:,} rows: the rows can be fewer by where and group, "
            f'or go on with sql="select ... offset {bounds.MOST_TABLE_ROWS}"'
        )
        raise CallError(error_codes.INVALID_ARGUMENT, msg)
    max_rows = limit if limit > 0 else bounds.MOST_TABLE_ROWS
    tables = QueryTables(table)
    columns: list[ColumnReference] = []  # For the message, if the query fails.
    try:
        table.show_as(OWN_NAME)
        check_one_select(sql)
        nodes = nodes_of(sql)  # All nodes of the query's syntax tree.
        tables.open_files(nodes, open_table)
        columns = columns_in(nodes)
        check_no_text_as_number(nodes, tables)
        result = _first_rows(sql, max_rows)
    except (duckdb.Error, ValueError) as error:
        msg = f"the query failed: {reason_of(error, columns, tables)}"
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
        **tables.notes(),
    }


def _first_rows(sql: str, max_rows: int) -> QueryResult:
    """Run a query, and return its first rows and the number of all. Raises `duckdb.Error`."""
    cursor = database.execute(sql)
    names = _different_names([column[0] for column in cursor.description])
    # One row more than asked for shows whether there are more. Only then, all are counted.
    rows = cursor.fetchmany(max_rows + 1)
    total = len(rows)
    if total > max_rows:
        total = _row_count(sql)
    return QueryResult(names, rows[:max_rows], total)


def _different_names(names: list[str]) -> list[str]:
    """Add its number to a column's name that is used already: `city`, `city` -> `city`, `city_2`.

    These are the names of `select a.city, b.city`.
    """
    different: list[str] = []
    for number, name in enumerate(names, start=1):
        new_name = name
        while new_name in different:
            new_name = f"{new_name}_{number}"
        different.append(new_name)
    return different


def _row_count(sql: str) -> int:
    """Return the number of rows of a query's result. Raises `duckdb.Error`."""
    query = sql.rstrip().rstrip(";")
    database.execute(f"create or replace temp view counted as {query}")
    row = database.execute("select count(*) from counted").fetchone()
    assert row is not None, "a count is one row"
    return int(row[0])
