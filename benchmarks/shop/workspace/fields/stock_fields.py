"""Finds the names of the fields with a branch's stock: how many units, and which deliveries come.

Shops choose the names of their fields. The functions here judge by the values and, if several
fields have similar ones, by `marked`: the words that the shop's documents put in backticks.
Documents mention the fields that matter: "the price is in `amount_ct`".
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

    `marked` are the words that the policy on stock puts in backticks.
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


_DAYS: Final = re.compile(r"(?:^|_)days?(?:_|$)")
"""Names of fields with a number of days: `arrival_in_days`."""


def _delivery_fields(
    stock_rows: Sequence[Data], marked: Collection[str]
) -> DeliveryFields | None:
    """Return the fields of deliveries; None if there are none, or if one is not certain.

    A delivery is a row inside a row of the stock, with two numbers: `{"quantity": 20,
    "arrival_in_days": 3}`. The days are in the field that the policy mentions (`marked`)
    or, if it mentions none, in the one with `days` in its name.
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
class _CountKeys:
    """The fields for the units on hand and for the reserved units."""

    on_hand: str
    reserved: str


_LEAST_RATIO: Final = 4
"""How many times as often as the other one a count must be the larger of the two.

Of 10 rows, 9 to 1 is enough, and 8 to 2 is not.
"""


def _count_keys(rows: Sequence[Data]) -> _CountKeys | None:
    """Return the fields of a stock's rows that count units; None if they are not certain.

    Each row has exactly two numbers: the units on hand, and those of them that are reserved
    for customers. So the number that is larger in almost all rows counts the units on hand.
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
