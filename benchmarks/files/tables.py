"""Load CSV, TSV and JSON Lines files into DuckDB and run SQL queries on them.

A file is loaded in two steps. Its rows become a raw table, in which all cells are
texts. Then each column becomes a column of numbers or dates if its cells can be read in
one way (see `column_forms`). Any other column stays text, and DuckDB refuses to compute
with it. If two readings are possible, as with `1,234`, queries can use the column only
as `NAME as written`, which is its text.

This runs in the trial's worker process, which imports the module before it isolates
itself.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import count
from typing import Any, Final

import duckdb
from fsspec.implementations.memory import MemoryFileSystem

from controlplane.benchmarks.files.column_forms import (
    FORMS,
    ColumnForm,
    ColumnSummary,
    form_of,
    reading,
    summarize,
)
from controlplane.benchmarks.files.csv_rows import (
    UnfitRows,
    csv_rows,
    layout_of,
    normal_lines,
)
from controlplane.benchmarks.files.file_suffixes import (
    JSON_LINES_SUFFIXES,
    TAB_SUFFIXES,
)
from controlplane.benchmarks.files.written_values import written_value
from controlplane.sandbox.interface import CallError, Plain, bounds, error_codes

LINE: Final = "_line"
"""The name of an extra column: the line of the file on which a row begins."""
RAW_TABLE: Final = "raw_table"
"""The DuckDB table with the cells of the file that is being loaded, all as texts. Its
columns are LINE, c0, c1 and so on."""
RAW_FILE: Final = "/table.csv"
"""The in-memory file from which DuckDB loads the raw table."""
MAX_CELL_CHARS: Final = 16_000_000
"""The most characters of one cell, and of one line in DuckDB: larger than any
searchable file."""
MAX_CONTENT_CHARS: Final = 300_000
"""The most characters of a result as CSV text, which a script gets in addition to the
rows."""
SHOWN_COLUMNS: Final = 40
"""The most columns that an error message names for each table."""

# The worker process isolates itself after its imports. Then it can neither open files
# nor start threads, so the database is opened here, with one thread, and reads files
# only from memory.
files: Final = MemoryFileSystem()
database: Final = duckdb.connect(
    ":memory:", config={"threads": 1, "python_enable_replacements": False}
)
database.register_filesystem(files)
csv.field_size_limit(MAX_CELL_CHARS)

_table_numbers: Final = count()


class Table:
    """The rows of one file, loaded into a DuckDB table.

    Created when a script first reads the file as a table; `query` may then be called
    many times.
    """

    def __init__(self, path: str, text: str, stated_form: str = "") -> None:
        """Load the table from a file's text.

        `stated_form` settles how ambiguous numbers and dates are read, such as `decimal
        comma`. Raises `CallError` if the text is not a table.
        """
        self.path = path
        self._table_name = f"table_{next(_table_numbers)}"
        rows = _RowWriter()
        try:
            rows.write_file(path, text)
            _load_raw_table(len(rows.names))
        except (csv.Error, duckdb.Error, ValueError) as error:
            msg = f"{path} cannot be read as a table, near line {rows.line}: {error}"
            raise CallError(error_codes.INVALID_ARGUMENT, msg) from None
        self.names = rows.names
        """The columns of the file."""
        self.assumed = rows.assumed
        """How the file was read, such as `cells are separated by semicolons`."""
        self.doubts = rows.doubts()
        """What its author may have meant differently."""

        # The columns that queries can use. A column of the file may appear both as text
        # and as number.
        columns = [_QueryColumn(LINE, LINE, is_text=False)]
        self.forms: dict[str, Plain] = {}
        """How each column's cells are read, or why that is uncertain, by its name in
        the file."""
        self.uncertain: dict[str, str] = {}
        """Columns that cannot be queried by their plain names: the reason by the name,
        case-folded."""
        column_forms = _column_forms(rows, path, stated_form)
        for number, (name, column_form) in enumerate(
            zip(self.names, column_forms, strict=True)
        ):
            columns += _query_columns(name, f"c{number}", column_form)
            note = _form_note(name, column_form)
            if note:
                self.forms[name] = note
            if column_form.doubt:
                self.uncertain[name.casefold()] = f"{name} is {note}"

        sql_of_column = {column.name: column.sql for column in columns}
        self.columns = list(sql_of_column)
        """The names of the columns that queries can use."""
        self.text_columns = {
            column.name.casefold() for column in columns if column.is_text
        }
        """The case-folded names of those columns that hold text. (DuckDB ignores case
        in names.)"""
        self._create(sql_of_column)

    def _create(self, sql_of_column: Mapping[str, str]) -> None:
        """Create the table that queries read from the raw table, and drop the raw
        table."""
        selected = ", ".join(
            f"{sql} as {_quoted(name)}" for name, sql in sql_of_column.items()
        )
        database.execute(
            f"create temp table {self._table_name} as select {selected} from {RAW_TABLE}"
        )
        database.execute(f"drop table {RAW_TABLE}")

    def show_as(self, name: str) -> None:
        """Let queries refer to the table as `name`."""
        database.execute(
            f"create or replace temp view {_quoted(name)} as from {self._table_name}"
        )

    def drop(self) -> None:
        """Free the memory of the table."""
        database.execute(f"drop table {self._table_name}")

    def query(
        self, sql: str, limit: int, open_table: Callable[[str], Table]
    ) -> dict[str, Plain]:
        """Run an SQL query that refers to this table as `t`, and return its first rows.

        `open_table` opens another file that the query names by its path, as in `from
        '/b.csv'`. Raises `CallError`.
        """
        if limit > bounds.MOST_TABLE_ROWS:
            msg = (
                f"limit is at most {bounds.MOST_TABLE_ROWS:,} rows: the rows can be fewer by where and group, "
                f'or go on with sql="select ... offset {bounds.MOST_TABLE_ROWS}"'
            )
            raise CallError(error_codes.INVALID_ARGUMENT, msg)
        max_rows = limit if limit > 0 else bounds.MOST_TABLE_ROWS
        query = _Query(sql, self)
        try:
            query.prepare(open_table)
            result = query.run(max_rows)
        except (duckdb.Error, ValueError) as error:
            msg = f"the query failed: {query.reason_of(error)}"
            raise CallError(error_codes.INVALID_ARGUMENT, msg) from None
        return _call_result(query, result)

    def lines_of(self, result: _QueryResult) -> list[Plain]:
        """Return the line of the file for each row of a result, so that a script can
        cite it.

        Return an empty list if any row is not taken unchanged from one line, such as a
        sum.
        """
        has_only_stored_columns = set(result.names) <= set(self.columns)
        if LINE not in result.names or not has_only_stored_columns:
            return []
        line_position = result.names.index(LINE)
        lines = [row[line_position] for row in result.rows]
        if not all(isinstance(line, int) for line in lines):
            return []

        # A query can give a computed value the name of a column, as in `amount * 2 as
        # amount`. So the same columns are read from the table at these lines, and
        # compared.
        columns = ", ".join(_quoted(name) for name in result.names)
        stored_rows = database.execute(
            f"select {columns} from {self._table_name} where {LINE} in (select unnest($1::bigint[]))",
            [lines],
        ).fetchall()
        stored_row_of_line = {row[line_position]: row for row in stored_rows}
        for line, row in zip(lines, result.rows, strict=True):
            if stored_row_of_line.get(line) != row:
                return []
        return list[Plain](lines)


# The columns of a table


@dataclass(frozen=True, slots=True)
class _QueryColumn:
    """A column that queries can use."""

    name: str
    sql: str
    """The SQL expression for its value, computed from a column of the raw table."""
    is_text: bool


def _query_columns(name: str, cell: str, column_form: ColumnForm) -> list[_QueryColumn]:
    """Return the columns that queries can use for one column of the file.

    `cell` is the column of the raw table that holds its text, such as `c0`. A column
    `amount` whose form is certain stays `amount`. Otherwise it becomes `amount as
    written` (its text) and, if it has a few words among numbers, also `amount as
    number`, in which words are null.
    """
    value = reading(column_form.form, cell)
    if not column_form.doubt:
        return [_QueryColumn(name, value, is_text=not column_form.form)]
    columns = [_QueryColumn(f"{name} as written", cell, is_text=True)]
    if column_form.offers_number:
        columns.append(_QueryColumn(f"{name} as number", value, is_text=False))
    return columns


def _form_note(name: str, column_form: ColumnForm) -> str:
    """Return the text that tells a script how a column is read; empty for a text
    column."""
    if not column_form.doubt:
        return column_form.description
    note = f'not certain, as {column_form.doubt}; "{name} as written" is its text'
    if column_form.offers_number:
        note += f', "{name} as number" is null there'
    return note


def _column_forms(rows: _RowWriter, path: str, stated_form: str) -> list[ColumnForm]:
    """Return the form of each column of the raw table."""
    summaries = []
    for number, _ in enumerate(rows.names):
        summaries.append(summarize(database, RAW_TABLE, f"c{number}"))
    preferred_forms = _preferred_forms(path, stated_form, summaries)

    column_forms = []
    for number, summary in enumerate(summaries):
        column_form = form_of(summary, preferred_forms)
        is_certain = bool(column_form.form) and not column_form.doubt
        # In a row with too many cells, a number such as `1,200` may have been split at
        # its comma.
        if is_certain and rows.unfit.may_be_split(number):
            doubt = f"line {rows.unfit.longer[0]} has more cells than the header"
            column_form = ColumnForm(column_form.form, doubt=doubt, offers_number=True)
        column_forms.append(column_form)
    return column_forms


def _preferred_forms(
    path: str, stated_form: str, summaries: list[ColumnSummary]
) -> list[str]:
    """Return the forms to use for cells that fit several forms, such as `1,234`."""
    stated_forms = [form for form in FORMS if form in stated_form]
    if stated_forms:
        return stated_forms
    if ".xlsx/" in path.lower():
        return [
            "decimal point"
        ]  # The texts of a workbook's sheets are written with it.
    decimal_marks = _certain_decimal_marks(summaries)
    if len(decimal_marks) == 1:
        return list(decimal_marks)
    return []


def _certain_decimal_marks(summaries: list[ColumnSummary]) -> set[str]:
    """Return the decimal marks that are certain in some column of the file.

    A column with `1.5` and `0.25` shows that the decimal mark is a point.
    """
    certain_marks = set()
    for summary in summaries:
        if len(summary.decimal_marks) == 1:
            certain_marks.add(summary.decimal_marks[0])
    return certain_marks


# Reading a file's rows


class _RowWriter:
    """Writes the rows of a file to `RAW_FILE` and records how they were read.

    `Table` creates one while it loads a file. All its attributes are complete after
    `write_file`.
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        """The column names, all different. Rows wider than the header add names."""
        self.line = 1
        """The line that is being read, for error messages."""
        self.assumed: list[str] = []
        """How the file was read, such as `cells are separated by tabs`."""
        self.unfit = UnfitRows()
        """The rows whose number of cells differs from the header's, and other irregular
        rows."""
        self._header_width = (
            0  # JSON Lines have no header, and no rows that do not fit it.
        )
        self._layout_doubts: list[str] = []

    def doubts(self) -> list[str]:
        """Return what the author of the file may have meant differently."""
        return [*self._layout_doubts, *self.unfit.doubts(self._header_width)]

    def write_file(self, path: str, text: str) -> None:
        """Write all rows of a file. Raises `ValueError` or `csv.Error` if it is not a
        table."""
        if path.lower().endswith(JSON_LINES_SUFFIXES):
            rows = self._json_rows(text)
        else:
            is_tab_separated = path.lower().endswith(TAB_SUFFIXES)
            rows = self._csv_rows(text, is_tab_separated=is_tab_separated)
        with files.open(
            RAW_FILE, "w", encoding="utf-8", errors="replace", newline=""
        ) as raw_file:
            csv.writer(raw_file, lineterminator="\n").writerows(rows)
        if not self.names:
            msg = "its first line names no columns"
            raise ValueError(msg)

    def _csv_rows(self, text: str, *, is_tab_separated: bool) -> Iterator[list[Any]]:
        """Yield the line of each row, followed by its cells: `[2, "Berlin", "1,5"]`."""
        text = normal_lines(text)
        layout = layout_of(text, is_tab_separated=is_tab_separated)
        self.assumed = layout.assumed
        self._layout_doubts = layout.doubts
        self._header_width = len(layout.names)
        self._add_columns(layout.names)
        for row in csv_rows(text, layout, self.unfit):
            self.line = row.line
            yield [row.line, *row.cells]
        # Rows that are longer than the header have further cells, which need columns.
        for number in range(len(self.names) + 1, self.unfit.most_cells + 1):
            self._add_columns([f"column_{number}"])

    def _json_rows(self, text: str) -> Iterator[list[Any]]:
        """Yield the line of each object, followed by its values in the order of the
        columns.

        A key that first appears in a later object becomes a further column.
        """
        column_keys: dict[str, None] = {}
        for line, json_text in enumerate(io.StringIO(text, newline="\n"), start=1):
            self.line = line
            if not json_text.strip():
                continue
            value = json.loads(json_text)
            record = value if isinstance(value, dict) else {"value": value}
            for key in record:
                if key not in column_keys:
                    column_keys[key] = None
                    self._add_columns([key])
            cells = [_json_cell(record.get(key)) for key in column_keys]
            yield [line, *cells]

    def _add_columns(self, names: Iterable[str]) -> None:
        """Add columns. A column gets a numbered name if its own is empty or already in
        use.

        Raises `ValueError` if there are too many columns.
        """
        for name in names:
            number = len(self.names) + 1
            if number > bounds.MOST_COLUMNS:
                msg = f"there are more than {bounds.MOST_COLUMNS} columns"
                raise ValueError(msg)
            plain_name = (
                " ".join(name.replace("\ufeff", "").split()) or f"column_{number}"
            )
            taken_names = {taken_name.casefold() for taken_name in (*self.names, LINE)}
            if plain_name.casefold() in taken_names:
                plain_name = f"{plain_name}_{number}"
            self.names.append(plain_name)


