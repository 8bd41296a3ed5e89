"""The amounts that a stated result may mean: 1199 and 1.199 for `1.199`."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from controlplane.gates.values.value_kinds import WrittenValue

ROUNDING_TOLERANCE: Final = Fraction(501, 1000)
"""How much a right result may differ from the exact one, in units of its last digit: 5.2 from
5.25 by one half.

It is a little more than one half, because the terms may be rounded themselves.
"""


@dataclass(frozen=True, slots=True)
class Meaning:
    """One amount that a stated result may mean."""

    amount: Fraction
    last_digit: Fraction
    """What one step of the last digit is worth: 1/10 in `5.2`.

    It is 100 in `1,200`, because zeros at the end may come from rounding.
    """

    def times(self, factor: Fraction) -> Meaning:
        """Return the meaning in another unit or scale: both fields multiplied by a factor."""
        return Meaning(self.amount * factor, self.last_digit * factor)

    def is_near(self, exact: Fraction) -> bool:
        """Return True if an exact result rounds to this amount. Signs are ignored."""
        difference = abs(abs(exact) - abs(self.amount))
        return difference <= self.last_digit * ROUNDING_TOLERANCE


def meanings_of(result: WrittenValue, *, may_be_share: bool) -> list[Meaning]:
    """Return what a result may mean: 1199 and 1.199 for `1.199`.

    With `may_be_share`, the answer may have given a share as a percentage, or the other way
    round: 25 may also mean 0.25, and 0.25 may mean 25.
    """
    meanings = [_meaning(result.canonical, result.decimals)]
    if result.other_canonical:
        meanings.append(_meaning(result.other_canonical, result.other_decimals))
    if not may_be_share:
        return meanings
    shares = [meaning.times(Fraction(1, 100)) for meaning in meanings]
    percentages = [meaning.times(Fraction(100)) for meaning in meanings]
    return meanings + shares + percentages


def _meaning(canonical: str, decimals: int) -> Meaning:
    """Return an amount with what its last digit counts: 1200 with 100, 5.2 with 1/10."""
    last_digit = Fraction(10) ** -decimals
    if decimals == 0 and canonical != "0":
        closing_zeros = len(canonical) - len(canonical.rstrip("0"))
        last_digit = Fraction(10) ** closing_zeros
    return Meaning(Fraction(canonical), last_digit)
