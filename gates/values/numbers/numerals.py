"""A written number with its exact amount: `3½`, `3.4 million`."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from fractions import Fraction

from controlplane.gates.values.numbers.amounts import (
    MOST_DIGITS,
    fraction_text,
    shifted,
)


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number as it is written.

    written          amount        decimals
    `12.50`          `12.5`         2
    `12`             `12`           0
    `3.4 million`    `3400000`     -5
    """

    amount: str
    """Its canonical form: `1250.5`, `10/3`; equal for equal amounts."""
    decimals: int = 0
    """The place of the last written digit: 2 for hundredths, -5 for 100,000s.

    It shows to which precision the number is given.
    """
    other_amount: str = ""
    """The second amount of a number that can be read in two ways: of `1.250`, 1.25."""
    other_decimals: int = 0


def with_fraction(numeral: Numeral, fraction: Fraction) -> Numeral:
    """Return a numeral with a fraction added: 3 and ½ -> 3.5.

    A number with more than `MOST_DIGITS` digits is returned without the fraction, because
    to calculate with it would take too long.
    """
    if len(numeral.amount) > MOST_DIGITS:
        return numeral
    amount = fraction_text(Fraction(numeral.amount) + fraction)
    decimals = amount.partition(".")[2]
    return Numeral(amount, len(decimals))


def times_power_of_ten(numeral: Numeral, power: int) -> Numeral:
    """Return a numeral times a power of ten, such as 6 for a million: `3.4` -> 3400000.

    `decimals` falls by the power: it is 1 for `3.4`, and 1 - 6 = -5 for `3.4 million`.
    """
    other_amount = ""
    if numeral.other_amount:  # the number can be read in two ways: `1.250 million`
        other_amount = shifted(numeral.other_amount, power)
    return Numeral(
        amount=shifted(numeral.amount, power),
        decimals=numeral.decimals - power,
        other_amount=other_amount,
        other_decimals=numeral.other_decimals - power,
    )


def fraction_of_sign(sign: str) -> Fraction:
    """Return the amount of a fraction's sign: `½` -> 1/2."""
    # `numeric` returns a float, 0.333… for ⅓. All signs have denominators far below 1000.
    return Fraction(unicodedata.numeric(sign)).limit_denominator(1000)
