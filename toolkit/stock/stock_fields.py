"""What the fields of rows of stock are called, told by how their numbers relate, and not by their names."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from toolkit.layout import Data, Shape, keys_of, shape_of

_DAYS: Final = re.compile(r"(?:^|_)days?(?:_|$)")
_NEARLY_ALL: Final = 4
"""How many rows must speak for a reading, for each that speaks against it."""


class CountFields(NamedTuple):
    """The fields of a row that count units."""

    on_hand: str
    reserved: str


class DeliveryFields(NamedTuple):
    """The fields of a delivery."""

    quantity: str
    days: str
    """In how many days it arrives."""


def count_fields(rows: Sequence[Data]) -> CountFields | None:
    """Return which of two counts is what lies there: in nearly all rows it is no less than what is reserved.

    None where rows have other than two counts, or both readings are left.
    """
    counts = sorted({field for row in rows for field in keys_of(row, Shape.NUMBER)})
    if len(counts) != 2 or any(shape_of(row.get(each)) is not Shape.NUMBER for row in rows for each in counts):
        return None
    first, second = counts
    more = sum(row[first] > row[second] for row in rows)
    less = sum(row[first] < row[second] for row in rows)
    if more > _NEARLY_ALL * less:
        return CountFields(first, second)
    return CountFields(second, first) if less > _NEARLY_ALL * more else None


def delivery_fields(delivery: Data, marked: Collection[str] = ()) -> DeliveryFields | None:
    """Return the fields of a delivery's units and days: what a policy on stock marks, or by the unit in a name."""
    numbers = keys_of(delivery, Shape.NUMBER)
    days = [field for field in numbers if field in marked] or [field for field in numbers if _DAYS.search(field)]
    units = [field for field in numbers if field not in days]
    return DeliveryFields(units[0], days[0]) if len(units) == len(days) == 1 else None
