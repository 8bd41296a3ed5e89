"""Finds the names of the fields with a branch's stock: units on hand, and units reserved.

Shops choose the names of their fields, so these are found by the values. A row of stock has two
counts, `{"sku": "AB-1", "on_hand": 4, "reserved": 1}`. Only units on hand can be reserved, so the
count that is larger in almost all rows is that of the units on hand.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.shop.workspace.field_shapes import (
    Data,
    Shape,
    every_row,
    first_key,
    keys_of,
    rows_of,
    shape_of,
)

# Finds the names of the fields with the deliveries that a branch expects.
#
# Shops choose these names. A delivery has two numbers, `{"quantity": 20, "arrival_in_days": 3}`,
# and either could be the days. The shop's policy usually mentions that field in backticks: "they
# arrive in `arrival_in_days`".


@dataclass(frozen=True, slots=True)
class DeliveryFields:
    """The names of the fields of a branch's expected deliveries.

    For a row of its stock `{"sku": "AB-1", ..., "incoming": [{"quantity": 20,
    "arrival_in_days": 3}]}`, they are `incoming`, `quantity` and `arrival_in_days`.
    """

    rows: str
    """The field of a stock row that lists the deliveries."""
    quantity: str
    """The field of a delivery with its units."""
    days: str
    """The field of a delivery with the days until it arrives."""


_DAYS: Final = re.compile(r"(?:^|_)days?(?:_|$)")
"""Names of fields with a number of days: `arrival_in_days`."""


def _delivery_fields(
    stock_rows: Sequence[Data], marked: Collection[str]
) -> DeliveryFields | None:
    """Return the fields of deliveries; None if there are none, or if one is not certain.

    A delivery is a row inside a row of the stock. Of its two numbers, the days are the one whose
    field the policy mentions or, if it mentions none, the one with `days` in its name. `marked`
    are the words that the policy puts in backticks.
    """
    first_delivery = next(every_row(stock_rows), None)
    if first_delivery is None:
        return None
    numbers = keys_of(first_delivery.data, Shape.NUMBER)
    days = [key for key in numbers if key in marked]
    if not days:
        days = [key for key in numbers if _DAYS.search(key)]
    units = [key for key in numbers if key not in days]
    if len(units) == 1 and len(days) == 1:
        return DeliveryFields(first_delivery.key, units[0], days[0])
    return None


@dataclass(frozen=True, slots=True)
class StockFields:
    """The names of the fields of a branch's stock.

    For the branch `{"stock": [{"sku": "AB-1", "on_hand": 4, "reserved": 1}]}`, they are
    `stock`, `sku`, `on_hand` and `reserved`.
    """

    rows: str
    """The field of the branch that lists its stock, one row a product."""
    code: str
    """The field of a row with the product's code."""
    on_hand: str
    reserved: str
    deliveries: DeliveryFields | None = None
    """None if the branch has no deliveries, or if their fields are not certain."""


def stock_fields(branch: Data, marked: Collection[str]) -> StockFields | None:
    """Return the names of the fields of a branch's stock; None if the counts are not certain.

    `marked` are the words that the policy on stock puts in backticks. They tell the fields of
    expected deliveries.
    """
    rows_key = first_key(branch, Shape.ROWS)
    rows = rows_of(branch, rows_key)
    if not rows:
        return None
    counts = _count_keys(rows)
    if counts is None:
        return None
    return StockFields(
        rows=rows_key,
        code=_first_text_key(rows[0]),
        on_hand=counts.on_hand,
        reserved=counts.reserved,
        deliveries=_delivery_fields(rows, marked),
    )


def _first_text_key(row: Data) -> str:
    """Return the first field with a text. In a row of stock, only the product's code is one."""
    for key, value in row.items():
        if isinstance(value, str):
            return key
    return ""


@dataclass(frozen=True, slots=True)
class _CountKeys:
    """The fields for the units on hand and for the reserved units."""

    on_hand: str
    reserved: str


_LEAST_RATIO: Final = 4
"""In more than this many times as many rows, one count must be larger than the other.

It is enough if it is larger in 9 rows of 10, and not in 8.
"""


def _count_keys(rows: Sequence[Data]) -> _CountKeys | None:
    """Return which fields of stock rows count units on hand and reserved units.

    The result is None if that is not certain: the rows must have exactly two numbers, and one of
    these must be larger in almost all rows.
    """
    # 1. Find the two fields.
    number_keys: set[str] = set()
    for row in rows:
        number_keys.update(key for key, value in row.items() if _is_count(value))
    if len(number_keys) != 2:
        return None

    # 2. Count the rows in which each is larger.
    first, second = sorted(number_keys)
    first_larger = 0
    second_larger = 0
    for row in rows:
        if not _is_count(row.get(first)) or not _is_count(row.get(second)):
            return None
        if row[first] > row[second]:
            first_larger += 1
        elif row[first] < row[second]:
            second_larger += 1

    # 3. One of them must be larger in almost all rows.
    if first_larger > _LEAST_RATIO * second_larger:
        return _CountKeys(on_hand=first, reserved=second)
    if second_larger > _LEAST_RATIO * first_larger:
        return _CountKeys(on_hand=second, reserved=first)
    return None


def _is_count(value: object) -> bool:
    """Return True for a number that may count units."""
    return shape_of(value) is Shape.NUMBER
