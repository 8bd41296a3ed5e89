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
    # Joined, because `lines_of` puts a quantity from the line above into the line of its item.
    lines = lines_of("\n".join(lines))
    items: list[ScannedItem] = []
    first_item_line = 0
    for index, line in enumerate(lines):
        item = _coded_item(line)
        if item is None:
            continue
        if not items:
            first_item_line = index
        items.append(item)
    if not items:
        return None
    return ScannedReceipt(
        head_of(lines[:first_item_line]), tuple(items), subtotal_in(lines)
    )


def _coded_item(line: str) -> ScannedItem | None:
    """Return the item on a line with a code: `2 VH-TRP-LEA-3X3-GRN 71.39 142.78`.

    A single price is the price of one piece. Of several prices, the last two are the
    price of one piece and the total. The result is None if there is no code, no price
    or no quantity.
    """
    code = _CODE.search(line)
    if code is None or SUBTOTAL.search(line):
        return None
    before_code = re.sub(START_OF_ITEM, "", line[: code.start()])
    rest = f"{before_code} {line[code.end() :]}"
    prices = [corrected_cents(price) for price in _PRICE.findall(rest)]
    if not prices:
        return None
    rest_without_prices = _PRICE.sub(" ", rest)
    quantity_match = _QUANTITY.search(rest_without_prices)
    scanned_quantity = int(quantity_match[1]) if quantity_match else 0

    if len(prices) == 1:
        unit_cents = prices[0]
        printed_total_cents = 0
    else:
        unit_cents = prices[-2]
        printed_total_cents = prices[-1]
    # Without a total, or with one that was misread as 0.00, the total follows from the quantity.
    if printed_total_cents:
        quantity = corrected_count(scanned_quantity, unit_cents, printed_total_cents)
        total_cents = printed_total_cents
    else:
        quantity = scanned_quantity
        total_cents = quantity * unit_cents
    if quantity == 0:
        return None
    return ScannedItem(
        count=quantity,
        name="",
        code=code[0],
        unit_cents=unit_cents,
        total_cents=total_cents,
    )
