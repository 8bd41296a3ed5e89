"""Compares a result that an answer states with what its terms give exactly.

300 + 470 = 770       right
1 / 3 = 0.33          right, since it is rounded
1.199 + 2 = 1,201     right, since `1.199` may mean 1199
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from controlplane.gates.support.arithmetic.terms import Terms
from controlplane.gates.values.digits import MOST_DIGITS
from controlplane.gates.values.spans import WrittenValue

# The amounts that a stated result may mean: 1199 and 1.199 for `1.199`.

_ROUNDING_TOLERANCE: Final = Fraction(501, 1000)
"""How much a right result may differ from the exact one, in units of its last digit: 5.2 from
5.25 by one half.

It is a little more than one half, because the terms may be rounded themselves.
"""


@dataclass(frozen=True, slots=True)
class _ResultMeaning:
    """One amount that a stated result may mean."""

    amount: Fraction
    last_digit: Fraction
    """What one step of the last digit is worth: 1/10 in `5.2`.

    It is 100 in `1,200`, because zeros at the end may come from rounding.
    """

    def times(self, factor: Fraction) -> _ResultMeaning:
        """Return the meaning in another unit or scale: both fields multiplied by a factor."""
        return _ResultMeaning(self.amount * factor, self.last_digit * factor)

    def is_near(self, exact: Fraction) -> bool:
        """Return True if an exact result rounds to this amount. Signs are ignored."""
        difference = abs(abs(exact) - abs(self.amount))
        return difference <= self.last_digit * _ROUNDING_TOLERANCE


def _meanings_of(result: WrittenValue, *, may_be_share: bool) -> list[_ResultMeaning]:
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


def _meaning(canonical: str, decimals: int) -> _ResultMeaning:
    """Return an amount with what its last digit counts: 1200 with 100, 5.2 with 1/10."""
    last_digit = Fraction(10) ** -decimals
    if decimals == 0 and canonical != "0":
        closing_zeros = len(canonical) - len(canonical.rstrip("0"))
        last_digit = Fraction(10) ** closing_zeros
    return _ResultMeaning(Fraction(canonical), last_digit)


@dataclass(frozen=True, slots=True)
class ShownResult:
    """A result that an answer states together with its terms: `300 + 470 = 770`."""

    result: WrittenValue
    """770"""
    operands: tuple[WrittenValue, ...]
    """300 and 470"""
    is_right: bool
    """True if the operands give the result, exactly or rounded."""
    text: str
    """The part of the answer from the first operand to the result."""


def compared(
    terms: Terms, result: WrittenValue, exact_results: Iterable[Fraction | None]
) -> ShownResult | None:
    """Compare a stated result with the exact ones. It is right if it is near one of them.

    There is an exact result for each reading of the terms: 1201 and 3.199 for `1.199 + 2`. It
    is None for a division by 0. Returns None if all are, because nothing can be compared.
    """
    exact = [amount for amount in exact_results if amount is not None]
    if not exact or len(result.canonical) > MOST_DIGITS:
        return None
    # `12 of 48` is 0.25 or 25 %: with a percentage, the result may be stated either way.
    has_percentage = result.unit == "%" or "%" in terms.units
    meanings = _meanings_of(result, may_be_share=has_percentage)
    is_right = any(meaning.is_near(amount) for meaning in meanings for amount in exact)
    text = terms.answer[terms.numbers[0].start : result.end]
    return ShownResult(result, terms.numbers, is_right, text)
