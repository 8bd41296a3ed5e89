"""Reads scanned receipts whose lines have the names of items.

A line begins with the quantity and the name of an item, and ends with the price of one piece
and the total. A code may follow on a later line:

    2 x  Lea tarp 3x3 sand        71.39   142.78
         art: VH-TRP-LEA-3X3-5ND

Scans have faults: characters are misread, such as `5ND` for `SND` above.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from controlplane.benchmarks.shop.receipts.misread_characters import (
    AMOUNT,
    DIGIT,
    corrected_cents,
    corrected_number,
)
from controlplane.benchmarks.shop.receipts.receipt_parts import (
    START_OF_ITEM,
    ScannedItem,
    ScannedReceipt,
    corrected_count,
    head_of,
)
from controlplane.benchmarks.shop.receipts.separate_quantities import lines_of
from controlplane.benchmarks.shop.receipts.subtotals import (
    END_OF_ITEMS,
    end_of_items,
    subtotal_in,
)

_ITEM: Final = re.compile(
    rf"{START_OF_ITEM}(?P<count>{DIGIT}{{1,3}})\s*[x×]?\s+(?P<name>\S.*?)"
    rf"\s+(?P<unit>{AMOUNT})\s+(?P<total>{AMOUNT})\s*$"
)
"""`2 x  Lea tarp 3x3 sand   71.39   142.78`"""
_NOTED_CODE: Final = re.compile(
    r"\b(?:sku|note|code|art)\b[^:]*:\s*(?P<code>\S+)", re.IGNORECASE
)
"""`art: VH-TRP-LEA-3X3-GRN`"""
_TWO_LETTERS: Final = re.compile(r"[A-Za-z]{2}")
"""Occurs in each line with a word, but not in a line of dashes."""


def read_scan(text: str) -> ScannedReceipt | None:
    """Return a receipt whose lines have quantity, name and prices; None if the text is not one."""
    lines = lines_of(text)
    starts = []
    for index, line in enumerate(lines):
        if _ITEM.match(line) and not END_OF_ITEMS.search(line):
            starts.append(index)
    if not starts:
        return None

    # Each item goes up to the next one. The last one goes up to the subtotal, or to the end.
    ends = [*starts[1:], end_of_items(lines, starts[-1])]
    items = []
    for start, end in zip(starts, ends, strict=True):
        items.append(_named_item(lines[start:end]))
    return ScannedReceipt(head_of(lines[: starts[0]]), tuple(items), subtotal_in(lines))


def _named_item(lines: Sequence[str]) -> ScannedItem:
    """Return the item on these lines.

    The first line matches `_ITEM`. The second one may continue the name. Any line after
    the first may give the code.
    """
    match = _ITEM.match(lines[0])
    assert match is not None
    unit_cents = corrected_cents(match["unit"])
    total_cents = corrected_cents(match["total"])
    scanned_count = int(corrected_number(match["count"]))
    count = corrected_count(scanned_count, unit_cents, total_cents)

    name = match["name"]
    code = ""
    for number, line in enumerate(lines[1:], 1):
        noted_code = _NOTED_CODE.search(line)
        continues_name = number == 1 and _TWO_LETTERS.search(line)
        if noted_code is not None:
            code = code or noted_code["code"]
        elif continues_name:
            name = f"{name} {line.strip()}"
    return ScannedItem(count, name, code, unit_cents, total_cents)
