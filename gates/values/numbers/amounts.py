"""Exact amounts as texts in a canonical form, so that equal amounts are equal texts.

The form is `1250.5`, or `10/3` for a fraction without finite decimals. The digits of a
number with more than `MOST_DIGITS` are only moved, never converted to `int`: that would
take too long for a million digits.
"""

from __future__ import annotations

from decimal import Context, Decimal, Inexact, InvalidOperation, Rounded
from fractions import Fraction
from typing import Final

MOST_DIGITS: Final = 60
"""A number with more digits is compared with others, but is not used in calculations."""


def canonical_amount(digits: str) -> str:
    """Remove needless zeros from digits with at most one point: `0012.50` -> `12.5`."""
    whole, _, decimals = digits.partition(".")
    whole = whole.lstrip("0") or "0"
    decimals = decimals.rstrip("0")
    return f"{whole}.{decimals}" if decimals else whole


def shifted(amount: str, power: int) -> str:
    """Return a canonical amount times a power of ten, by moving its point.

    `12.5` and 3 -> `12500`; `1250` and -2 -> `12.5`.
    A fraction such as `10/3` stays as it is.
    """
    if "/" in amount:
        return amount
    whole, _, decimals = amount.partition(".")
    if power >= 0:  # the first decimals become a part of the whole
        decimals = decimals.ljust(power, "0")
        return canonical_amount(f"{whole}{decimals[:power]}.{decimals[power:]}")
    places = -power  # the last digits of the whole become decimals
    whole = whole.rjust(places + 1, "0")
    return canonical_amount(f"{whole[:-places]}.{whole[-places:]}{decimals}")


def fraction_text(amount: Fraction) -> str:
    """Return an exact amount in canonical form: 5/2 -> `2.5`; 10/3 -> `10/3`."""
    # A result may have more digits than the numbers that it comes from. With these traps, the
    # division raises an exception if its decimals do not end, as with 10/3.
    context = Context(prec=2 * MOST_DIGITS, traps=[Inexact, InvalidOperation, Rounded])
    try:
        decimal = context.divide(Decimal(amount.numerator), Decimal(amount.denominator))
    except (Inexact, InvalidOperation, Rounded):
        return f"{amount.numerator}/{amount.denominator}"
    sign = "-" if decimal < 0 else ""
    return sign + canonical_amount(f"{abs(decimal):f}")
