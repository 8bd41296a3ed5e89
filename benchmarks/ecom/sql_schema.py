"""The SQL tables of a shop's records.

`SCHEMA` has the names that the code uses for tables and columns. Each world shows other
ones, with which `shown_schema` creates the tables: `baskets` may be called `carts`.
"""

from __future__ import annotations

from typing import Final

from controlplane.benchmarks.ecom.record_names import RecordNames

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


def _tables(schema: str) -> dict[str, list[tuple[str, str]]]:
    """Return the columns of each table in a schema, with their types.

    `CREATE TABLE stores (id TEXT, is_open INTEGER);` ->
    `{"stores": [("id", "TEXT"), ("is_open", "INTEGER")]}`
    """
    tables: dict[str, list[tuple[str, str]]] = {}
    for statement in schema.split("CREATE TABLE ")[1:]:
        before_end = statement.partition(")")[0]
        table, _, columns = before_end.partition(" (")
        tables[table] = []
        for column in columns.split(","):
            name, column_type = column.split()
            tables[table].append((name, column_type))
    return tables


TABLES: Final = _tables(SCHEMA)
"""The columns of each table with their types, by code names."""


def shown_schema(names: RecordNames) -> str:
    """Return the SQL that creates the tables, with the names that a world shows."""
    statements = []
    for table, columns in TABLES.items():
        shown_table = names.tables.get(table, table)
        shown_columns = []
        for column, column_type in columns:
            shown_columns.append(f"{names.column(table, column)} {column_type}")
        statements.append(f"CREATE TABLE {shown_table} ({', '.join(shown_columns)});\n")
    return "".join(statements)
