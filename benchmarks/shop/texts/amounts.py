"""Reads and writes amounts of money: `€ 1.200,50` and `1200.50 EUR` are 120050 cents.

Cents are whole numbers, so that amounts can be added and compared exactly. With fractions, 0.1
and 0.2 would not make 0.3.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final

from controlplane.gates.values.number_style import NumberStyle
from controlplane.gates.values.numbers.digits import numeral_of_digits

_NUMBER: Final = r"(?:\d{1,3}(?:[.,' ]\d{3})+(?:[.,]\d{1,2})?|\d+(?:[.,]\d{1,2})?)"
"""`1.200,50`, `1 200`, `12.5`: digits in groups or without, and at most two decimals."""
_CURRENCY: Final = r"(?:EUR(?:OS?)?|€)"
_EUROS: Final = re.compile(
    rf"{_CURRENCY}\s*(?P<after_currency>{_NUMBER})(?!\d)"  # `EUR 12.50`
    rf"|(?<![\w.,-])(?P<before_currency>{_NUMBER})\s*{_CURRENCY}(?!\w)",  # `12,50 €`
    re.IGNORECASE,
)
"""An amount with its currency before or after it."""
_NARROW_BLANK: Final = re.compile(r"[\u00a0\u2009\u202f]")
"""Special blanks between groups of digits, or between a number and its currency."""


def money_in_text(text: str) -> int | None:
    """Return the first amount in euros in a text, in cents; None if there is none.

    `pay € 1.200,50 or EUR 3` -> 120050
    """
    match = _EUROS.search(_NARROW_BLANK.sub(" ", text))
    if match is None:
        return None
    return cents_of(match["after_currency"] or match["before_currency"])


def cents_of(amount: str) -> int:
    """Return a written amount in cents: `1.200,50` -> 120050, `1.200` -> 120000, `1.5` -> 150.

    A separator before exactly three digits groups thousands, because an amount never
    has three decimals.
    """
    numeral = numeral_of_digits(amount, NumberStyle())
    return int(Fraction(numeral.amount) * 100)


def amount_text(cents: int) -> str:
    """Return an amount as the shop writes it: `EUR 123.45`."""
    sign = "-" if cents < 0 else ""
    euros, rest = divmod(abs(cents), 100)
    return f"EUR {sign}{euros}.{rest:02d}"
