"""Tables in DuckDB, made of CSV, TSV or JSON Lines, and queries of them, in the trial's worker.

A column that is certain to hold numbers or dates has them; any other holds text, with which DuckDB refuses to compute.
If a form is not certain, queries have the column as `NAME as written` alone. The worker imports this module before it
is isolated.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
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
    CsvLayout,
    UnfitRows,
    csv_rows,
    layout_of,
    normal_lines,
)
from controlplane.benchmarks.files.file_sources import (
    JSON_LINES_SUFFIXES,
    TAB_SUFFIXES,
    written_value,
)
from controlplane.sandbox.interface import CallError, Plain, bounds, error_codes

LINE: Final = "_line"
"""The column with the line of the file on which a row begins."""
LOADED: Final = "/table.csv"
MOST_CELL_CHARS: Final = 16_000_000
"""One cell, and for DuckDB one line: more than a file that is searched can hold."""
MOST_CONTENT_CHARS: Final = 300_000
"""The CSV text of a result, which a script gets beside its rows."""
SHOWN_COLUMNS: Final = 40

files: Final = MemoryFileSystem()
# Opened before the isolation begins; in one thread, which is all that the isolation allows.
database: Final = duckdb.connect(
    ":memory:", config={"threads": 1, "python_enable_replacements": False}
)
database.register_filesystem(files)
csv.field_size_limit(MOST_CELL_CHARS)

_table_numbers: Final = count()


class Table:
    """The rows of one file, in a table of its own."""

    def __init__(self, path: str, text: str, stated_form: str = "") -> None:
        """Make the table of a file's text.

        `stated_form` says of numbers and dates what is not certain, as `decimal comma`. Raises `CallError` for a text
        that is no table.
        """
        self.path = path
        self._table_name = f"table_{next(_table_numbers)}"
        rows = _rows_of(path, text)
        try:
            _write_rows(rows)
            _load_as_text(len(rows.names))
        except (csv.Error, duckdb.Error, ValueError) as error:
            msg = f"{path} cannot be read as a table, near line {rows.line}: {error}"
            raise CallError(error_codes.INVALID_ARGUMENT, msg) from None
        self.names = rows.names
        self.assumed = rows.assumed
        """What was found out about the file."""
        self.doubts = rows.doubts()
        """What may have been read in another way than its author meant."""
        self.forms: dict[str, Plain] = {}
        """By column, how its cells are read, or why that is not certain."""
        self.uncertain: dict[str, str] = {}
        """Columns that are offered as text alone, by folded name, and why."""
        self.columns: list[str] = []
        """The columns that queries have."""
        self.text_columns: set[str] = set()
        """Those that hold text, by folded name."""
        self._add_readings(_column_forms(rows, stated_form, _known_form(path)))

    def _add_readings(self, column_forms: list[ColumnForm]) -> None:
        """Make the table in which each column is read by its form."""
        readings = {LINE: LINE}
        for number, (name, column) in enumerate(zip(self.names, column_forms, strict=True)):
            cell = f"c{number}"
            if not column.doubt:
                readings[name] = reading(column.form, cell)
                if column.description:
                    self.forms[name] = column.description
                if not column.form:
                    self.text_columns.add(name.casefold())
                continue
            written_name = f"{name} as written"
            readings[written_name] = cell
            self.text_columns.add(written_name.casefold())
            note = f'not certain, as {column.doubt}; "{written_name}" is its text'
            if column.has_words and column.form:
                readings[f"{name} as number"] = reading(column.form, cell)
                note += f', "{name} as number" is null there'
            self.forms[name] = note
            self.uncertain[name.casefold()] = f"{name} is {note}"
        self.columns = list(readings)
        selected = ", ".join(f"{sql} as {_quoted(name)}" for name, sql in readings.items())
        database.execute(f"create temp table {self._table_name} as select {selected} from written")
        database.execute("drop table written")

    def show_as(self, name: str) -> None:
        """Let queries have the table as `name`."""
        database.execute(f"create or replace temp view {_quoted(name)} as from {self._table_name}")

    def drop(self) -> None:
        """Free the memory of the table."""
        database.execute(f"drop table {self._table_name}")

    def query(
        self, sql: str, limit: int, opened: Callable[[str], Table], **clauses: str
    ) -> dict[str, Plain]:
        """Return rows of a query of this table, as `t`, or of one that `where`, `columns`, `group`, `order` make.

        `opened` opens other files that the query names in place of a table. Raises `CallError`.
        """
        if limit > bounds.MOST_TABLE_ROWS:
            msg = (
                f"limit is at most {bounds.MOST_TABLE_ROWS:,} rows: the rows can be fewer by where and group, "
                f'or go on with sql="select ... offset {bounds.MOST_TABLE_ROWS}"'
            )
            raise CallError(error_codes.INVALID_ARGUMENT, msg)
        most_rows = limit if limit > 0 else bounds.MOST_TABLE_ROWS
        query = _Query(sql if sql.strip() else _select_text(**clauses), self)
        try:
            query.prepare(opened)
            records = query.records(most_rows)
        except (duckdb.Error, ValueError) as error:
            msg = f"the query failed: {query.reason_of(error)}"
            raise CallError(error_codes.INVALID_ARGUMENT, msg) from None
        return _result(query, records, most_rows)

    def lines_of(self, names: list[str], records: list[tuple[Any, ...]]) -> list[Plain]:
        """Return the line of each row, if all of them show cells of their own line as they are.

        Else they are a result, and there are none.
        """
        own_columns = database.execute("select * from t limit 0").description
        own_names = {column[0] for column in own_columns}
        if LINE not in names or not set(names) <= own_names:
            return []
        position = names.index(LINE)
        lines = [row[position] for row in records if isinstance(row[position], int)]
        shown = ", ".join(_quoted(name) for name in names)
        stored = database.execute(
            f"select {shown} from t where {LINE} in (select unnest($1::bigint[]))", [lines]
        )
        stored_rows = {row[position]: row for row in stored.fetchall()}
        for row in records:
            if stored_rows.get(row[position]) != row:
                return []
        return list[Plain](lines)


def _known_form(path: str) -> str:
    """Return the form of numbers that a path tells: texts of workbooks are written with a decimal point."""
    return "decimal point" if ".xlsx/" in path.lower() else ""


def _column_forms(rows: _Rows, stated_form: str, known_form: str) -> list[ColumnForm]:
    """Return the form of each column of the loaded rows; what one column shows of decimal marks holds for all."""
    summaries = [summarize(database, f"c{number}") for number in range(len(rows.names))]
    known_forms = [form for form in FORMS if form in stated_form]
    if not known_forms:
        known_forms = [known_form] if known_form else _shown_decimal_mark(summaries)
    column_forms = []
    for number, summary in enumerate(summaries):
        column_form = form_of(summary, known_forms)
        if column_form.form and not column_form.doubt and rows.may_be_split(number):
            doubt = f"line {rows.unfit.longer[0]} has more cells than the header"
            column_form = ColumnForm(column_form.form, doubt=doubt, has_words=True)
        column_forms.append(column_form)
    return column_forms


def _shown_decimal_mark(summaries: list[ColumnSummary]) -> list[str]:
    """Return the decimal mark that some column of a file shows beyond doubt, unless another one shows the other."""
    shown = set()
    for summary in summaries:
        marks = summary.decimal_marks
        if len(marks) == 1:
            shown.add(marks[0])
    return list(shown) if len(shown) == 1 else []


# Reading a file's rows


@dataclass(slots=True)
class _Rows:
    """The rows of a file, which are read once; the names of their columns are complete after that."""

    cells: Iterator[list[Any]] = field(default_factory=lambda: iter(()))
    """The line of each row, and then its cells."""
    names: list[str] = field(default_factory=list)
    assumed: list[str] = field(default_factory=list)
    unfit: UnfitRows = field(default_factory=UnfitRows)
    layout_doubts: list[str] = field(default_factory=list)
    header_width: int = 0
    line: int = 1
    """The line that is being read."""

    def add_names(self, names: Iterable[str]) -> None:
        """Add columns, with names that no other column has. Raises `ValueError` for too many columns."""
        for name in names:
            number = len(self.names) + 1
            if number > bounds.MOST_COLUMNS:
                msg = f"there are more than {bounds.MOST_COLUMNS} columns"
                raise ValueError(msg)
            plain_name = " ".join(name.replace("\ufeff", "").split()) or f"column_{number}"
            taken = {taken_name.casefold() for taken_name in (*self.names, LINE)}
            if plain_name.casefold() in taken:
                plain_name = f"{plain_name}_{number}"
            self.names.append(plain_name)

    def doubts(self) -> list[str]:
        """Return what may be read in another way than meant, once all rows are read."""
        return [*self.layout_doubts, *self.unfit.doubts(self.header_width)]

    def may_be_split(self, column: int) -> bool:
        """Say whether a number with a comma in it may have been taken for two cells, in this column or before it."""
        split_column = self.unfit.split_column
        return split_column is not None and column >= split_column


def _rows_of(path: str, text: str) -> _Rows:
    rows = _Rows()
    if path.lower().endswith(JSON_LINES_SUFFIXES):
        rows.cells = _json_cells(rows, text)
        return rows
    text = normal_lines(text)
    layout = layout_of(text, is_tab_separated=path.lower().endswith(TAB_SUFFIXES))
    rows.assumed = layout.assumed
    rows.layout_doubts = layout.doubts
    rows.header_width = len(layout.names)
    rows.cells = _csv_cells(rows, text, layout)
    return rows


def _csv_cells(rows: _Rows, text: str, layout: CsvLayout) -> Iterator[list[Any]]:
    """Yield the line and the cells of each row; the names grow with the widest row."""
    rows.add_names(layout.names)
    for row in csv_rows(text, layout, rows.unfit):
        rows.line = row.line
        yield [row.line, *row.cells]
    further = range(len(rows.names) + 1, rows.unfit.most_cells + 1)
    rows.add_names(f"column_{number}" for number in further)


def _json_cells(rows: _Rows, text: str) -> Iterator[list[Any]]:
    """Yield the line and the values of each object, in the order of the columns, which may become more."""
    keys: list[str] = []
    known_keys: set[str] = set()
    for line, written in enumerate(io.StringIO(text, newline="\n"), start=1):
        rows.line = line
        if not written.strip():
            continue
        value = json.loads(written)
        record = value if isinstance(value, dict) else {"value": value}
        for key in record:
            if key not in known_keys:
                known_keys.add(key)
                keys.append(key)
                rows.add_names([key])
        yield [line, *(_json_cell(record.get(key)) for key in keys)]


def _json_cell(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return written_value(value)


def _write_rows(rows: _Rows) -> None:
    """Write the rows to the file that DuckDB reads. Raises `ValueError` if there are no columns."""
    with files.open(LOADED, "w", encoding="utf-8", errors="replace", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows.cells)
    if not rows.names:
        msg = "its first line names no columns"
        raise ValueError(msg)


def _load_as_text(width: int) -> None:
    """Load the written rows into the table `written`, whose columns are c0, c1 and so on, all of them text."""
    columns = {LINE: "bigint"}
    for number in range(width):
        columns[f"c{number}"] = "varchar"
    database.execute(
        f"create or replace temp table written as from read_csv('memory://{LOADED}', columns={columns}, "
        "auto_detect=false, header=false, delim=',', quote='\"', escape='\"', new_line='\\n', nullstr='', "
        f"null_padding=true, parallel=false, max_line_size={MOST_CELL_CHARS})"
    )
    files.rm(LOADED)


# Asking queries


def _select_text(columns: str, where: str, group: str, order: str) -> str:
    """Return the query that the parts of a call make; rows that are not grouped keep their line."""
    selected = columns.strip() or "*"
    has_own_lines = selected != "*" and not group and "(" not in selected
    if has_own_lines:
        selected += f", {LINE}"
    sql = f"select {selected} from t"
    if where.strip():
        sql += f" where {where}"
    if group.strip():
        sql += f" group by {group}"
    if order.strip():
        sql += f" order by {order}"
    return sql


class _Query:
    """One query, the tables that it names, and the names of its result's columns."""

    def __init__(self, sql: str, table: Table) -> None:
        self.sql = sql
        self.table = table
        self.tables = {"t": table}
        self.names: list[str] = []
        self.total = 0
        """The rows of the whole result."""
        self._places = {"t": table}
        """The tables by the names by which the query's columns may be qualified."""
        self._used_columns: list[list[str]] = []

    def prepare(self, opened: Callable[[str], Table]) -> None:
        """Open the tables that the query names. Raises `ValueError` or `duckdb.Error` for a query that is not run."""
        self.table.show_as("t")
        statements = database.extract_statements(self.sql)
        types = [statement.type for statement in statements]
        if types != [duckdb.StatementType.SELECT]:
            msg = "one SELECT statement is run"
            raise ValueError(msg)
        parsed = database.execute("select json_serialize_sql(?::varchar)", [self.sql]).fetchone()
        nodes = list(_nodes(json.loads(parsed[0]))) if parsed else []
        for node in nodes:
            name = node.get("table_name", "")
            if "/" in name or "." in name:
                self.tables[name] = opened(name)
                self.tables[name].show_as(name)
            if name in self.tables:
                self._places[node.get("alias") or name] = self.tables[name]
            if node.get("column_names"):
                self._used_columns.append(node["column_names"])
        for name, table in _owners(_compared_with_numbers(nodes), self._places):
            if name in table.text_columns:
                msg = f"{name} is text: compare it with a text in quotes"
                raise ValueError(msg)

    def records(self, most_rows: int) -> list[tuple[Any, ...]]:
        """Return the first rows of the result. Raises `duckdb.Error`."""
        cursor = database.execute(self.sql)
        for column in cursor.description:
            name = column[0]
            if name in self.names:
                name = f"{name}_{len(self.names) + 1}"
            self.names.append(name)
        records = cursor.fetchmany(most_rows + 1)
        self.total = len(records)
        if self.total > most_rows:
            without_end = self.sql.rstrip().rstrip(";")
            database.execute(f"create or replace temp view counted as {without_end}")
            counted = database.execute("select count(*) from counted").fetchone()
            self.total = counted[0] if counted else self.total
        return records[:most_rows]

    def reason_of(self, error: Exception) -> str:
        """Return why the query failed, with the columns that it could have named."""
        doubts = []
        for name, table in _owners(self._used_columns, self._places):
            if name in table.uncertain and table.uncertain[name] not in doubts:
                doubts.append(table.uncertain[name])
        if doubts and isinstance(error, duckdb.BinderException):
            return "; ".join(doubts)
        parts = [str(error).partition("\n")[0]]
        for name, table in self.tables.items():
            columns = ", ".join(table.columns[:SHOWN_COLUMNS])
            parts.append(f"the table {name} has the columns {columns}")
        return "; ".join(parts)


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    """Yield all nodes of a parsed statement."""
    if isinstance(tree, dict):
        yield tree
        for below in tree.values():
            yield from _nodes(below)
    elif isinstance(tree, list):
        for below in tree:
            yield from _nodes(below)


