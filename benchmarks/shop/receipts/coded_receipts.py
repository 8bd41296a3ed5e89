"""Reads scanned receipts whose lines have the codes of items instead of their names.

    2 pcs  VH-TRP-LEA-3X3-SND     71.39   142.78

A line is the quantity, the code, the price of one piece, and the total. Each of them may be
misread; the prices are used to correct the quantity.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from controlplane.benchmarks.shop.receipts.misread_characters import (
    AMOUNT,
    corrected_cents,
)
from controlplane.benchmarks.shop.receipts.receipt_parts import (
    START_OF_ITEM,
    ScannedItem,
    ScannedReceipt,
    corrected_count,
    head_of,
)
from controlplane.benchmarks.shop.receipts.separate_quantities import lines_of
from controlplane.benchmarks.shop.receipts.subtotals import SUBTOTAL, subtotal_in

_CODE: Final = re.compile(r"(?<![\w-])[A-Z0-9]{2,}(?:-[A-Z0-9]+)+(?![\w-])")
"""`VH-TRP-LEA-3X3-GRN`"""
_PRICE: Final = re.compile(rf"(?<![\w.,-])(?=\S*\d){AMOUNT}")
"""`71.39`, or `7l.3O`. At least one character is a digit; `SO.OO` is a word."""
_QUANTITY: Final = re.compile(
    r"(?<![\w.,-])(?:x\s?)?(\d{1,4})(?:\s*(?:x|×|pcs?|stk)\b)?(?![\w.,-])",
    re.IGNORECASE,
)
"""`2`, `x2`, `2 pcs`"""


def read_coded_lines(lines: Sequence[str]) -> ScannedReceipt | None:
    """Return a receipt whose lines have a product's code, a quantity and prices, but no names.

    The result is None if no line has these.
    """
    # `lines_of` splits a text, because a quantity on a line of its own belongs to the next line.
    lines = lines_of("\n".join(lines))
    head: list[str] = []
    items: list[ScannedItem] = []
    for line in lines:
        item = _coded_item(line)
        if item is not None:
            items.append(item)
        elif not items:
            head.append(line)
    if not items:
        return None
    return ScannedReceipt(head_of(head), tuple(items), subtotal_in(lines))


def _coded_item(line: str) -> ScannedItem | None:
    """Return the item on a line; None if it has no code, no price or no quantity.

    | line | item |
    |---|---|
    | `2 VH-TRP-SND 71.39 142.78` | 2 pieces at 71.39, which are 142.78 |
    | `7 VH-TRP-SND 71.39 142.78` | the same: the quantity was misread |
    | `2 VH-TRP-SND 71.39` | the same: a single price is that of a piece |
    """
    code = _CODE.search(line)
    if code is None or SUBTOTAL.search(line):
        return None
    before_code = re.sub(START_OF_ITEM, "", line[: code.start()])
    other_text = f"{before_code} {line[code.end() :]}"
    prices = [corrected_cents(price) for price in _PRICE.findall(other_text)]
    if not prices:
        return None
    quantity_match = _QUANTITY.search(_PRICE.sub(" ", other_text))
    quantity = int(quantity_match[1]) if quantity_match else 0

    if len(prices) == 1:
        unit_cents = prices[0]
        total_cents = 0
    else:
        unit_cents, total_cents = prices[-2:]
    if total_cents:
        quantity = corrected_count(quantity, unit_cents, total_cents)
    else:
        # There is no total, or it was misread as 0.00.
        total_cents = quantity * unit_cents
    if quantity == 0:
        return None
    return ScannedItem(quantity, "", code[0], unit_cents, total_cents)
