"""The lines and the subtotal of a scanned receipt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from toolkit.finding import CannotRead
from toolkit.text import cents_of

_CODE: Final = re.compile(r"(?<![\w-])[A-Z0-9]{2,}(?:-[A-Z0-9]+)+(?![\w-])")
_PRICE: Final = re.compile(r"(?<![\w.,-])\d+[.,]\d{2}(?!\d)")
_SUBTOTAL: Final = re.compile(r"\bsub\s*-?\s*total\b", re.IGNORECASE)
_QUANTITY: Final = re.compile(r"(?<![\w.,-])(?:x\s?)?(\d{1,4})(?:\s*(?:x|×|pcs?|stk)\b)?(?![\w.,-])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ReceiptLine:
    """One line: a product's code as it was read, how many, and what they cost, in cents."""

    code: str
    quantity: int
    unit_cents: int
    line_cents: int


@dataclass(frozen=True, slots=True)
class Receipt:
    """A receipt's lines, and its subtotal in cents; None if no line gives one."""

    lines: tuple[ReceiptLine, ...]
    subtotal_cents: int | None


def read_receipt(lines: Sequence[str]) -> Receipt:
    """Return what a receipt says. A line with one price gives that of a unit.

    Raises `CannotRead` for a text without a single line of a product.
    """
    found = [each for line in lines if (each := _line(line)) is not None]
    totals = [_PRICE.findall(line) for line in lines if _SUBTOTAL.search(line)]
    if not found:
        msg = "the receipt has no line with a product's code, a quantity and a price"
        raise CannotRead(msg)
    return Receipt(tuple(found), next((cents_of(each[-1]) for each in totals if each), None))


def _line(text: str) -> ReceiptLine | None:
    code = _CODE.search(text)
    if code is None or _SUBTOTAL.search(text):
        return None
    before, behind = text[: code.start()], text[code.end() :]
    prices = [cents_of(each) for each in _PRICE.findall(behind)]
    count = _QUANTITY.search(before) or _QUANTITY.search(_PRICE.sub(" ", behind))
    if not prices or count is None or not int(count[1]):
        return None
    quantity = int(count[1])
    unit, total = (prices[-2], prices[-1]) if len(prices) > 1 else (prices[0], quantity * prices[0])
    return ReceiptLine(code[0], quantity, unit, total)