def _json_cell(value: Any) -> str | None:
    """Return a JSON value as text; None for null."""
    if value is None or isinstance(value, str):
        return value
    return written_value(value)


def _load_raw_table(width: int) -> None:
    """Load `RAW_FILE` into the raw table, which has `width` columns besides LINE."""
    columns = [f"'{LINE}': 'bigint'"]
    for number in range(width):
        columns.append(f"'c{number}': 'varchar'")
    # `RAW_FILE` was written by the `csv` module, so its form is known. A short row gets
    # nulls.
    options = [
        f"columns={{{', '.join(columns)}}}",
        "auto_detect=false",
        "header=false",
        "delim=','",
        "quote='\"'",
        "escape='\"'",
        "new_line='\\n'",
        "nullstr=''",
        "null_padding=true",
        "parallel=false",
        f"max_line_size={MAX_CELL_CHARS}",
    ]
    database.execute(
        f"create or replace temp table {RAW_TABLE} as "
        f"from read_csv('memory://{RAW_FILE}', {', '.join(options)})"
    )
    files.rm(RAW_FILE)


# Asking queries


def select_statement(columns: str, where: str, group: str, order: str) -> str:
    """Return the query built from a call's clauses: `select city, _line from t where
    amount > 5`.

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


@dataclass(frozen=True, slots=True)
class _ColumnReference:
    """A column as a query refers to it: `amount`, or `t.amount`."""

    folded_name: str
    table_name: str
    """The table or alias before the dot; empty if there is none."""

    @classmethod
    def of_node(cls, node: dict[str, Any]) -> _ColumnReference | None:
        """Return the column that a node of a syntax tree names, if any.

        Such a node has `"column_names": ["t", "amount"]`, or only `["amount"]`.
        """
        names = node.get("column_names")
        if not names:
            return None
        table_name = names[-2] if len(names) > 1 else ""
        return cls(names[-1].casefold(), table_name)


@dataclass(frozen=True, slots=True)
class _QueryResult:
    """The first rows of a query's result."""

    names: list[str]
    """The column names, all different."""
    rows: list[tuple[Any, ...]]
    total: int
    """The number of rows in the whole result."""


