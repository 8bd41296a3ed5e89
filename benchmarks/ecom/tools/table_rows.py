"""The rows of SQL tables that a record gives: its own, and one for each of its parts.

A basket with one line gives two rows:

    TableRow("baskets", {"id": "basket-7", ...})
    TableRow("basket_lines", {"basket_id": "basket-7", "sku": "VH-TNT-2P", ...})
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from controlplane.benchmarks.ecom.tools.record_store import StoredRecord
from controlplane.sandbox.interface import Plain

LARGEST_REAL: Final = int(sys.float_info.max)
"""The largest integer that can become a float. A script may write a larger one in a record."""


class TableRow(NamedTuple):
    """One row of a table."""

    table: str
    values: Mapping[str, Plain]
    """The value of each column."""


def rows_of(table: str, record: StoredRecord) -> Iterator[TableRow]:
    """Yield the row of a record in its table, and the rows of its parts in other tables."""
    data = record.data
    yield TableRow(table, {**data, "record_path": record.path})
    match table:
        case "products":
            yield from _property_rows(data)
        case "stores":
            yield from _stock_rows(data)
        case "baskets":
            for line in _items(data, "lines"):
                yield TableRow("basket_lines", {**line, "basket_id": data.get("id")})
        case "employees":
            yield from _role_rows(data)


def _property_rows(product: Mapping[str, Plain]) -> Iterator[TableRow]:
    """Yield a row for each property of a product: `sku`, `key` and `value`, as text."""
    properties = product.get("properties")
    if not isinstance(properties, dict):
        return
    sku = product.get("sku")
    for key, value in properties.items():
        shown_value = str(value)
        if isinstance(value, bool):
            shown_value = shown_value.lower()
        row = {"sku": sku, "key": key, "value": shown_value}
        yield TableRow("product_properties", row)


def _stock_rows(store: Mapping[str, Plain]) -> Iterator[TableRow]:
    """Yield a row for each product in a branch's stock, and one for each of its deliveries.

    `available` is computed: the units on hand minus the reserved ones.
    """
    store_id = store.get("id")
    for stock in _items(store, "inventory"):
        on_hand = stock.get("on_hand")
        reserved = stock.get("reserved")
        available = 0
        if isinstance(on_hand, int) and isinstance(reserved, int):
            available = max(on_hand - reserved, 0)
        row = {**stock, "store_id": store_id, "available": available}
        yield TableRow("inventory", row)
        sku = stock.get("sku")
        for incoming in _items(stock, "incoming"):
            yield TableRow("incoming", {**incoming, "store_id": store_id, "sku": sku})


def _role_rows(employee: Mapping[str, Plain]) -> Iterator[TableRow]:
    """Yield a row for each role of an employee: `employee_id` and `role`."""
    roles = employee.get("roles")
    if not isinstance(roles, list):
        return
    for role in roles:
        row = {"employee_id": employee.get("id"), "role": role}
        yield TableRow("employee_roles", row)


def _items(data: Mapping[str, Plain], name: str) -> list[dict[str, Plain]]:
    """Return the objects of the list `name` in a record.

    Other values, which a script may have written there, are left out.
    """
    items = data.get(name)
    if not isinstance(items, list):
        return []
    return [item for item in items if isinstance(item, dict)]


def scalar(value: Plain) -> str | int | float | None:
    """Return a value that SQLite can store.

    A very large integer becomes a float: 2**70 -> 1.18e21. A list or object becomes text.
    """
    # SQLite's integers have 64 bits with the sign.
    if isinstance(value, int) and value.bit_length() >= 64:
        # `float` raises an error for an even larger integer, so it is limited.
        return float(max(-LARGEST_REAL, min(value, LARGEST_REAL)))
    if value is None or isinstance(value, int | float):
        return value
    return str(value).encode("utf-8", "replace").decode()  # Replaces surrogates by `?`.
