"""Compares a result that an answer states with what its terms give exactly.

300 + 470 = 770       right
1 / 3 = 0.33          right, since it is rounded
1.199 + 2 = 1,201     right, since `1.199` may mean 1199
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from controlplane.gates.support.arithmetic.result_meanings import meanings_of
from controlplane.gates.support.arithmetic.terms import Terms
from controlplane.gates.values.numbers.amounts import MOST_DIGITS
from controlplane.gates.values.value_kinds import WrittenValue


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
    meanings = meanings_of(result, may_be_share=has_percentage)
    is_right = any(meaning.is_near(amount) for meaning in meanings for amount in exact)
    text = terms.answer[terms.numbers[0].start : result.end]
    return ShownResult(result, terms.numbers, is_right, text)
