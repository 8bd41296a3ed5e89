"""Runs SQL queries on files as tables.

`harness.table("/sales.csv", where="amount > 5")` becomes `select * from t where amount > 5`.
This runs in the trial's worker process, which imports the module, and then gives up its
right to open files and to start threads.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any, Final, NamedTuple, TypeAlias

import duckdb
import re2

from controlplane.benchmarks.files.tables.loaded_table import Affected, Column, Table
from controlplane.benchmarks.files.tables.table_database import (
    LINE,
    database,
    different_names,
)
from controlplane.sandbox.interface import CallError, Plain, bounds, error_codes

# Finds the columns in an SQL query, by its syntax tree from DuckDB.
#
# The tree is JSON: for `amount > 5`, it has a node for the comparison, with a node for the
# column `amount` and one for the number below it. So a column that must not be compared with a
# number is found without reading SQL.

_Node: TypeAlias = dict[str, Any]
"""A node of a syntax tree."""


class _ColumnReference(NamedTuple):
    """A column as a query refers to it: `amount`, or `t.amount`."""

    name: str
    """The column's name, case-folded, because DuckDB ignores case in names."""
    table: str
    """The table or alias before the dot, as written; empty if there is none."""


def _nodes_of(sql: str) -> list[_Node]:
    """Return all nodes of the syntax tree of a statement."""
    [(tree,)] = database.execute(
        "select json_serialize_sql(?::varchar)", [sql]
    ).fetchall()
    return list(_nodes_below(json.loads(tree)))


def _nodes_below(tree: Any) -> Iterator[_Node]:
    """Yield a node of a syntax tree, and all nodes below it."""
    if isinstance(tree, dict):
        yield tree
        for branch in tree.values():
            yield from _nodes_below(branch)
    elif isinstance(tree, list):
        for branch in tree:
            yield from _nodes_below(branch)


def _columns_in(nodes: Iterable[_Node]) -> list[_ColumnReference]:
    """Return the columns that nodes name: `"column_names": ["t", "amount"]`, or only `["amount"]`."""
    columns = []
    for node in nodes:
        *tables, name = node.get("column_names") or [""]
        if name:
            columns.append(
                _ColumnReference(name.casefold(), tables[-1] if tables else "")
            )
    return columns


_ORDER_NODES: Final = ("BETWEEN", "LESSTHAN", "GREATERTHAN")
"""Parts of the types of nodes that compare values by their order."""
_ORDER_FUNCTIONS: Final = (
    "min",
    "max",
    "arg_",
    "quantile",
    "median",
    "rank",
    "least",
    "greatest",
)
"""Parts of the names of functions whose results depend on the order of values."""


_SUMS: Final = ("sum", "avg", "mean")
"""Functions that add up values."""


class _QuerySyntax:
    """What is asked of the syntax tree of a query."""

    def __init__(self, sql: str) -> None:
        """Read a statement."""
        self.nodes = _nodes_of(sql)
        self.columns = _columns_in(self.nodes)
        self.has_star = any(node.get("class") == "STAR" for node in self.nodes)
        self.affected = {
            affected for node in self.nodes for affected in _affected_by(node)
        }
        """The remarks on columns that matter to it."""
        self.midnights = _columns_compared_with_midnight(self.nodes)
        """The columns that are compared with a day, case-folded, with the day."""


def _affected_by(node: _Node) -> Iterator[Affected]:
    """Yield on what the result of a node depends: the order of values, which are equal, sums."""
    function = str(node.get("function_name", ""))
    kind = str(node.get("type", ""))
    if (
        node.get("orders")
        or any(part in kind for part in _ORDER_NODES)
        or any(part in function for part in _ORDER_FUNCTIONS)
    ):
        yield Affected.ORDER
    if (
        kind.startswith(("COMPARE_", "DISTINCT_"))
        or node.get("group_expressions")
        or node.get("using_columns")
        or node.get("distinct") is True
    ):
        yield Affected.EQUALITY
    if function in _SUMS:
        yield Affected.SUMS


