"""Tables in DuckDB, made of CSV, TSV or JSONL, in the trial's worker.

A column whose cells all have one form (a decimal mark, thousands, a currency or percent sign, an order of day, month)
holds numbers or dates, and marks of missing values in it are null. Any other holds text, with which DuckDB refuses to
compute. If a form is not certain, queries have the column as `NAME as written` alone. The worker imports this module
before it is isolated.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from itertools import count
from typing import Any, Final

import duckdb
from fsspec.implementations.memory import MemoryFileSystem

from controlplane.benchmarks.files.file_sources import TABLE_SUFFIXES, written_value
from controlplane.sandbox.interface import CallError, Plain, bounds, error_codes

LINE: Final = "_line"
LOADED: Final = "/table.csv"
MARKS: Final = {"decimal point": (".", ","), "decimal comma": (",", ".")}
"""Forms of numbers: the decimal mark, and the one between thousands."""
ORDERS: Final = {
    "year first": ["%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d"],
    "day first": ["%d.%m.%Y", "%d/%m/%Y", "%d-%m-%Y"],
    "month first": ["%m/%d/%Y", "%m-%d-%Y"],
}
"""Forms of dates."""
CODES: Final = "EUR|USD|GBP|CHF|JPY|CNY|INR|CAD|AUD|NZD|SEK|NOK|DKK|ISK|PLN|CZK|HUF|RON|TRY|BRL|MXN|ZAR|KRW|SGD|HKD"
SIGN: Final = f"[$€£¥₹%]|{CODES}"
EMPTY: Final = ("", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "-", "–")
"""Marks of a missing value, which are null in a column of numbers or dates."""

files: Final = MemoryFileSystem()
# Opened before the isolation begins; in one thread, which is all that the isolation allows.
database: Final = duckdb.connect(
    ":memory:", config={"threads": 1, "python_enable_replacements": False}
)
database.register_filesystem(files)


def _reading(form: str, cell: str) -> str:
    """Return the SQL of a cell's value in a form; null if it has none, and the cell itself without a form."""
    if form in ORDERS:
        date = f"cast(try_strptime({cell}, {ORDERS[form]}) as date)"
        return (
            f"case when regexp_full_match({cell}, '[0-9]+[./-][0-9]+[./-][0-9]+') then {date} end"
        )
    if not form:
        return cell
    mark, other = MARKS[form]
    digits = (
        rf"(([1-9]\d{{0,2}}([{other}''’ \x{{a0}}\x{{202f}}]\d{{3}})+|\d+)(\{mark}\d+)?|\{mark}\d+)"
    )
    pattern = rf"[+-]? ?({SIGN})? ?[+-]?{digits}([eE][+-]?\d+)? ?({SIGN})?"
    plain = f"replace(trim({cell}), '−', '-')"
    digits = f"replace(replace(regexp_replace({plain}, '{CODES}|[^0-9eE.,+-]', '', 'g'), '{other}', ''), '{mark}', '.')"
    return (
        f"case when regexp_full_match({plain}, '{pattern}') then try_cast({digits} as double) end"
    )


_READINGS: Final = ", ".join(f'{_reading(form, "c")} as "{form}"' for form in (*MARKS, *ORDERS))
_COUNTS: Final = f"""
    select {", ".join(f'count("{form}") as "{form}"' for form in (*MARKS, *ORDERS))},
        count(*) filter (not is_empty) as cells,
        count(number) as numbers, min(c) filter (number is null and not is_empty) as word,
        coalesce(sum(times) filter (is_empty), 0)::bigint as empties, list_sort(list(c) filter (is_empty)) as marks,
        min(c) filter ("decimal point" <> "decimal comma") as either,
        min(c) filter ("day first" <> "month first") as day_or_month,
        list_sort(list(distinct sign) filter (sign <> '')) as signs,
        bool_or(regexp_matches(c, '^[+-]?(0\\d|\\d{{16}})')) as has_codes
    from (select *, coalesce("decimal point", "decimal comma") as number,
            case when number is not null then regexp_extract(c, '{SIGN}') end as sign
        from (select c, times, trim(c) in {EMPTY} as is_empty, {_READINGS} from different where c is not null))
"""
"""What the `different` cells `c` of a column, each found some `times`, say of its form. Codes begin with a zero or have
many digits."""