class _Query:
    """An SQL query, and the tables and columns that it refers to.

    Created for one call: first `prepare`, then `run`. `reason_of` explains a failure of
    either.
    """

    def __init__(self, sql: str, table: Table) -> None:
        self.sql = sql
        self.table = table
        """The table of the call, which the query refers to as `t`."""
        self.tables = {"t": table}
        """All tables of the query: this one by `t`, the others by their paths."""
        self._table_of_alias = {"t": table}
        """The same tables by the name used before a column: `b` after `from '/b.csv' as
        b`."""
        self._columns: list[_ColumnReference] = []
        """The columns that the query refers to, in any of the tables."""

    def prepare(self, open_table: Callable[[str], Table]) -> None:
        """Check the query and open the tables that it names.

        Raises `ValueError` or `duckdb.Error` for a query that must not run.
        """
        self.table.show_as("t")
        statements = database.extract_statements(self.sql)
        types = [statement.type for statement in statements]
        if types != [duckdb.StatementType.SELECT]:
            msg = "one SELECT statement is run"
            raise ValueError(msg)

        nodes = _nodes_of_statement(self.sql)
        for node in nodes:
            if "table_name" in node:
                self._open_table_of(node, open_table)
            column = _ColumnReference.of_node(node)
            if column:
                self._columns.append(column)
        self._refuse_texts_as_numbers(nodes)

    def _open_table_of(
        self, node: dict[str, Any], open_table: Callable[[str], Table]
    ) -> None:
        """Open the file that a node names as a table, and note the table's alias."""
        name = node["table_name"]
        is_path = "/" in name or "." in name
        if is_path:
            self.tables[name] = open_table(name)
            self.tables[name].show_as(name)
        if name in self.tables:
            alias = node.get("alias") or name
            self._table_of_alias[alias] = self.tables[name]

    def _refuse_texts_as_numbers(self, nodes: list[dict[str, Any]]) -> None:
        """Raise `ValueError` if the query compares a text column with a number.

        DuckDB would convert the texts to numbers without a warning.
        """
        for column in _columns_compared_with_numbers(nodes):
            for table in self._possible_tables(column):
                if column.folded_name in table.text_columns:
                    msg = f"{column.folded_name} is text: compare it with a text in quotes"
                    raise ValueError(msg)

    def _possible_tables(self, column: _ColumnReference) -> list[Table]:
        """Return the tables that may contain a column: the one named before it, or else
        all."""
        if column.table_name in self._table_of_alias:
            return [self._table_of_alias[column.table_name]]
        return list(self._table_of_alias.values())

    def run(self, max_rows: int) -> _QueryResult:
        """Return the first rows of the result and the number of all rows. Raises
        `duckdb.Error`."""
        cursor = database.execute(self.sql)
        names: list[str] = []
        for column in cursor.description:
            name = column[0]
            if name in names:
                name = f"{name}_{len(names) + 1}"
            names.append(name)

        rows = cursor.fetchmany(max_rows + 1)
        total = len(rows)
        if total > max_rows:
            without_end = self.sql.rstrip().rstrip(";")
            database.execute(f"create or replace temp view counted as {without_end}")
            counted = database.execute("select count(*) from counted").fetchone()
            total = counted[0] if counted else total
        return _QueryResult(names, rows[:max_rows], total)

    def reason_of(self, error: Exception) -> str:
        """Return why the query failed, and which columns it could have used."""
        uncertain_columns: list[str] = []
        for column in self._columns:
            for table in self._possible_tables(column):
                doubt = table.uncertain.get(column.folded_name)
                if doubt and doubt not in uncertain_columns:
                    uncertain_columns.append(doubt)
        if uncertain_columns and isinstance(error, duckdb.BinderException):
            return "; ".join(uncertain_columns)

        parts = [str(error).partition("\n")[0]]
        for name, table in self.tables.items():
            columns = ", ".join(table.columns[:SHOWN_COLUMNS])
            parts.append(f"the table {name} has the columns {columns}")
        return "; ".join(parts)


