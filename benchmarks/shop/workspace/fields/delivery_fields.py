"""Finds the names of the fields with the deliveries that a branch expects.

Shops choose these names. A delivery has two numbers, `{"quantity": 20, "arrival_in_days": 3}`,
and either could be the days. The shop's policy usually mentions that field in backticks: "they
arrive in `arrival_in_days`".
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
    keys_of,
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


_DAYS: Final = re.compile(r"(?:^|_)days?(?:_|$)")
"""Names of fields with a number of days: `arrival_in_days`."""


def delivery_fields(
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