def _form_of(found: dict[str, Any], known: Iterable[str]) -> tuple[str, str, str]:
    """Return the form of a column, what is said of it, and why it is not certain. `known` are forms that decide."""
    orders = [order for order in ORDERS if found[order] == found["cells"] > 0]
    if orders:
        decided = [
            order for order in orders if order in known or not found["day_or_month"]
        ] or orders
        said = "" if decided[0] == "year first" else f"{decided[0]}, read as year-month-day"
        doubt = f"{found['day_or_month']!r} may have the day or the month first: say form='day first' or 'month first'"
        return decided[0], said, doubt if len(decided) > 1 and found["day_or_month"] else ""
    words, signs, fitting = (
        found["cells"] - found["numbers"],
        found["signs"] or [],
        found["fitting"],
    )
    if found["has_codes"] or words >= found["numbers"]:
        return "", "", ""
    marks = [form for form in fitting if form in known] or fitting or [""]
    doubts = []
    if not fitting:
        doubts.append("its numbers have different decimal marks")
    if len(marks) > 1 and found["either"]:
        either = f"{found['either']!r} may be with a decimal point or comma"
        doubts.append(f"{either}: say form='decimal comma' or 'decimal point'")
    if len(signs) > 1:
        doubts.append(f"it has {' and '.join(signs)}")
    if words:
        doubts.append(f"{found['word']!r} is no number")
    said = ", ".join([*(marks[:1] if found["either"] or len(fitting) == 1 else ()), *signs])
    return marks[0], said, "; ".join(doubts)


_numbers: Final = count()


