"""The parts that scanned receipts of both layouts have: amounts, quantities, and the subtotal.

In one layout a line has the name of an item (`named_receipts`), in the other its code
(`coded_receipts`):

    2 x  Lea tarp 3x3 sand        71.39   142.78
    2 x  VH-TRP-LEA-3X3-SND       71.39   142.78
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.shop.products.misread_characters import (
    DIGIT,
    corrected_cents,
)


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


AMOUNT: Final = (
    rf"(?:{DIGIT}{{1,3}}(?:[.,']{DIGIT}{{3}})+|{DIGIT}+)[.,]{DIGIT}{{2}}(?!\w)"
)
"""An amount with two decimals: `1,142.78`."""
START_OF_ITEM: Final = r"^\W*(?:\[\s*\w{1,2}\s*\]\W*)?"
"""The start of an item's line before the quantity. It may be the item's number: `[ 3]`."""


# The parts of a quantity that stands alone on the line above its item:
#
#     [ 3] Qty: 2 pcs
#     Lea tarp   71.39
#
_LINE_NUMBER: Final = r"(?:\[\s*\w{1,2}\s*\][ \t]*)?"
"""The item's number, if there is one: `[ 3] `."""
_QUANTITY_WORD: Final = r"(?:(?:[qo0]t[yv]|quantity|menge|anzahl)\b[.: \t]*)?"
"""The word before the quantity, if there is one: `Qty: `, misread as `0tv`."""
_PIECES: Final = r"(?:[x×@]|pcs?\.?|pieces?|stk\.?)?"
"""The word after the quantity, if there is one: `x`, `pcs`."""
_LINE_BREAK: Final = r"\n(?:[ \t]*\n)?[ \t]*"
"""The end of the line, at most one empty line, and the next line's indentation."""
_NO_QUANTITY_NEXT: Final = r"(?!\d{1,3}[ \t]*[x×]?[ \t])"
"""The next line must not begin with a quantity of its own, such as `2 x Lea tarp`."""
_NAME_AND_PRICE_NEXT: Final = rf"(?=[^\n]*[A-Za-z]{{2}}[^\n]*{AMOUNT}[ \t]*$)"
"""The next line must have a word and end with a price: `Lea tarp   71.39`."""

_QUANTITY_ABOVE: Final = re.compile(
    rf"^[ \t]*{_LINE_NUMBER}{_QUANTITY_WORD}[x×]?[ \t]*(?P<count>{DIGIT}{{1,3}})[ \t]*{_PIECES}[ \t]*"
    rf"{_LINE_BREAK}{_NO_QUANTITY_NEXT}{_NAME_AND_PRICE_NEXT}",
    re.MULTILINE | re.IGNORECASE,
)
"""A line with only a quantity, up to the start of the item below it: `[ 3] Qty: 2 pcs`."""
_CURRENCY: Final = re.compile(r"€|\bEUR\b")


def lines_of(text: str) -> list[str]:
    """Return the lines of a receipt, in the form that all patterns below match.

    They have no currencies, and each quantity is on the line of its item: `2  Lea tarp   71.39`.
    """
    without_currencies = _CURRENCY.sub(" ", text)
    with_quantities = _QUANTITY_ABOVE.sub(r"\g<count>  ", without_currencies)
    return [line.rstrip() for line in with_quantities.splitlines()]


def head_of(lines: Sequence[str]) -> tuple[str, ...]:
    """Return the lines above the items, without blank ones."""
    return tuple(line for line in lines if line.strip())


_SUB: Final = r"[s5]\s?u\s?[b86][\s.-]*"
"""`Sub`, as it may be misread: `5 ub`, `SU8`."""
_TOTAL: Final = r"t\s?[o0]\s?t\s?[a4]\s?[l1i|]"
"""`Total`, as it may be misread: `t0ta1`, `TOT4|`."""
_TOTAL_AFTER_SUB: Final = r"t\s?[o0]\s?t\s?[a4]?\s?[l1i|]?"
"""`Total` or its beginning, such as `T0T`. Right after `Sub`, three letters are enough."""
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
    """Return the index of the line below the last item, which starts on the line `last_start`."""
    for index in range(last_start, len(lines)):
        if END_OF_ITEMS.search(lines[index]):
            return index
    return len(lines)


def corrected_count(scanned_count: int, unit_cents: int, total_cents: int) -> int:
    """Return the quantity of an item, which may be misread.

    The prices are read more reliably: a total of 142.78 at 71.39 a piece means 2 pieces.
    The scanned quantity counts only if they give no whole number.
    """
    if unit_cents == 0 or total_cents % unit_cents != 0:
        return scanned_count
    return total_cents // unit_cents
