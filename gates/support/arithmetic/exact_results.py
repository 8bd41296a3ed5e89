"""Calculates exactly what the terms of a calculation give.

A number such as `1.199` may mean 1199 or 1.199, so the same terms may give several
results.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Final

from controlplane.gates.python_syntax import parse_expression
from controlplane.gates.support.arithmetic.terms import Terms
from controlplane.gates.values.numbers.amounts import MOST_DIGITS

MAX_AMBIGUOUS_TERMS: Final = 4
"""If at most this many terms have two readings, such as `1.199`, all combinations are tried."""


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
        amounts = [
            Fraction(reading) for reading in readings if len(reading) <= MOST_DIGITS
        ]
        if not amounts:
            return
        amounts_by_term.append(amounts)
    yield from product(*amounts_by_term)


def evaluate(expression: str, amounts: Sequence[Fraction]) -> Fraction | None:
    """Return the exact result of an expression over the amounts `n0`, `n1`, …

    `n0+n1*n2` with the amounts 2, 3 and 4 -> 14. Returns None if it is not valid, such as
    `n0+n1)*n2`, or divides by 0.
    """
    try:
        tree = parse_expression(expression)
    except (SyntaxError, RecursionError, MemoryError):
        return None
    amounts_by_name = {f"n{index}": amount for index, amount in enumerate(amounts)}
    return _result_of(tree.body, amounts_by_name)


def _result_of(node: ast.expr, amounts: Mapping[str, Fraction]) -> Fraction | None:
    """Return the result of a name or of one of the four operations; None for anything else.

    A division by 0 has no result.
    """
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
