"""Puts the quantities of a scanned receipt on the lines of their items.

In some receipts, the quantity stands alone on the line above its item. It is moved, so that a
pattern for one line finds the whole item:

    [ 3] Qty: 2 pcs
    Lea tarp   71.39      ->      2  Lea tarp   71.39
"""

from __future__ import annotations

import re
from typing import Final

from controlplane.benchmarks.shop.receipts.misread_characters import (
    AMOUNT,
    DIGIT,
)

# The parts of a quantity that stands alone on the line above its item, and of the item's line
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
"""A line with only a quantity, and the line break to the item below it: `[ 3] Qty: 2 pcs`."""
_CURRENCY: Final = re.compile(r"€|\bEUR\b")


def lines_of(text: str) -> list[str]:
    """Return the lines of a receipt, in the form in which its items are looked for.

    They have no currencies, and each quantity is on the line of its item: `2  Lea tarp   71.39`.
    """
    without_currencies = _CURRENCY.sub(" ", text)
    with_quantities = _QUANTITY_ABOVE.sub(r"\g<count>  ", without_currencies)
    return [line.rstrip() for line in with_quantities.splitlines()]
