"""Says if a number that an answer states is rounded from an exact amount: 6.5 from 6.545."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from controlplane.gates.values.numbers.amounts import MOST_DIGITS
from controlplane.gates.values.value_kinds import WrittenValue

LEAST_ROUNDED: Final = 10
"""A number may be rounded if its digits make at least this: 12 and 1.0, but not 2 and 0.7.

Too many numbers round to one of a single digit.
"""


def amount_of(value: WrittenValue) -> Fraction | None:
    """Return the exact amount of a number, or None if it has too many digits to calculate with."""
    if len(value.canonical) > MOST_DIGITS:
        return None
    return Fraction(value.canonical)


def is_rounded(stated: WrittenValue, exact: Fraction) -> bool:
    """Return True if an exact amount gives a stated number when it is rounded to its decimals.

    6.545 gives 6.5. A half may be rounded either way: 6.55 to 6.5 or 6.6. Numbers of a single
    digit never count (see `LEAST_ROUNDED`).
    """
    amount = amount_of(stated)
    if amount is None:
        return False
    last_digit = Fraction(10) ** -stated.decimals  # 1/10 for 6.5
    # In units of its last digit, 6.5 is 65, which is at least `LEAST_ROUNDED`.
    is_long_enough = abs(amount) >= LEAST_ROUNDED * last_digit
    return is_long_enough and abs(amount - exact) <= last_digit / 2
