"""Compares a result that an answer states with what its terms give exactly.

A number such as `1.199` may mean 1199 or 1.199. A result is right if any of these
readings is, exactly or rounded.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Final

from controlplane.gates.python_syntax import parse_expression
from controlplane.gates.support.arithmetic.number_connections import Terms
from controlplane.gates.values.numerals import MOST_DIGITS
from controlplane.gates.values.value_kinds import WrittenValue

MAX_AMBIGUOUS_TERMS: Final = 4
"""If at most this many terms have two readings, such as `1.199`, all combinations are tried."""
ROUNDING_TOLERANCE: Final = Fraction(501, 1000)
"""How much a right result may differ from the exact one, in units of its last digit.

It is one half, for rounding the result, and a little more for terms that were rounded.
"""


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
    meanings = _meanings(result, may_be_share=result.unit == "%" or "%" in terms.units)
    is_right = any(meaning.is_near(amount) for meaning in meanings for amount in exact)
    text = terms.answer[terms.numbers[0].start : result.end]
    return ShownResult(result, terms.numbers, is_right, text)


# What a stated result may mean


@dataclass(frozen=True, slots=True)
class _Meaning:
    """One amount that a stated result may mean."""

    amount: Fraction
    last_digit: Fraction
    """What the last digit counts: tenths in `5.2`, hundreds in `1,200`, which may be rounded."""

    def times(self, factor: Fraction) -> _Meaning:
        return _Meaning(self.amount * factor, self.last_digit * factor)

    def is_near(self, exact: Fraction) -> bool:
        """Return True if an exact result rounds to this amount. Signs are ignored."""
        difference = abs(abs(exact) - abs(self.amount))
        return difference <= self.last_digit * ROUNDING_TOLERANCE


def _meanings(result: WrittenValue, *, may_be_share: bool) -> list[_Meaning]:
    """Return what a result may mean: 1199 and 1.199 for `1.199`.

    With `may_be_share`, 25 may also mean 25 % = 0.25, and 0.25 may mean 25 (%).
    """
    meanings = [_meaning(result.canonical, result.decimals)]
    if result.other_canonical:
        meanings.append(_meaning(result.other_canonical, result.other_decimals))
    if not may_be_share:
        return meanings
    shares = [meaning.times(Fraction(1, 100)) for meaning in meanings]
    percentages = [meaning.times(Fraction(100)) for meaning in meanings]
    return meanings + shares + percentages


def _meaning(canonical: str, decimals: int) -> _Meaning:
    """Return an amount with what its last digit counts: 1200 with 100, 5.2 with 1/10."""
    last_digit = Fraction(10) ** -decimals
    if decimals == 0 and canonical != "0":
        closing_zeros = len(canonical) - len(canonical.rstrip("0"))
        last_digit = Fraction(10) ** closing_zeros
    return _Meaning(Fraction(canonical), last_digit)


# What terms give


def readings_of(terms: Terms) -> Iterator[tuple[Fraction, ...]]:
    """Yield the amounts of all terms, once for each combination of their readings.

    `1.199 + 2` -> (1199, 2) and (1.199, 2). If many terms have two readings, the
    combinations would be too many, so only first readings count. Yields nothing if a term
    has too many digits to calculate with.
    """
    ambiguous = sum(1 for number in terms.numbers if number.other_canonical)
    amounts_by_term: list[list[Fraction]] = []
    for number in terms.numbers:
        readings = [number.canonical]
        if number.other_canonical and ambiguous <= MAX_AMBIGUOUS_TERMS:
            readings.append(number.other_canonical)
        amounts_by_term.append(
            [Fraction(reading) for reading in readings if len(reading) <= MOST_DIGITS]
        )
    yield from product(*amounts_by_term)


def evaluate(expression: str, amounts: Sequence[Fraction]) -> Fraction | None:
    """Return the exact result of an expression over `n0`, `n1`, …; None if it is not valid."""
    try:
        tree = parse_expression(expression)
    except (SyntaxError, RecursionError, MemoryError):
        return None
    amounts_by_name = {f"n{index}": amount for index, amount in enumerate(amounts)}
    return _result_of(tree.body, amounts_by_name)


def _result_of(node: ast.expr, amounts: Mapping[str, Fraction]) -> Fraction | None:
    """Evaluate a name or one of the four operations; None for anything else, or a division by 0."""
    if isinstance(node, ast.Name):
        return amounts.get(node.id)
    if not isinstance(node, ast.BinOp):
        return None
    left = _result_of(node.left, amounts)
    right = _result_of(node.right, amounts)
    if left is None or right is None:
        return None
    match node.op:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.Div() if right:  # not 0
            return left / right
    return None
