"""Why a query must not run, or has failed, in words that tell a script what to write instead.

For example, `price is text: compare it with a text in quotes`. The texts are shown to a
model, which then writes another query.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import duckdb

from controlplane.benchmarks.files.tables.query_tables import QueryTables
from controlplane.benchmarks.files.tables.sql_tree import (
    ColumnReference,
    Node,
    columns_compared_with_numbers,
)
from controlplane.benchmarks.files.tables.table_database import database

SHOWN_COLUMNS: Final = 40
"""The most columns that an error message names for each table."""


def check_one_select(sql: str) -> None:
    """Raise `ValueError` unless a text is one SELECT statement; `duckdb.Error` if it is no SQL."""
    statements = database.extract_statements(sql)
    types = [statement.type for statement in statements]
    if types != [duckdb.StatementType.SELECT]:
        msg = "one SELECT statement is run"
        raise ValueError(msg)


def check_no_text_as_number(nodes: list[Node], tables: QueryTables) -> None:
    """Raise `ValueError` if a query compares a text column with a number.

    DuckDB would convert the texts to numbers without a warning.
    """
    for column in columns_compared_with_numbers(nodes):
        for table in tables.possible_tables(column):
            if column.name in table.columns.texts:
                msg = f"{column.name} is text: compare it with a text in quotes"
                raise ValueError(msg)


def reason_of(
    error: Exception, columns: Iterable[ColumnReference], tables: QueryTables
) -> str:
    """Return why a query failed, and which columns it could have used.

    `columns` are those that the query refers to. The first line of DuckDB's error is followed
    by sentences such as `the table t has the columns city, _line`.
    """
    # DuckDB raises `BinderException` for a column that it does not know. A column whose
    # form is in doubt is known only by another name: `amount as written`.
    uncertain_columns = _notes_on_uncertain(columns, tables)
    if uncertain_columns and isinstance(error, duckdb.BinderException):
        return "; ".join(uncertain_columns)
    parts = [str(error).partition("\n")[0]]
    for name, table in tables.by_name.items():
        names = ", ".join(list(table.columns.sql)[:SHOWN_COLUMNS])
        parts.append(f"the table {name} has the columns {names}")
    return "; ".join(parts)


def _notes_on_uncertain(
    columns: Iterable[ColumnReference], tables: QueryTables
) -> list[str]:
    """Return what the error tells of each column whose form is in doubt, and its other names.

    `amount is not certain, as ...; "amount as written" is its text`.
    """
    reasons: dict[str, None] = {}  # A set with an order.
    for column in columns:
        for table in tables.possible_tables(column):
            reason = table.columns.uncertain.get(column.name)
            if reason:
                reasons[reason] = None
    return list(reasons)
