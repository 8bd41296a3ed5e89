"""Compares a result that an answer states with what its terms give exactly.

A number such as `1.199` may mean 1199 or 1.199. A result is right if any of these
readings is, exactly or rounded.
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
    """The result of arithmetic that an answer shows."""

    result: WrittenValue
    operands: tuple[WrittenValue, ...]
    """Its terms: 300 and 470 of `300 + 470 = 770`."""
    is_right: bool
    text: str
    """The part of the answer from the first operand to the result."""


def compared(
    terms: Terms, result: WrittenValue, exact_results: Iterable[Fraction | None]
) -> ShownResult | None:
    """Compare a stated result with the exact ones. It is right if it is near one of them.

    There is an exact result for each reading of the terms; `1.199 + 2` has two. It is
    None for a division by 0. If all are None, nothing can be compared: returns None.
    """
    exact = [amount for amount in exact_results if amount is not None]
    if not exact or len(result.canonical) > MOST_DIGITS:
        return None
    meanings = meanings_of(
        result, may_be_share=result.unit == "%" or "%" in terms.units
    )
    is_right = any(meaning.is_near(amount) for meaning in meanings for amount in exact)
    text = terms.answer[terms.numbers[0].start : result.end]
    return ShownResult(result, terms.numbers, is_right, text)