def _comparisons(nodes: list[_Node]) -> Iterator[tuple[str, list[_Node]]]:
    """Yield the type of each comparison in a statement, and what it compares.

    DuckDB's node for `amount = 5` is

        {"type": "COMPARE_EQUAL",
         "left": {"column_names": ["amount"]},
         "right": {"literal": {"kind": "INTEGER"}}}

    Comparisons with several values, such as `amount in (5, 6)`, have a list `children`
    instead of `left` and `right`, and `amount between 5 and 6` has an `input` and two ends.
    """
    for node in nodes:
        kind = str(node.get("type"))
        if not kind.startswith("COMPARE_"):
            continue
        operands = list(node.get("children", ()))
        for side in ("left", "right", "input", "lower", "upper"):
            if side in node:
                operands.append(node[side])
        yield kind, operands


def _columns_compared_with_numbers(nodes: list[_Node]) -> Iterator[_ColumnReference]:
    """Yield the columns that a statement compares with numbers: `amount` for `amount = 5`."""
    for _kind, operands in _comparisons(nodes):
        if any(_is_number(operand) for operand in operands):
            yield from _columns_in(operands)


_RIGHT_AT_MIDNIGHT: Final = ("COMPARE_LESSTHAN", "COMPARE_GREATERTHANOREQUALTO")
"""Comparisons of a time with a day that mean the whole day: `sent < '2025-02-01'`."""
_DAY: Final = re2.compile(r"\d{4}-\d\d?-\d\d?")


def _columns_compared_with_midnight(nodes: list[_Node]) -> dict[str, str]:
    """Return the columns that are compared with the begin of a day, which may be meant as a whole.

    `sent <= '2025-01-31'` -> `{"sent": "2025-01-31"}`
    """
    days = {}
    for kind, operands in _comparisons(nodes):
        if kind in _RIGHT_AT_MIDNIGHT:
            continue
        for node in _nodes_below(operands):
            text = str(node.get("text", ""))
            if _DAY.fullmatch(text) is not None:
                for column in _columns_in(operands):
                    days[column.name] = text
    return days


def _is_number(operand: _Node) -> bool:
    return operand.get("literal", {}).get("kind") in ("INTEGER", "NUMERIC")


# The tables that an SQL query names, and what a script should know about them.
#
# In `select b.city from t join '/b.csv' as b`, the table `t` is that of the call, and the
# other one is the file `/b.csv`, with the alias `b`. The query's result tells how both were read.

_OWN_NAME: Final = "t"
"""How queries name the table of the call."""


