"""Recalculates the arithmetic in an answer, and reports which results are right.

An answer may write a calculation in four ways:

1. an equation: `300 + 470 = 770`;
2. a share or a change in words: `12 of 48, i.e. 25 %`, `from 40 to 30, a loss of 10`;
3. a result, and then the numbers it comes from: `239 kg: 185 kg, 42 kg and 12 kg`;
4. two dates or times, and the time between them: `from 3 May to 12 May, 9 days`.

Wrong results are reported only for 1 and 2. In 3 and 4, a number that does not fit may
have nothing to do with the calculation, so only right results are reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from controlplane.gates.support.arithmetic.durations import durations, shifted_moments
from controlplane.gates.support.arithmetic.number_connections import (
    MAX_CHARS_BETWEEN_TERMS,
    Connection,
    Terms,
    connected,
    without_operator_signs,
)
from controlplane.gates.support.arithmetic.shown_results import (
    ShownResult,
    compared,
    evaluate,
    readings_of,
)
from controlplane.gates.values.value_kinds import Kind, WrittenValue

MAX_TERMS: Final = 12
"""The most numbers of a calculation that is checked."""


def shown_results(answer: str, values: Sequence[WrittenValue]) -> Iterator[ShownResult]:
    """Yield each result of arithmetic in an answer, given the values of the answer in order."""
    numbers = [value for value in values if value.kind is Kind.NUMBER]
    # All numbers, each with the connection to the next one: the text between them. In
    # `13 -2 = 11`, they are 13, 2 and 11: this `-` is an operator, not a sign.
    all_terms = connected(answer, without_operator_signs(numbers))

    # 1 and 2. Any number may be the last term of an equation, or the first of a share or change.
    for index in range(len(all_terms.connections)):
        equation = _equation(all_terms, index)
        if equation is not None:
            yield equation
        pair = _pair_with_result(all_terms, index)
        if pair is None:
            continue
        for check in (_share, _change):
            shown = check(pair)
            if shown is not None:
                yield shown

    # 3. These come second, because a caller may support their terms by the results of 1 and 2.
    for index in range(len(all_terms.connections)):
        shown = _result_before_terms(all_terms, index)
        if shown is not None:
            yield shown

    # 4. `from 3 May to 12 May, 9 days`, and `3 May, 9 days later, on 12 May`
    yield from durations(answer, values)
    yield from shifted_moments(answer, values)


# Equations


def _equation(all_terms: Terms, last: int) -> ShownResult | None:
    """Check the equation whose last term is at an index: 0.5 in `(13.1 - 2.8) * 0.5 = 5.15`.

    Returns None if no `=` follows this number, or if the equation cannot be calculated.
    """
    before_result = all_terms.connections[last]
    if not before_result.operators.endswith("="):
        return None
    result = all_terms.numbers[last + 1]
    first = _first_term(all_terms.connections, last)
    if first == last:  # `x = 5`
        return None
    terms = all_terms.part(first, last + 1)

    # `20 % * 3 kg = 0.6 kg` has one unit, but `3 kg + 4 h` has two.
    units = terms.units | {result.unit}
    units.discard("")
    units.discard("%")
    if len(units) > 1:
        return None

    calculation = _calculation(terms, before_result)
    if calculation is None:
        return None
    exact = [evaluate(calculation, amounts) for amounts in readings_of(terms)]
    return compared(terms, result, exact)


def _first_term(connections: Sequence[Connection], last: int) -> int:
    """Return the index of the first number that operators connect with the last one."""
    first = last
    while first > 0 and last - first < MAX_TERMS and connections[first - 1].is_operator:
        first -= 1
    return first


def _calculation(terms: Terms, before_result: Connection) -> str | None:
    """Return the calculation on the left of a `=`, with names for its numbers: `(n0-n1)*n2`.

    Returns None if the answer lacks a parenthesis before the first number.
    """
    # Parentheses after the last number stand in front of the `=`: `3 * (4 + 5) = 27`.
    closing = before_result.operators.removesuffix("=")
    calculation = terms.expression + closing

    # Those before the first number are not between two numbers, so they are missing so
    # far: `n0-n1)*n2`.
    missing = calculation.count(")") - calculation.count("(")
    opening = "(" * max(missing, 0)
    if not terms.text_before.endswith(opening):
        return None
    return opening + calculation


# Shares and changes in words


@dataclass(frozen=True, slots=True)
class _PairWithResult:
    """Two numbers, and the result that the answer gives for them: `12 of 48, i.e. 25 %`."""

    pair: Terms
    between: Connection
    """`of`: what stands between the two numbers."""
    before_result: Connection
    """`i.e.`: what stands before the result."""
    result: WrittenValue


def _pair_with_result(all_terms: Terms, index: int) -> _PairWithResult | None:
    """Return three numbers from an index on, if the first two may have the same unit.

    The first may leave its unit out: `12 of 48 kg`.
    """
    if index + 2 >= len(all_terms.numbers):
        return None
    pair = all_terms.part(index, index + 2)
    first, second = pair.numbers
    if first.unit not in ("", second.unit):
        return None
    return _PairWithResult(
        pair,
        between=all_terms.connections[index],
        before_result=all_terms.connections[index + 1],
        result=all_terms.numbers[index + 2],
    )


def _share(stated: _PairWithResult) -> ShownResult | None:
    """Check a share: `12 of 48, i.e. 25 %`."""
    if not stated.between.means_of or not stated.before_result.means_that_is:
        return None
    if stated.result.unit != "%":
        return None
    exact = [_percentage(part, whole) for part, whole in readings_of(stated.pair)]
    return compared(stated.pair, stated.result, exact)


def _change(stated: _PairWithResult) -> ShownResult | None:
    """Check a change: `from 40 to 30, a loss of 10`, or `a loss of 25 %`."""
    if not stated.between.means_to or not stated.before_result.names_change:
        return None
    if not stated.pair.has_from_before:  # the word `from` before the 40
        return None
    exact: list[Fraction | None] = []
    for before, after in readings_of(stated.pair):
        exact += [after - before, _percentage(after - before, before)]
    return compared(stated.pair, stated.result, exact)


def _percentage(part: Fraction, whole: Fraction) -> Fraction | None:
    return 100 * part / whole if whole else None


# Results before their terms


def _result_before_terms(all_terms: Terms, index: int) -> ShownResult | None:
    """Return the number at an index, if it is the right result of the terms behind it.

    `45 % (188.80 of 423.80)`, `59 kg: 42 kg and 17 kg`
    """
    result = all_terms.numbers[index]
    terms = _terms_behind(all_terms, index)
    if terms is None:
        return None
    exact = [_exact_result(terms, amounts) for amounts in readings_of(terms)]
    shown = compared(terms, result, exact)
    if shown is None or not shown.is_right:
        return None
    return replace(shown, text=all_terms.answer[result.start : terms.numbers[-1].end])


def _terms_behind(all_terms: Terms, index: int) -> Terms | None:
    """Return the numbers that explain the number at an index; None for less than two.

    They stand in parentheses or behind a colon: `45 % (188.80 of 423.80)`, `59 kg: 42 kg
    and 17 kg`.
    """
    first = index + 1
    end_of_result = all_terms.numbers[index].end
    start = all_terms.numbers[first].start
    text_between = all_terms.answer[end_of_result:start]
    # A point that touches one of the two numbers belongs to it: `45 kg.: 12 kg`.
    has_sentence_end = "." in text_between.strip(".")
    if len(text_between) > MAX_CHARS_BETWEEN_TERMS or has_sentence_end:
        return None

    if "(" in text_between:
        end_mark = ")"
    elif ":" in text_between:
        end_mark = "\n"
    else:
        return None
    end_of_terms = all_terms.answer.find(end_mark, start)
    if end_of_terms < 0:
        end_of_terms = len(all_terms.answer)

    end = first
    for number in all_terms.numbers[first : first + MAX_TERMS]:
        if number.start < end_of_terms:
            end += 1
    if end - first < 2:
        return None
    return all_terms.part(first, end)


def _exact_result(terms: Terms, amounts: Sequence[Fraction]) -> Fraction | None:
    """Return the result of terms, given the amount of each: 3 for `2 + 1`, and for `2 kg and 1 kg`.

    Returns None if the terms are not connected in a known way.
    """
    # `2 * 5 + 7`
    if all(connection.is_operator for connection in terms.connections):
        return evaluate(terms.expression, amounts)

    # `188.80 of 423.80`
    exact: Fraction | None = None
    if len(amounts) == 2:
        exact = _result_of_pair(terms, *amounts)
    if len(amounts) == 3:
        exact = _product_less_percentage(terms, *amounts)
    if exact is not None:
        return exact

    # `185 kg, 42 kg and 12 kg`: a list with one unit is a sum
    return sum(amounts, Fraction(0)) if len(terms.units) == 1 else None


def _result_of_pair(terms: Terms, first: Fraction, second: Fraction) -> Fraction | None:
    """Return the result of two terms by the words between them; None for other words."""
    connection = terms.connections[0]
    # `1,240 EUR less 5 %`
    if connection.means_less and terms.numbers[1].unit == "%":
        return first * (1 - second / 100)

    # `188.80 of 423.80`, in percent
    if connection.means_of and second:
        return 100 * first / second

    # `from 40 to 30`
    if connection.means_to and terms.has_from_before:
        return second - first
    return None


def _product_less_percentage(
    terms: Terms, count: Fraction, amount: Fraction, percentage: Fraction
) -> Fraction | None:
    """Return the amount of `3 x 40 EUR less 5 %`; None for terms that are connected otherwise."""
    before_second, before_third = terms.connections
    subtracts = before_third.means_less and terms.numbers[2].unit == "%"
    if before_second.operators != "*" or not subtracts:
        return None
    return count * amount * (1 - percentage / 100)