class Table:
    """The rows of one file, in a table of its own."""

    def __init__(self, path: str, text: str, given: str = "") -> None:
        """Make the table of a file's text. `given` says of numbers and dates what is not certain, as `decimal comma`.

        Raises `CallError` for a text that is no table.
        """
        self.path = path
        self._name = f"table_{next(_numbers)}"
        self.names: list[str] = []
        self.forms: dict[str, Plain] = {}
        """How cells are read, or why that is not certain."""
        self._keys: list[str] = []
        """The keys of JSON objects, in the order of the columns."""
        self._line = 1
        self._longer = 0
        """The first line whose row has more cells than there are columns."""
        rows = self._json_rows(text) if path.endswith(TABLE_SUFFIXES[4:]) else self._rows(text)
        try:
            with files.open(LOADED, "w", encoding="utf-8", errors="replace", newline="") as file:
                csv.writer(file, lineterminator="\n").writerows(rows)
            if not self.names:
                self._add_columns([])
            self._load(given)
        except (csv.Error, duckdb.Error, ValueError) as error:
            msg = f"{path} cannot be read as a table, near line {self._line}: {error}"
            raise CallError(error_codes.INVALID_ARGUMENT, msg) from None

    def _rows(self, text: str) -> Iterator[list[Any]]:
        """Yield the first line of each row, and then its cells."""
        head = text[: text.find("\n") + 1 or None]
        mark = "\t" if self.path.endswith(TABLE_SUFFIXES[2:4]) else max(",;\t|", key=head.count)
        reader = csv.reader(_lines(text), delimiter=mark)
        for row in reader:
            if row and not self.names:
                self._add_columns(row)
            elif row:
                self._longer = self._longer or (any(row[len(self.names) :]) and self._line)
                yield [self._line, *row[: len(self.names)]]
            self._line = reader.line_num + 1

    def _json_rows(self, text: str) -> Iterator[list[Any]]:
        """Yield the line of each object, and then its values in the order of the columns, which may become more."""
        for self._line, written in enumerate(_lines(text), start=1):
            if written.strip():
                given = json.loads(written)
                row = given if isinstance(given, dict) else {"value": given}
                new = [key for key in row if key not in self._keys]
                self._keys += new
                if new or not self.names:
                    self._add_columns(new)
                cells = map(row.get, self._keys)
                yield [
                    self._line,
                    *(
                        cell if isinstance(cell, str | None) else written_value(cell)
                        for cell in cells
                    ),
                ]

    def _add_columns(self, header: list[str]) -> None:
        if not header or len(self.names) + len(header) > bounds.MOST_COLUMNS:
            msg = f"its first line names no columns, or there are more than {bounds.MOST_COLUMNS}"
            raise ValueError(msg)
        for place, name in enumerate(header, len(self.names) + 1):
            plain = name.strip().lstrip("\ufeff") or "column"
            is_new = plain.casefold() not in {name.casefold() for name in (*self.names, LINE)}
            self.names.append(plain if is_new else f"{plain}_{place}")

    def _load(self, given: str) -> None:
        """Make the table of the rows, with each column's cells read by its form."""
        columns = {LINE: "bigint", **{f"c{at}": "varchar" for at in range(len(self.names))}}
        database.execute(
            f"create or replace temp table written as from read_csv('memory://{LOADED}', columns={columns}, "
            "auto_detect=false, header=false, delim=',', quote='\"', escape='\"', new_line='\\n', nullstr='', "
            "null_padding=true, parallel=false, max_line_size=16000000)"
        )
        files.rm(LOADED)
        counts = []
        for at in range(len(self.names)):
            different = f"select c{at} as c, count(*) as times from written group by c"
            cursor = database.execute(f"with different as ({different}) {_COUNTS}")
            counts.append(
                dict(
                    zip(
                        [column[0] for column in cursor.description],
                        cursor.fetchone() or (),
                        strict=True,
                    )
                )
            )
            numbers, is_text = (
                counts[-1]["numbers"],
                2 * counts[-1]["numbers"] <= counts[-1]["cells"],
            )
            counts[-1]["fitting"] = [
                form for form in MARKS if counts[-1][form] == numbers and not is_text
            ]
        shown_marks = {found["fitting"][0] for found in counts if len(found["fitting"]) == 1}
        known = [form for form in (*MARKS, *ORDERS) if form in given] or (
            shown_marks if len(shown_marks) == 1 else []
        )
        columns = {LINE: LINE}
        for at, (name, found) in enumerate(zip(self.names, counts, strict=True)):
            form, said, doubt = _form_of(found, known)
            if form and self._longer and at == len(self.names) - 1:
                doubt = doubt or f"line {self._longer} has more cells than the first line"
            reading = _reading(form, f"c{at}")
            if not doubt:
                columns[name] = reading
                if form and found["empties"]:
                    marks = ", ".join(map(repr, found["marks"][:5]))
                    kind = said or ("dates" if form in ORDERS else "numbers")
                    said = f"{kind}; empty values ({marks}): {found['empties']:,}"
                self.forms |= {name: said} if said else {}
                continue
            columns[f"{name} as written"] = f"c{at}"
            self.forms[name] = f'not certain, as {doubt}; "{name} as written" is its text'
            if doubt.endswith("is no number"):
                columns[f"{name} as number"] = reading
                self.forms[name] = f'{self.forms[name]}, "{name} as number" is null there'
        self.columns = list(columns)
        self.uncertain = {
            n.casefold(): f"{n} is {self.forms[n]}" for n in self.names if n not in columns
        }
        self.texts = {
            name.casefold()
            for name, sql in columns.items()
            if sql[:1] == "c" and sql[1:].isdecimal()
        }
        read = ", ".join(f"{sql} as {_quoted(name)}" for name, sql in columns.items())
        database.execute(f"create temp table {self._name} as select {read} from written")
        database.execute("drop table written")

    def show_as(self, name: str) -> None:
        """Let queries have the table as `name`."""
        database.execute(f"create or replace temp view {_quoted(name)} as from {self._name}")

    def drop(self) -> None:
        """Free the memory of the table."""
        database.execute(f"drop table {self._name}")

    def query(
        self, sql: str, limit: int, opened: Callable[[str], Table], **parts: str
    ) -> dict[str, Plain]:
        """Return rows of a query of this table, as `t`, or of one that `where`, `columns`, `group` and `order` make.

        `opened` opens other files that the query names in place of a table. Raises `CallError`.
        """
        most = bounds.MOST_TABLE_ROWS
        if limit > most:
            other = f'the rows can be fewer by where and group, or go on with sql="select ... offset {most}"'
            raise CallError(
                error_codes.INVALID_ARGUMENT, f"limit is at most {most:,} rows: {other}"
            )
        if not sql.strip():
            columns = parts["columns"].strip() or "*"
            has_line = columns == "*" or parts["group"] or "(" in columns
            sql = f"select {columns}{'' if has_line else f', {LINE}'} from t"
            words = (
                ("where", parts["where"]),
                ("group by", parts["group"]),
                ("order by", parts["order"]),
            )
            sql += "".join(f" {word} {text}" for word, text in words if text.strip())
        most = limit if limit > 0 else most
        tables, places, used = {"t": self}, {"t": self}, list[list[str]]()
        self.show_as("t")
        try:
            statements = database.extract_statements(sql)
            if [one.type for one in statements] != [duckdb.StatementType.SELECT]:
                msg = "one SELECT statement is run"
                raise ValueError(msg)
            (parsed,) = database.execute(
                "select json_serialize_sql(?::varchar)", [sql]
            ).fetchone() or ("{}",)
            nodes = [*_nodes(json.loads(parsed))]
            for node in nodes:
                name = node.get("table_name", "")
                if "/" in name or "." in name:
                    tables[name] = opened(name)
                    tables[name].show_as(name)
                if name in tables:
                    places[node.get("alias") or name] = tables[name]
            used += [names for node in nodes if (names := node.get("column_names"))]
            for name, table in _owned(_compared_with_numbers(nodes), places):
                if name in table.texts:
                    msg = f"{name} is text: compare it with a text in quotes"
                    raise ValueError(msg)
            cursor = database.execute(statements[0])
            given = [column[0] for column in cursor.description]
            names = [
                f"{name}_{at + 1}" if name in given[:at] else name for at, name in enumerate(given)
            ]
            records = cursor.fetchmany(most + 1)
            total = len(records)
            if total > most:
                database.execute(f"create or replace temp view counted as {sql}")
                (total,) = database.execute("select count(*) from counted").fetchone() or (0,)
        except (duckdb.Error, ValueError) as error:
            reason, *_ = str(error).split("\n")
            doubted = [
                table.uncertain[name]
                for name, table in _owned(used, places)
                if name in table.uncertain
            ]
            if doubted and isinstance(error, duckdb.BinderException):
                reason = "; ".join(dict.fromkeys(doubted))
            else:
                held = [
                    f"the table {name} has the columns {', '.join(of.columns[:40])}"
                    for name, of in tables.items()
                ]
                reason = "; ".join([reason, *held])
            raise CallError(error_codes.INVALID_ARGUMENT, f"the query failed: {reason}") from None
        others = [table for table in tables.values() if table is not self]
        shown = [name.removesuffix(" as written") for name in names if name != LINE]
        out, rows = io.StringIO(), list[Plain]()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(shown)
        for record in records[:most]:
            cells = [_plain(cell) for name, cell in zip(names, record, strict=True) if name != LINE]
            writer.writerow(cells)
            if out.tell() > 300_000:
                break
            rows.append(dict(zip(shown, cells, strict=True)))
        return {
            "path": self.path,
            "content": out.getvalue(),
            "rows": rows,
            "columns": list[Plain](self.names),
            "lines": self._lines_of(names, records)[: len(rows)],
            "total": total,
            "truncated": len(rows) < total,
            "forms": {f"{of.path} {name}": form for of in others for name, form in of.forms.items()}
            | self.forms,
        }

    def _lines_of(self, names: list[str], records: list[tuple[Any, ...]]) -> list[Plain]:
        """Return the line of each row if all of them show cells of their own line as they are; else they are a result,
        and there are none."""
        own = [column[0] for column in database.execute("select * from t limit 0").description]
        if LINE not in names or not {*names} <= {*own}:
            return []
        at, shown = names.index(LINE), ", ".join(map(_quoted, names))
        asked = [row[at] for row in records if isinstance(row[at], int)]
        held = database.execute(
            f"select {shown} from t where {LINE} in (select unnest($1::bigint[]))", [asked]
        )
        by_line = {row[at]: row for row in held.fetchall()}
        return [*asked] if all(by_line.get(row[at]) == row for row in records) else []


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    """Yield all nodes of a parsed statement."""
    if isinstance(tree, dict):
        yield tree
    for below in (
        tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ()
    ):
        yield from _nodes(below)