def _nodes_of_statement(sql: str) -> list[dict[str, Any]]:
    """Return all nodes of the syntax tree of a statement, as parsed by DuckDB."""
    row = database.execute("select json_serialize_sql(?::varchar)", [sql]).fetchone()
    if row is None:
        return []
    return list(_nodes_below(json.loads(row[0])))


def _nodes_below(tree: Any) -> Iterator[dict[str, Any]]:
    """Yield a node of a syntax tree, and all nodes below it."""
    if isinstance(tree, dict):
        yield tree
        for branch in tree.values():
            yield from _nodes_below(branch)
    elif isinstance(tree, list):
        for branch in tree:
            yield from _nodes_below(branch)


def _columns_compared_with_numbers(
    nodes: list[dict[str, Any]],
) -> Iterator[_ColumnReference]:
    """Yield the columns that a statement compares with numbers: `amount` for `amount =
    5`.

    DuckDB's node for this comparison is

        {"type": "COMPARE_EQUAL",
         "left": {"column_names": ["amount"]},
         "right": {"literal": {"kind": "INTEGER"}}}

    Comparisons with several values, such as `amount in (5, 6)`, have a list `children`
    instead.
    """
    for node in nodes:
        if not str(node.get("type")).startswith("COMPARE_"):
            continue
        operands = list(node.get("children", ()))
        for side in ("left", "right"):
            if side in node:
                operands.append(node[side])
        if not any(_is_number(operand) for operand in operands):
            continue
        for operand in operands:
            column = _ColumnReference.of_node(operand)
            if column:
                yield column


