"""Checks the equations of an answer: `300 + 470 = 770`, `(13.1 - 2.8) * 0.5 = 5.15`.

An answer is given as its numbers with the connections between them. For the second equation:

    numbers        0: 13.1    1: 2.8    2: 0.5    3: 5.15
    connections         0: -      1: )*     2: =
"""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.gates.support.arithmetic.exact_results import evaluate, readings_of
from controlplane.gates.support.arithmetic.number_connections import Connection
from controlplane.gates.support.arithmetic.shown_results import ShownResult, compared
from controlplane.gates.support.arithmetic.terms import MAX_TERMS, Terms


def equation_with_last_term(all_terms: Terms, last: int) -> ShownResult | None:
    """Check the equation that ends with a number and `=`: with the 0.5 in `2.8 * 0.5 = 1.4`.

    `all_terms` are all numbers of the answer, and `last` is the index of the 0.5. Returns None
    if no `=` follows this number, or if the equation cannot be calculated.
    """
    # 1. Find the equation: from the first term to the `=`, and the result behind it. The `=` stands
    #    between the last term and the next number.
    before_result = all_terms.connections[last]
    if not before_result.operators.endswith("="):
        return None
    result = all_terms.numbers[last + 1]
    first = _first_term(all_terms.connections, last)
    if first == last:  # `x = 5`
        return None
    terms = all_terms.part(first, last + 1)

    # 2. Leave it out if it has several units:
    # `20 % * 3 kg = 0.6 kg` has one unit, but `3 kg + 4 h` has two.
    units = terms.units | {result.unit}
    units.discard("")
    units.discard("%")
    if len(units) > 1:
        return None

    # 3. Calculate it. An ambiguous number such as `1.199` is read as 1199, then as 1.199.
    calculation = _calculation(terms, before_result)
    if calculation is None:
        return None
    exact = [evaluate(calculation, amounts) for amounts in readings_of(terms)]
    return compared(terms, result, exact)


def _first_term(connections: Sequence[Connection], last: int) -> int:
    """Return the index of the first number that operators connect with the last one.

    0 in `13.1 - 2.8 * 0.5 = 11.7`; 1 in `12 pieces, 2.8 * 0.5 = 1.4`
    """
    first = last
    while first > 0 and last - first < MAX_TERMS and connections[first - 1].is_operator:
        first -= 1
    return first


def _calculation(terms: Terms, before_result: Connection) -> str | None:
    """Return the calculation on the left of a `=`, with names for its numbers: `(n0-n1)*n2`.

    Returns None if the answer lacks a parenthesis before the first number.
    """
    # `expression` has only what stands between two numbers. The parentheses behind the last
    # number come with the `=`: `3 * (4 + 5) = 27`.
    closing = before_result.operators.removesuffix("=")
    calculation = terms.expression + closing

    # Those in front of the first number are still missing: `n0-n1)*n2`.
    missing = calculation.count(")") - calculation.count("(")
    opening = "(" * max(missing, 0)
    if not terms.text_before.endswith(opening):
        return None
    return opening + calculation