def _owners(
    columns: Iterable[list[str]], places: Mapping[str, Table]
) -> Iterator[tuple[str, Table]]:
    """Yield the folded name of each column with each table that may have it; a column may be named with its table."""
    for *qualifiers, name in columns:
        if qualifiers and qualifiers[-1] in places:
            yield name.casefold(), places[qualifiers[-1]]
            continue
        for table in places.values():
            yield name.casefold(), table


def _compared_with_numbers(nodes: Iterable[dict[str, Any]]) -> Iterator[list[str]]:
    """Yield the columns that a parsed statement compares with numbers; for =, DuckDB would make numbers of texts."""
    for node in nodes:
        if not str(node.get("type")).startswith("COMPARE_"):
            continue
        operands = list(node.get("children", ()))
        for side in ("left", "right"):
            if side in node:
                operands.append(node[side])
        if any(_is_number(operand) for operand in operands):
            for operand in operands:
                if "column_names" in operand:
                    yield operand["column_names"]


def _is_number(operand: dict[str, Any]) -> bool:
    return operand.get("literal", {}).get("kind") in ("INTEGER", "NUMERIC")


# The result of a query


def _result(query: _Query, records: list[tuple[Any, ...]], most_rows: int) -> dict[str, Plain]:
    """Return the fields of a result: rows as dicts and as CSV, their lines, and how the files were read."""
    shown_names = []
    for name in query.names:
        if name != LINE:
            shown_names.append(name.removesuffix(" as written"))
    content = io.StringIO()
    writer = csv.writer(content, lineterminator="\n")
    writer.writerow(shown_names)
    rows: list[Plain] = []
    for record in records:
        cells = []
        for name, cell in zip(query.names, record, strict=True):
            if name != LINE:
                cells.append(_plain(cell))
        start = content.tell()
        writer.writerow(cells)
        if content.tell() > MOST_CONTENT_CHARS:
            content.seek(start)
            content.truncate()
            break
        rows.append(dict(zip(shown_names, cells, strict=True)))
    if records and not rows:
        msg = f"one row has more than {MOST_CONTENT_CHARS:,} characters: select fewer columns, or parts of them"
        raise CallError(error_codes.RESOURCE_EXHAUSTED, msg)
    return {
        "path": query.table.path,
        "content": content.getvalue(),
        "rows": rows,
        "columns": list[Plain](query.table.names),
        "lines": query.table.lines_of(query.names, records)[: len(rows)],
        "total": query.total,
        "truncated": len(rows) < query.total,
        "forms": _forms(query),
        **_notes(query),
    }


def _forms(query: _Query) -> dict[str, Plain]:
    """Return how the columns of all tables are read; those of other files have their path."""
    forms: dict[str, Plain] = {}
    for table in query.tables.values():
        if table is query.table:
            continue
        for name, form in table.forms.items():
            forms[f"{table.path} {name}"] = form
    forms.update(query.table.forms)
    return forms


def _notes(query: _Query) -> dict[str, Plain]:
    """Return what was assumed about the files, and what is in doubt."""
    assumed: list[Plain] = []
    doubts: list[Plain] = []
    for table in query.tables.values():
        assumed += [f"{table.path}: {note}" for note in table.assumed]
        doubts += [f"{table.path}: {note}" for note in table.doubts]
    return {"assumed": assumed, "doubts": doubts}


def _plain(cell: Any) -> Plain:
    """Return a cell as scripts get it: numbers without a needless fraction, dates as year-month-day, else a text."""
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
    """Return a name as SQL takes it."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"'
