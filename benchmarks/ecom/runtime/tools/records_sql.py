"""Read-only SQL over the records: an in-memory SQLite database, built from the current files."""

from __future__ import annotations

import csv
import io
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Final

from benchmarks.ecom.runtime.tools.tool_context import Output, ToolContext
from sandbox.interface import Plain

MAX_ROWS: Final = 500
MAX_TICKS: Final = 2_000
STEPS_PER_TICK: Final = 10_000
"""A query is stopped after `MAX_TICKS` times this many steps of SQLite's virtual machine; about a second."""
MAX_VALUE_BYTES: Final = 100_000

SCHEMA: Final = """\
CREATE TABLE products (sku TEXT, id INTEGER, name TEXT, brand TEXT, category_id TEXT, kind_id TEXT, family_id TEXT,
  price_cents INTEGER, fulfilment TEXT, record_path TEXT);
CREATE TABLE product_properties (sku TEXT, key TEXT, value TEXT);
CREATE TABLE stores (id TEXT, name TEXT, street TEXT, postal_code TEXT, city TEXT, is_open INTEGER, record_path TEXT);
CREATE TABLE inventory (store_id TEXT, sku TEXT, on_hand INTEGER, reserved INTEGER, available INTEGER);
CREATE TABLE incoming (store_id TEXT, sku TEXT, quantity INTEGER, arrives_in_days INTEGER);
CREATE TABLE baskets (id TEXT, customer_id TEXT, store_id TEXT, status TEXT, created_at TEXT, record_path TEXT);
CREATE TABLE basket_lines (basket_id TEXT, sku TEXT, quantity INTEGER);
CREATE TABLE payments (id TEXT, basket_id TEXT, customer_id TEXT, store_id TEXT, amount_cents INTEGER, status TEXT,
  created_at TEXT, record_path TEXT);
CREATE TABLE returns (id TEXT, customer_id TEXT, payment_id TEXT, status TEXT, reason_code TEXT, created_at TEXT,
  record_path TEXT);
CREATE TABLE employees (id TEXT, display_name TEXT, title TEXT, store_id TEXT, record_path TEXT);
CREATE TABLE employee_roles (employee_id TEXT, role TEXT);
"""

ALLOWED: Final = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
)
TABLE_PRAGMAS: Final = frozenset({"table_info", "table_list", "table_xinfo"})

Row = tuple[str, list[Plain]]


class QueryError(Exception):
    """A query cannot be run."""


def _fields(data: dict[str, Plain], names: str) -> list[Plain]:
    return [data.get(name) for name in names.split()]


def _items(data: dict[str, Plain], name: str) -> list[dict[str, Plain]]:
    items = data.get(name)
    return [each for each in items if isinstance(each, dict)] if isinstance(items, list) else []


def _product_rows(path: str, data: dict[str, Plain]) -> Iterator[Row]:
    names = "sku id name brand category_id kind_id family_id price_cents fulfilment"
    yield "products", [*_fields(data, names), path]
    properties = data.get("properties")
    for key, value in properties.items() if isinstance(properties, dict) else ():
        shown = str(value).lower() if isinstance(value, bool) else str(value)
        yield "product_properties", [data.get("sku"), key, shown]


def _store_rows(path: str, data: dict[str, Plain]) -> Iterator[Row]:
    yield "stores", [*_fields(data, "id name street postal_code city is_open"), path]
    for row in _items(data, "inventory"):
        on_hand, reserved = row.get("on_hand"), row.get("reserved")
        free = max(on_hand - reserved, 0) if isinstance(on_hand, int) and isinstance(reserved, int) else 0
        yield "inventory", [data.get("id"), row.get("sku"), on_hand, reserved, free]
        for each in _items(row, "incoming"):
            yield "incoming", [data.get("id"), row.get("sku"), *_fields(each, "quantity arrives_in_days")]


def _basket_rows(path: str, data: dict[str, Plain]) -> Iterator[Row]:
    yield "baskets", [*_fields(data, "id customer_id store_id status created_at"), path]
    for line in _items(data, "lines"):
        yield "basket_lines", [data.get("id"), *_fields(line, "sku quantity")]


def _payment_rows(path: str, data: dict[str, Plain]) -> Iterator[Row]:
    yield "payments", [*_fields(data, "id basket_id customer_id store_id amount_cents status created_at"), path]


def _return_rows(path: str, data: dict[str, Plain]) -> Iterator[Row]:
    yield "returns", [*_fields(data, "id customer_id payment_id status reason_code created_at"), path]


def _employee_rows(path: str, data: dict[str, Plain]) -> Iterator[Row]:
    yield "employees", [*_fields(data, "id display_name title store_id"), path]
    roles = data.get("roles")
    for role in roles if isinstance(roles, list) else ():
        yield "employee_roles", [data.get("id"), role]


def _rows(context: ToolContext) -> Iterator[Row]:
    roots = context.workspace.roots
    for root, rows in (
        (roots.products, _product_rows),
        (roots.stores, _store_rows),
        (roots.baskets, _basket_rows),
        (roots.payments, _payment_rows),
        (roots.returns, _return_rows),
        (roots.employees, _employee_rows),
    ):
        for path, data in context.records(root):
            yield from rows(path, data)


def _scalar(value: Plain) -> str | int | float | None:
    return value if value is None or isinstance(value, str | int | float) else str(value)


def _database(context: ToolContext) -> sqlite3.Connection:
    database = sqlite3.connect(":memory:", isolation_level=None)
    database.executescript(SCHEMA)
    tables: dict[str, list[tuple[str | int | float | None, ...]]] = {}
    for table, values in _rows(context):
        tables.setdefault(table, []).append(tuple(_scalar(each) for each in values))
    for table, rows in tables.items():
        database.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)
    return database


def _authorize(action: int, first: str | None, *rest: str | None) -> int:
    if action in ALLOWED or (action == sqlite3.SQLITE_PRAGMA and first in TABLE_PRAGMAS):
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


def query_records(context: ToolContext, query: str) -> Output:
    """Run one query and return its rows as CSV with a header. Raises `QueryError`, also if the query runs too long."""
    ticks = iter(range(MAX_TICKS))
    with closing(_database(context)) as database:
        database.set_authorizer(_authorize)
        database.set_progress_handler(lambda: next(ticks, None) is None, STEPS_PER_TICK)
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
        try:
            cursor = database.execute(query)
            rows = cursor.fetchmany(MAX_ROWS + 1)
        except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
            raise QueryError(str(error)) from error
        if cursor.description is None:
            msg = "only queries that return rows are run"
            raise QueryError(msg)
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(column[0] for column in cursor.description)
        writer.writerows(rows[:MAX_ROWS])
        warning = f"sql: only the first {MAX_ROWS} rows are shown\n" if len(rows) > MAX_ROWS else ""
        return Output(stdout=out.getvalue(), stderr=warning)