class _QueryTables:
    """The tables of one query: first only that of the call, then those that `open_files` opens."""

    def __init__(self, own_table: Table) -> None:
        """`own_table` is the table of the call."""
        self._own_table = own_table
        self.by_name = {_OWN_NAME: own_table}
        """Each table by its name after `from`: `t`, or a path such as `/b.csv`."""
        self._by_alias = {_OWN_NAME: own_table}
        """The same tables by the name before a column: `b` in `b.city`, after `'/b.csv' as b`."""

    def open_files(
        self, nodes: Iterable[_Node], open_table: Callable[[str], Table]
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

    def possible_tables(self, column: _ColumnReference) -> list[Table]:
        """Return the tables that may contain a column: for `b.city` that of `b`, else all."""
        if column.table in self._by_alias:
            return [self._by_alias[column.table]]
        return list(self._by_alias.values())

    def columns_of(self, references: Iterable[_ColumnReference]) -> Iterator[Column]:
        """Yield the columns of the files that a query names."""
        for reference in references:
            for table in self.possible_tables(reference):
                column = table.columns.get(reference.name)
                if column is not None:
                    yield column

    def notes(self, query: _QuerySyntax) -> dict[str, Plain]:
        """Return what is told of the tables, as fields of the query's result.

        They are how all columns are read (`forms`, `{"amount": "numbers: 3 of 3 cells"}`), what
        was assumed about the files, and what is uncertain (`doubts`). `told` has what matters of it
        for this query, as lines for whoever reads the step.
        """
        forms: dict[str, Plain] = {}
        assumed: list[Plain] = []
        doubts: list[Plain] = []
        told: list[Plain] = []
        for table in dict.fromkeys(self.by_name.values()):
            used_names = self._used_columns(table, query)
            remarks = list(_remarks(table, used_names, query))
            assumed += [f"{table.path}: {note}" for note in table.assumed]
            doubts += [
                f"{table.path}: {note}"
                for note in (*table.doubts_on(table.names), *remarks)
            ]
            told += _told(table, used_names, remarks)
            # Columns of the call's own table are named without its path.
            prefix = "" if table is self._own_table else f"{table.path} "
            for column in table.columns.values():
                forms[f"{prefix}{column.name}"] = column.note
        return {"forms": forms, "assumed": assumed, "doubts": doubts, "told": told}

    def _used_columns(self, table: Table, query: _QuerySyntax) -> list[str]:
        """Return the columns of a table's file that a query uses: all of them for `*`."""
        if query.has_star:
            return table.names
        used = {
            column.name
            for column in query.columns
            if table in self.possible_tables(column)
        }
        suffixes = ("", " as written", " as number")
        return [
            name
            for name in table.names
            if any(f"{name}{suffix}".casefold() in used for suffix in suffixes)
        ]


def _remarks(
    table: Table, used_names: Sequence[str], query: _QuerySyntax
) -> Iterator[str]:
    """Yield what may mislead this query, while others are not affected."""
    affected = set(query.affected)
    used_columns = [table.columns[name.casefold()] for name in used_names]
    if Affected.SUMS in affected and any(column.is_unsigned for column in used_columns):
        affected.add(Affected.UNSIGNED_SUMS)
    for column in table.columns.values():
        is_used = column.name in used_names
        for remark in column.remarks:
            is_on_other_columns = remark.affected in (
                Affected.SUMS,
                Affected.UNSIGNED_SUMS,
            )
            if remark.affected in affected and is_used != is_on_other_columns:
                yield f"{column.name} {remark.text}"
        day = query.midnights.get(column.name.casefold())
        if is_used and column.has_hours and day is not None:
            yield f"{column.name} has times: {day!r} is the midnight at which that day begins"


_TOLD_COLUMNS: Final = 12
"""The most columns of a table of which a step tells what they were read as."""


def _told(
    table: Table, used_names: Sequence[str], remarks: Iterable[str]
) -> Iterator[Plain]:
    """Yield the lines of a step on a table: what the used columns were read as, and doubts.

    `/a.csv: city = text: 3 of 3 cells | amount = numbers: 3 of 3 cells`
    """
    notes = {
        name: table.columns[name.casefold()].note for name in used_names[:_TOLD_COLUMNS]
    }
    forms = [f"{name} = {note}" for name, note in notes.items()]
    if len(used_names) > _TOLD_COLUMNS:
        forms.append(f"{len(used_names) - _TOLD_COLUMNS:,} more columns in .forms")
    if forms:
        yield f"{table.path}: {' | '.join(forms)}"
    told = {f"{name} is {note}" for name, note in notes.items()}
    for doubt in (*table.doubts_on(used_names), *remarks):
        if doubt not in told:
            yield f"{table.path}: {doubt}"


# Why a query must not run, or has failed, in words that tell a script what to write instead.
#
# For example, `price is text: compare it with a text in quotes`. The texts are shown to a
# model, which then writes another query.

_SHOWN_COLUMNS: Final = 40
"""The most columns that an error message names for each table."""


def _check_one_select(sql: str) -> None:
    """Raise `ValueError` unless a text is one SELECT statement; `duckdb.Error` if it is no SQL."""
    statements = database.extract_statements(sql)
    types = [statement.type for statement in statements]
    if types != [duckdb.StatementType.SELECT]:
        msg = "one SELECT statement is run"
        raise ValueError(msg)


def _check_no_text_as_number(nodes: list[_Node], tables: _QueryTables) -> None:
    """Raise `ValueError` if a query compares a text column with a number.

    DuckDB would convert the texts to numbers without a warning.
    """
    for column in _columns_compared_with_numbers(nodes):
        for table in tables.possible_tables(column):
            if any(column.name == own.text_name for own in table.columns.values()):
                msg = f"{column.name} is text: compare it with a text in quotes"
                raise ValueError(msg)


def _check_no_offset(query: _QuerySyntax, tables: _QueryTables) -> None:
    """Raise `ValueError` if a query has a time with an offset for stamps that are read without it.

    DuckDB would leave out the offset without a warning.
    """
    for node in query.nodes:
        text = node.get("text") if node.get("kind") == "STRING" else None
        if text is None or _TIME_WITH_OFFSET.search(text) is None:
            continue
        for column in tables.columns_of(query.columns):
            offset = column.common_offset
            if offset and not column.doubt:
                msg = (
                    f"the times of {column.name.casefold()} are all at {offset}, and read without it: "
                    f"write a time at {offset} without its offset, not {text!r}"
                )
                raise ValueError(msg)


_TIME_WITH_OFFSET: Final = re2.compile(
    r":\d\d(?:\.\d+)? ?(?:[Zz]|[+-]\d\d:?(?:\d\d)?)$"
)


def _reason_of(
    error: Exception, references: Iterable[_ColumnReference], tables: _QueryTables
) -> str:
    """Return why a query failed, and which columns it could have used.

    `references` are the columns that the query names. The first line of DuckDB's error is followed
    by what columns of texts were read as, `x = text, as '007' is a code`, and by sentences such as
    `the table t has the columns city, _line`.
    """
    columns = list(dict.fromkeys(tables.columns_of(references)))
    # DuckDB raises `BinderException` for a column that it does not know. A column whose
    # form is in doubt is known only by another name: `amount as written`.
    uncertain = [
        f"{column.name} is {column.note}" for column in columns if column.doubt
    ]
    if uncertain and isinstance(error, duckdb.BinderException):
        return "; ".join(uncertain)
    # A query that adds up texts fails.
    texts = [column for column in columns if column.text_name == column.name.casefold()]
    parts = [str(error).partition("\n")[0]]
    parts += [f"{column.name} = {column.note}" for column in texts]
    for name, table in tables.by_name.items():
        names = ", ".join(table.query_names[:_SHOWN_COLUMNS])
        parts.append(f"the table {name} has the columns {names}")
    if isinstance(error, duckdb.ParserException):
        parts += _words_of_sql(tables)
    return "; ".join(parts)


def _words_of_sql(tables: _QueryTables) -> Iterator[str]:
    """Yield which names of columns a query has to quote: `at is a word of SQL: write "at"`."""
    rows = database.execute(
        "select keyword_name from duckdb_keywords() "
        "where keyword_category in ('reserved', 'type_function')"
    ).fetchall()
    words = {word for (word,) in rows}
    for table in tables.by_name.values():
        for name in table.query_names:
            if name.casefold() in words:
                yield f'{name} is a word of SQL: write "{name}"'


# The result of a query, as a script gets it: its rows as dicts, and as CSV text.
#
# A script uses the dicts (`row["city"]`), and what it prints of the text is evidence for its
# answer. A query may also select the line of each row in the file, the column `_line`. It is used
# for citations, and is not shown as a column.

_MAX_CONTENT_CHARS: Final = 300_000
"""The most characters of a result as CSV text. A script gets this text and the rows."""


def _shown_rows(
    names: list[str], rows: list[tuple[Any, ...]]
) -> tuple[list[Plain], str]:
    """Return as many rows as fit in a result, as dicts and as CSV.

    Names `city`, `_line` and the row `("Graz", 2)` -> the dict `{"city": "Graz"}`, and CSV with
    the lines `city` and `Graz`. Raises `CallError` if not even one fits.
    """
    places = [place for place, name in enumerate(names) if name != LINE]
    shown_names = [_shown_name(names[place]) for place in places]
    content = io.StringIO()
    writer = csv.writer(content, lineterminator="\n")
    writer.writerow(shown_names)
    shown_rows: list[Plain] = []
    for row in rows:
        cells = [_plain(row[place]) for place in places]
        start = content.tell()
        writer.writerow(cells)
        if content.tell() > _MAX_CONTENT_CHARS:
            # Remove this row from the text, and leave out all later ones.
            content.seek(start)
            content.truncate()
            break
        # Of columns that are shown by the same name, a dict has only the last one.
        shown_rows.append(dict(zip(shown_names, cells, strict=True)))
    if rows and not shown_rows:
        msg = f"one row has more than {_MAX_CONTENT_CHARS:,} characters: select fewer columns, or parts of them"
        raise CallError(error_codes.RESOURCE_EXHAUSTED, msg)
    return shown_rows, content.getvalue()


def _shown_name(name: str) -> str:
    """Return how a column is named in the result: `amount` for `amount as written`.

    Queries use the second name for a column of which it is in doubt how its numbers are written.
    """
    return name.removesuffix(" as written")


def _plain(cell: Any) -> Plain:
    """Convert a cell for scripts: whole numbers to int, other numbers to float, dates to text.

    A date becomes year-month-day: `2025-01-31`. Binary data becomes an empty text.
    """
    if isinstance(cell, Decimal | float):
        number = float(cell)
        if number.is_integer() and abs(number) < bounds.MOST_NUMBER:
            return int(number)
        return number
    if cell is None or isinstance(cell, str | int):
        return cell
    if isinstance(cell, bytes):
        return ""
    return str(_with_floats(cell))


def _with_floats(cell: Any) -> Any:
    """Return a list or a struct of a result with floats for its decimals: `[1.5]`."""
    if isinstance(cell, Decimal):
        return float(cell)
    if isinstance(cell, list):
        return [_with_floats(item) for item in cell]
    if isinstance(cell, dict):
        return {key: _with_floats(item) for key, item in cell.items()}
    return cell


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
    sql = f"select {selected} from {_OWN_NAME}"
    for keyword, clause in (("where", where), ("group by", group), ("order by", order)):
        if clause.strip():
            sql += f" {keyword} {clause}"
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
    tables = _QueryTables(table)
    columns: list[_ColumnReference] = []  # For the message, if the query fails.
    try:
        table.show_as(_OWN_NAME)
        _check_one_select(sql)
        query = _QuerySyntax(sql)
        tables.open_files(query.nodes, open_table)
        columns = query.columns
        _check_no_text_as_number(query.nodes, tables)
        _check_no_offset(query, tables)
        cursor = database.execute(sql)
        # These may be the names of `select a.city, b.city`.
        names = different_names(
            [column[0] for column in cursor.description], folded=str
        )
        # One row more than asked for shows whether there are more. Only then, all are counted.
        rows = cursor.fetchmany(max_rows + 1)
        total = len(rows)
        if total > max_rows:
            # A statement may end with a comment.
            database.execute(f"create or replace temp view counted as {sql}")
            [(total,)] = database.execute("select count(*) from counted").fetchall()
    except (duckdb.Error, ValueError) as error:
        msg = f"the query failed: {_reason_of(error, columns, tables)}"
        raise CallError(error_codes.INVALID_ARGUMENT, msg) from None
    rows = rows[:max_rows]
    shown_rows, content = _shown_rows(names, rows)
    return {
        "path": table.path,
        "content": content,
        "rows": shown_rows,
        "columns": list[Plain](table.names),
        "lines": table.lines_of(names, rows)[: len(shown_rows)],
        "total": total,
        "truncated": len(shown_rows) < total,
        **tables.notes(query),
    }
