"""The parts of a scanned receipt: its head, its items, and the quantity of an item.

A receipt has one of two layouts. Its lines have the name of an item (`named_receipts`), or the
code (`coded_receipts`):

    2 x  Lea tarp 3x3 sand        71.39   142.78
    2 x  VH-TRP-LEA-3X3-SND       71.39   142.78
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class ScannedItem:
    """One item of a receipt. Misread digits are corrected. Name and code are as scanned."""

    count: int
    name: str
    """Empty if the line of the item has only a code."""
    code: str
    """Empty if the receipt gives no code."""
    unit_cents: int
    total_cents: int


@dataclass(frozen=True, slots=True)
class ScannedReceipt:
    """The parts of a scanned receipt."""

    head: tuple[str, ...]
    """The lines above the items, such as the branch's name."""
    items: tuple[ScannedItem, ...]
    subtotal_cents: int | None
    """None if no line gives a subtotal."""


START_OF_ITEM: Final = r"^\W*(?:\[\s*\w{1,2}\s*\]\W*)?"
"""The start of an item's line before the quantity. It may be the item's number: `[ 3]`."""


def head_of(lines: Sequence[str]) -> tuple[str, ...]:
    """Return the lines above the items, without blank ones."""
    return tuple(line for line in lines if line.strip())


def corrected_count(scanned_count: int, unit_cents: int, total_cents: int) -> int:
    """Return the quantity of an item, which may be misread.

    The prices are read more reliably: a total of 142.78 at 71.39 a piece means 2 pieces.
    The scanned quantity counts only if they give no whole number.
    """
    if unit_cents == 0 or total_cents % unit_cents != 0:
        return scanned_count
    return total_cents // unit_cents
