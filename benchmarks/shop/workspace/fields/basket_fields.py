"""Finds the names of the fields of baskets' lines: `items`, `sku` and `count`, or others.

Shops choose these names, so the fields are found by their values: a basket's line has one text,
the code of a product, and one number, the quantity.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from controlplane.benchmarks.shop.workspace.field_shapes import (
    Data,
    Shape,
    every_row,
    keys_of,
    rows_of,
)


@dataclass(frozen=True, slots=True)
class LineFields:
    """The names of the fields of a basket's lines.

    For the basket `{"items": [{"sku": "AB-1", "count": 2}]}`, they are `items`, `sku` and
    `count`.
    """

    lines: str
    """The field of the basket that lists its lines."""
    code: str
    """The field of a line with the product's code."""
    quantity: str
    """The field of a line with the number of units."""

    def lines_of(self, basket: Data) -> list[Data]:
        """Return the lines of a basket."""
        return rows_of(basket, self.lines)

    def counts_in(self, basket: Data) -> dict[str, int]:
        """Return the units in a basket by the product's code. Each product has one line."""
        counts = {}
        for line in self.lines_of(basket):
            counts[str(line[self.code])] = int(line[self.quantity])
        return counts


def line_fields(baskets: Sequence[Data]) -> LineFields | None:
    """Return the names of the fields of baskets' lines; None if they are not certain.

    They are those of the first row in a basket that has exactly one text and one number.
    """
    for line in every_row(baskets):
        texts = [key for key, value in line.data.items() if isinstance(value, str)]
        numbers = keys_of(line.data, Shape.NUMBER)
        if len(texts) == 1 and len(numbers) == 1:
            return LineFields(line.key, texts[0], numbers[0])
    return None
