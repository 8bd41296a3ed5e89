"""Numbers and amounts of money in text."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

_NUMBER: Final = re.compile(r"(?<![\w.,])-?\d+(?:[.,]\d+)?|(?<=[a-zA-Z(])\d+(?:[.,]\d+)?")
_AMOUNT: Final = r"(\d{1,3}(?:[.,' ]\d{3})+(?:[.,]\d{1,2})?|\d+(?:[.,]\d{1,2})?)"
_CURRENCY: Final = r"(?:EUR(?:OS?)?|€)"
_MONEY: Final = re.compile(
    rf"(?:{_CURRENCY}\s*{_AMOUNT}(?![\d]))|(?:(?<![\w.,-]){_AMOUNT}\s*{_CURRENCY}(?!\w))", re.IGNORECASE
)


def first_number(text: str) -> float | None:
    """Return the first number of a text, with a decimal point or comma; None without one."""
    found = _NUMBER.search(text)
    return float(found[0].replace(",", ".")) if found else None


def money_in_text(text: str) -> int | None:
    """Return the first amount in euros of a text, in cents; None without one."""
    found = _MONEY.search(text)
    return cents_of(found[1] or found[2]) if found else None


def cents_of(amount: str) -> int:
    """Return a written amount in cents: `1.200,50` and `1,200.50` are one amount, `1.200` is twelve hundred."""
    whole, point, fraction = amount, "", ""
    if decimal := re.search(r"[.,](\d{1,2})$", amount):
        whole, point, fraction = amount[: decimal.start()], ".", decimal[1]
    return int(Decimal(re.sub(r"[.,' ]", "", whole) + point + fraction) * 100)


def amount_text(cents: int) -> str:
    """Return an amount as the shop writes it: `EUR 123.45`."""
    sign = "-" if cents < 0 else ""
    return f"EUR {sign}{abs(cents) // 100}.{abs(cents) % 100:02d}"
