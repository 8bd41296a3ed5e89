"""The SQL tables of a shop's records.

The code has one name for each table and column. Each world shows others, with which
`shown_schema` creates the tables: `baskets` may be called `carts`.
"""

from __future__ import annotations

from typing import Final

from controlplane.benchmarks.ecom.record_names import RecordNames

_COLUMNS: Final = {
    "products": (
        "sku TEXT, id INTEGER, name TEXT, brand TEXT, category_id TEXT, "
        "kind_id TEXT, family_id TEXT, price_cents INTEGER, "
        "fulfilment TEXT, record_path TEXT"
    ),
    "product_properties": "sku TEXT, key TEXT, value TEXT",
    "stores": (
        "id TEXT, name TEXT, street TEXT, postal_code TEXT, city TEXT, "
        "is_open INTEGER, record_path TEXT"
    ),
    "inventory": (
        "store_id TEXT, sku TEXT, on_hand INTEGER, reserved INTEGER, available INTEGER"
    ),
    "incoming": "store_id TEXT, sku TEXT, quantity INTEGER, arrives_in_days INTEGER",
    "baskets": (
        "id TEXT, customer_id TEXT, store_id TEXT, status TEXT, "
        "created_at TEXT, record_path TEXT"
    ),
    "basket_lines": "basket_id TEXT, sku TEXT, quantity INTEGER",
    "payments": (
        "id TEXT, basket_id TEXT, customer_id TEXT, store_id TEXT, "
        "amount_cents INTEGER, status TEXT, created_at TEXT, "
        "record_path TEXT"
    ),
    "returns": (
        "id TEXT, customer_id TEXT, payment_id TEXT, status TEXT, "
        "reason_code TEXT, created_at TEXT, record_path TEXT"
    ),
    "employees": (
        "id TEXT, display_name TEXT, title TEXT, store_id TEXT, record_path TEXT"
    ),
    "employee_roles": "employee_id TEXT, role TEXT",
}
"""The columns of each table with their types, by the names in the code."""
Column = tuple[str, str]
"""The name and the type of a column: `("is_open", "INTEGER")`."""


def _columns_of(text: str) -> list[Column]:
    """Return the columns in a text: `id TEXT, is_open INTEGER`."""
    columns = []
    for column in text.split(","):
        name, column_type = column.split()
        columns.append((name, column_type))
    return columns


TABLES: Final = {table: _columns_of(text) for table, text in _COLUMNS.items()}
"""The columns of each table, by the names in the code."""


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