def _owned(
    columns: Iterable[list[str]], places: Mapping[str, Table]
) -> Iterator[tuple[str, Table]]:
    """Yield the folded name of each column with each table that may have it; a column may be named with its table."""
    for *before, name in columns:
        place = before[-1] if before else ""
        for table in [places[place]] if place in places else places.values():
            yield name.casefold(), table


def _compared_with_numbers(nodes: Iterable[dict[str, Any]]) -> Iterator[list[str]]:
    """Yield the columns that a parsed statement compares with numbers; for =, DuckDB would make numbers of texts."""
    for node in nodes:
        if str(node.get("type")).startswith("COMPARE_"):
            operands = [
                *node.get("children", ()),
                *(node[side] for side in ("left", "right") if side in node),
            ]
            if any(
                one.get("literal", {}).get("kind") in ("INTEGER", "NUMERIC") for one in operands
            ):
                yield from (one["column_names"] for one in operands if "column_names" in one)


def _lines(text: str) -> Iterable[str]:
    """Return the lines of a text with their ends, which are line feeds alone."""
    return io.TextIOWrapper(io.BytesIO(text.encode("utf-8", "replace")), "utf-8", newline="\n")


def _plain(cell: Any) -> Plain:
    """Return a cell as scripts get it: numbers without a needless fraction, dates as year-month-day, else a text."""
    if isinstance(cell, Decimal | float):
        number = float(cell)
        return int(number) if number.is_integer() and abs(number) < 1e15 else number
    return (
        cell if isinstance(cell, str | int | None) else "" if isinstance(cell, bytes) else str(cell)
    )


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
