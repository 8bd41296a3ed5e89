"""Finds the kind of a record, such as a payment, from the shapes of its values.

Shops choose the names of their fields and folders, so these do not tell the kind. But a payment
has a currency and a time, whatever its fields are called, and an employee has roles.
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

    `file_name` is the record's file name without its extension. The kinds are tried in this
    order, because later ones have fewer signs of their own.
    """
    shapes = Counter(shape_of(value) for value in data.values())
    has_time = shapes[Shape.INSTANT] > 0
    has_rows = shapes[Shape.ROWS] > 0
    has_mapping = shapes[Shape.MAPPING] > 0
    ids = shapes[Shape.ID]
    # {"mail": "jan.vos@example.org", "roles": ["floor_lead"]}. Customers have no roles.
    if shapes[Shape.MAIL]:
        has_roles = shapes[Shape.WORDS] > 0
        return Kind.EMPLOYEE if has_roles else None
    # {"currency": "EUR", "created_at": "2027-03-01T10:00:00Z"}
    if shapes[Shape.CURRENCY] and has_time:
        return Kind.PAYMENT
    # {"sku": "AB-1", "properties": {"colour": "sand"}}, in the file AB-1.json
    if file_name in data.values() and has_mapping and not has_time:
        return Kind.PRODUCT
    # {"stock": [{"sku": "AB-1", "on_hand": 4, "reserved": 1}]}
    if has_rows and not has_time and _rows_count_stock(data):
        return Kind.BRANCH
    # {"created_at": "2027-03-01T10:00:00Z", "lines": [{"sku": "AB-1", "count": 2}]}
    if has_rows and has_time:
        return Kind.BASKET
    # {"id": "ret_1", "payment": "pay_7", "customer": "cust-4", "created_at": "2027-03-01"}
    if has_time and ids >= 3:
        return Kind.RETURN
    # {"name": "Graz Centre", "is_open": true}: a branch without stock
    if shapes[Shape.FLAG] and ids == 0 and not has_mapping:
        return Kind.BRANCH
    return None


def _rows_count_stock(data: Data) -> bool:
    """Return True if each row of a record has at least two numbers: units on hand and reserved."""
    rows = [row.data for row in every_row([data])][:_SAMPLE_ROWS]
    if not rows:
        return False
    return all(len(keys_of(row, Shape.NUMBER)) > 1 for row in rows)