def _is_number(operand: dict[str, Any]) -> bool:
    return operand.get("literal", {}).get("kind") in ("INTEGER", "NUMERIC")


# The result of a query


def _call_result(query: _Query, result: _QueryResult) -> dict[str, Plain]:
    """Return a call's result: the rows as dicts and CSV, their lines, and how files
    were read."""
    # `amount as written` is shown as `amount`. If a query asks for both, a row as a
    # dict has the last.
    shown_names = []
    for name in result.names:
        if name != LINE:
            shown_names.append(name.removesuffix(" as written"))
    content = io.StringIO()
    writer = csv.writer(content, lineterminator="\n")
    writer.writerow(shown_names)
    rows: list[Plain] = []
    for row in result.rows:
        cells = []
        for name, cell in zip(result.names, row, strict=True):
            if name != LINE:
                cells.append(_plain(cell))
        start = content.tell()
        writer.writerow(cells)
        if content.tell() > MAX_CONTENT_CHARS:
            # This row exceeds the limit. Remove it from the text again, and leave out
            # all later rows.
            content.seek(start)
            content.truncate()
            break
        rows.append(dict(zip(shown_names, cells, strict=True)))
    if result.rows and not rows:
        msg = f"one row has more than {MAX_CONTENT_CHARS:,} characters: select fewer columns, or parts of them"
        raise CallError(error_codes.RESOURCE_EXHAUSTED, msg)
    return {
        "path": query.table.path,
        "content": content.getvalue(),
        "rows": rows,
        "columns": list[Plain](query.table.names),
        "lines": query.table.lines_of(result)[: len(rows)],
        "total": result.total,
        "truncated": len(rows) < result.total,
        "forms": _forms(query),
        **_notes(query),
    }


def _forms(query: _Query) -> dict[str, Plain]:
    """Return how the columns of all tables are read. Keys of other files start with
    their path."""
    forms: dict[str, Plain] = {}
    for table in query.tables.values():
        if table is query.table:
            continue
        for name, form in table.forms.items():
            forms[f"{table.path} {name}"] = form
    forms.update(query.table.forms)
    return forms


def _notes(query: _Query) -> dict[str, Plain]:
    """Return what was assumed about the files, and what is uncertain."""
    assumed: list[Plain] = []
    doubts: list[Plain] = []
    for table in query.tables.values():
        assumed += [f"{table.path}: {note}" for note in table.assumed]
        doubts += [f"{table.path}: {note}" for note in table.doubts]
    return {"assumed": assumed, "doubts": doubts}


def _plain(cell: Any) -> Plain:
    """Convert a cell for scripts: whole numbers to int, other numbers to float, dates
    to text.

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
    return str(cell)


def _quoted(name: str) -> str:
    """Return a name quoted as an SQL identifier."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"'
