"""Finds the subtotal of a scanned receipt, and with it the end of the items.

A line such as `5ub-t0ta1   142.78` gives the sum of all items, with misread letters. It and the
lines below it (tax, total) are not items, although they end with an amount, too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from controlplane.benchmarks.shop.receipts.misread_characters import (
    AMOUNT,
    corrected_cents,
)

_SUB: Final = r"[s5]\s?u\s?[b86][\s.-]*"
"""`Sub`, as it may be misread: `5 ub`, `SU8`."""
_TOT: Final = r"t\s?[o0]\s?t\s?"
_TOTAL: Final = rf"{_TOT}[a4]\s?[l1i|]"
"""`Total`, as it may be misread: `t0ta1`, `TOT4|`."""
_TOTAL_AFTER_SUB: Final = rf"{_TOT}[a4]?\s?[l1i|]?"
"""The same, but the last two letters may be missing: after `Sub`, `T0T` is enough."""
_SUBTOTAL_WORD: Final = (
    rf"\b(?:{_SUB}{_TOTAL_AFTER_SUB}|zwischensumme|sous-?total)(?!\w)"
)
"""`5ub-t0ta1`, `SUB T0T`, `Zwischensumme`"""
SUBTOTAL: Final = re.compile(
    rf"{_SUBTOTAL_WORD}.*?(?P<amount>{AMOUNT})\s*$", re.IGNORECASE
)
"""`5ub-t0ta1   142.78`"""
END_OF_ITEMS: Final = re.compile(
    rf"{_SUBTOTAL_WORD}|\b(?:{_TOTAL}|tax|vat)(?!\w)", re.IGNORECASE
)
"""A word that starts a line below the items: subtotal, total or tax."""


def subtotal_in(lines: Sequence[str]) -> int | None:
    """Return the first subtotal in cents; None if no line gives one."""
    for line in lines:
        match = SUBTOTAL.search(line)
        if match is not None:
            return corrected_cents(match["amount"])
    return None


def end_of_items(lines: Sequence[str], last_start: int) -> int:
    """Return the index of the first line below the items: that of the subtotal, tax or total.

    `last_start` is the index of the line on which the last item starts. If no such line follows,
    the items go on to the end.
    """
    for index in range(last_start, len(lines)):
        if END_OF_ITEMS.search(lines[index]):
            return index
    return len(lines)
