"""Finds the kind of a record, such as a payment, from the shapes of its values.

Shops choose the names of their fields and folders, so that these do not tell the kind. But a
payment has a currency and a time, and an employee has roles.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from controlplane.benchmarks.shop.workspace.field_shapes import (
    Data,
    Shape,
    every_row,
    keys_of,
    shape_of,
)
from controlplane.benchmarks.shop.workspace.kinds import Kind

_SAMPLE_ROWS: Final = 8
"""The number of rows of a record that are looked at to find its kind."""


def kind_of_record(data: Data, file_name: str) -> Kind | None:
    """Return the kind of a record by the shapes of its values; None if it is unknown.

    `file_name` is the record's file name without its extension. The kinds are tried in
    this order, because later ones have fewer signs of their own. The examples show the signs:

    | kind     | example                                                                          |
    | -------- | -------------------------------------------------------------------------------- |
    | employee | `{"mail": "jan.vos@example.org", "roles": ["floor_lead"]}`                       |
    | payment  | `{"currency": "EUR", "created_at": "2027-03-01T10:00:00Z"}`                      |
    | product  | `{"sku": "AB-1", "properties": {"colour": "sand"}}`, in the file `AB-1.json`     |
    | branch   | `{"stock": [{"sku": "AB-1", "on_hand": 4, "reserved": 1}]}`                      |
    | basket   | `{"created_at": "2027-03-01T10:00:00Z", "lines": [{"sku": "AB-1", "count": 2}]}` |
    | return   | `{"id": "ret_1", "payment": "pay_7", "customer": "cust-4", "created_at": ...}`   |
    | branch   | `{"name": "Graz Centre", "is_open": true}`                                       |
    """
    shapes = Counter(shape_of(value) for value in data.values())
    has_time = shapes[Shape.INSTANT] > 0
    has_rows = shapes[Shape.ROWS] > 0
    has_mapping = shapes[Shape.MAPPING] > 0
    ids = shapes[Shape.ID]
    if shapes[Shape.MAIL]:
        # Customers have mail addresses, too, but no roles.
        has_roles = shapes[Shape.WORDS] > 0
        return Kind.EMPLOYEE if has_roles else None
    if shapes[Shape.CURRENCY] and has_time:
        return Kind.PAYMENT
    if file_name in data.values() and has_mapping and not has_time:
        return Kind.PRODUCT
    if has_rows and not has_time and _rows_count_stock(data):
        return Kind.BRANCH
    if has_rows and has_time:
        return Kind.BASKET
    if has_time and ids >= 3:  # ids of the return, its payment and its customer
        return Kind.RETURN
    if shapes[Shape.FLAG] and ids == 0 and not has_mapping:
        return Kind.BRANCH  # a branch without stock, which is open or closed
    return None


def _rows_count_stock(data: Data) -> bool:
    """Return True if each row of a record has at least two numbers: units on hand and reserved."""
    rows = [row.data for row in every_row([data])][:_SAMPLE_ROWS]
    if not rows:
        return False
    return all(len(keys_of(row, Shape.NUMBER)) > 1 for row in rows)
