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

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from itertools import permutations, product
from typing import Final

from controlplane.gates.python_syntax import parse_expression
from controlplane.gates.support.arithmetic.number_connections import (
    MAX_CHARS_BETWEEN_TERMS,
    NumberConnection,
)
from controlplane.gates.support.arithmetic.shown_results import ShownResult, compared
from controlplane.gates.support.arithmetic.terms import (
    MAX_TERMS,
    Terms,
    connected,
    without_operator_signs,
)
from controlplane.gates.values.digits import MOST_DIGITS
from controlplane.gates.values.spans import (
    ValueKind,
    WrittenValue,
    day_of_date,
    year_of_date,
)
from controlplane.gates.values.units import UNIT_BY_NAME

# Recalculates dates and times that are a duration apart.
#
#     from 3 May to 12 May, 9 days                       the duration is right
#     ordered on 3 May, delivered 9 days later, 12 May   so are the dates
#
# Only right results are returned, because a wrong duration may belong to something else.

_MAX_CHARS_BEFORE_DURATION: Final = 60
"""Characters between the first of two dates and the duration that is calculated from them."""
_SECONDS_A_DAY: Final = 86_400
_SECONDS_AN_HOUR: Final = 3_600


def durations(answer: str, values: Sequence[WrittenValue]) -> Iterator[ShownResult]:
    """Yield right durations behind two dates or times: `from 3 May to 12 May, 9 days`.

    `values` are all values of the answer in order, also those that are no dates or times.
    """
    # Each three values in a row: 3 May, 12 May and 9 days
    for first, second, duration in zip(values, values[1:], values[2:], strict=False):
        seconds = _seconds_of(duration)
        is_near = duration.start - first.end < _MAX_CHARS_BEFORE_DURATION
        if seconds is None or not is_near:
            continue
        if _seconds_between(first, second) == seconds:
            text = answer[first.start : duration.end]
            yield ShownResult(duration, (first, second), is_right=True, text=text)


def _shifted_moments(
    answer: str, values: Sequence[WrittenValue]
) -> Iterator[ShownResult]:
    """Yield dates and times that are a duration before or after another one on the line.

    `ordered on 3 May, delivered 9 days later, on 12 May`: either date may be the one that
    was calculated, so two results are yielded. One is 12 May, with 3 May and 9 days as its
    operands, and one is 3 May. The caller knows which of the dates was read in a text.
    """
    for index, duration in enumerate(values):
        seconds = _seconds_of(duration)
        if seconds is None:
            continue
        # Both dates or times are among the two values before the duration and the two behind.
        before = values[max(index - 2, 0) : index]
        behind = values[index + 1 : index + 3]
        for first, second in permutations([*before, *behind], 2):  # in either order
            if _seconds_between(first, second) != seconds:
                continue
            start = min(first.start, duration.start, second.start)
            end = max(first.end, duration.end, second.end)
            text = answer[start:end]
            if "\n" not in text:
                yield ShownResult(second, (first, duration), is_right=True, text=text)


def _seconds_of(value: WrittenValue) -> Fraction | None:
    """Return the seconds of `9 days` or `1.5 h`; None if a value is not a duration."""
    unit = UNIT_BY_NAME.get(value.unit)
    if unit is None or unit.quantity != "duration":
        return None
    if len(value.canonical) > MOST_DIGITS:
        return None
    return Fraction(value.canonical) * unit.size  # `size`: seconds of one unit


def _seconds_between(first: WrittenValue, second: WrittenValue) -> int | None:
    """Return how far two dates, or two times of day, are apart; None for other values.

    3 May and 12 May 2026 are 9 days, 777,600 seconds, apart.
    """
    if first.kind is not second.kind:
        return None
    if first.kind is ValueKind.TIME:
        return abs(_seconds_since_midnight(second) - _seconds_since_midnight(first))
    if first.kind is ValueKind.DATE:
        return _seconds_between_dates(first, second)
    return None


def _seconds_since_midnight(time: WrittenValue) -> int:
    """Return the seconds of `17:10` or `17:10:05`."""
    parts = time.canonical.split(":")
    seconds = int(parts[2]) if len(parts) > 2 else 0
    return _SECONDS_AN_HOUR * int(parts[0]) + 60 * int(parts[1]) + seconds


def _seconds_between_dates(first: WrittenValue, second: WrittenValue) -> int | None:
    """Return how far two dates are apart; None if neither has a year.

    If only one has a year, the other is taken to be in the same year. Without any, it is
    unknown if a 29 February lies between them.
    """
    year = year_of_date(first) or year_of_date(second)
    if not year:
        return None
    first_date = _date_in(year, first)
    second_date = _date_in(year, second)
    if first_date is None or second_date is None:
        return None
    return abs((second_date - first_date).days) * _SECONDS_A_DAY


def _date_in(default_year: str, value: WrittenValue) -> date | None:
    """Return the date of a value, in its own year or the default one.

    12 March (canonically `--03-12`) in 2026 -> 2026-03-12. Returns None for 29 February in a
    year without that day.
    """
    year = year_of_date(value) or default_year
    month_and_day = day_of_date(value)  # `03-12`
    try:
        return date.fromisoformat(f"{year}-{month_and_day}")
    except ValueError:
        return None


# Calculates exactly what the terms of a calculation give.
#
# A number such as `1.199` may mean 1199 or 1.199, so the same terms may give several
# results.

_MAX_AMBIGUOUS_TERMS: Final = 4
"""If at most this many terms have two readings, such as `1.199`, all combinations are tried."""


def _readings_of(terms: Terms) -> Iterator[tuple[Fraction, ...]]:
    """Yield the amounts of all terms, once for each combination of their readings.

    `1.199 + 2` -> (1199, 2) and (1.199, 2). If many terms have two readings, the
    combinations would be too many, so only first readings count. Yields nothing if a term
    has too many digits to calculate with.
    """
    ambiguous = sum(1 for number in terms.numbers if number.other_canonical)
    amounts_by_term: list[list[Fraction]] = []
    for number in terms.numbers:
        readings = [number.canonical]
        if number.other_canonical and ambiguous <= _MAX_AMBIGUOUS_TERMS:
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


# Checks the equations of an answer: `300 + 470 = 770`, `(13.1 - 2.8) * 0.5 = 5.15`.
#
# An answer is given as its numbers with the connections between them. For the second equation:
#
#     numbers        0: 13.1    1: 2.8    2: 0.5    3: 5.15
#     connections         0: -      1: )*     2: =


def _equation_with_last_term(all_terms: Terms, last: int) -> ShownResult | None:
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
    exact = [evaluate(calculation, amounts) for amounts in _readings_of(terms)]
    return compared(terms, result, exact)


def _first_term(connections: Sequence[NumberConnection], last: int) -> int:
    """Return the index of the first number that operators connect with the last one.

    0 in `13.1 - 2.8 * 0.5 = 11.7`; 1 in `12 pieces, 2.8 * 0.5 = 1.4`
    """
    first = last
    while first > 0 and last - first < MAX_TERMS and connections[first - 1].is_operator:
        first -= 1
    return first


def _calculation(terms: Terms, before_result: NumberConnection) -> str | None:
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


# Finds results that an answer states before the numbers from which they come.
#
#     239 kg: 185 kg, 42 kg and 12 kg       a sum
#     45 % (188.80 of 423.80)               a share
#
# Only right results are returned, because other numbers behind a colon or in parentheses
# may have nothing to do with the number before them.


def _result_before_terms(all_terms: Terms, index: int) -> ShownResult | None:
    """Return the number at an index, if it is the right result of the terms after it.

    `all_terms` are all numbers of the answer, with what stands between them.
    """
    result = all_terms.numbers[index]
    terms = _terms_after(all_terms, index)
    if terms is None:
        return None
    exact = [_exact_result(terms, amounts) for amounts in _readings_of(terms)]
    shown = compared(terms, result, exact)
    if shown is None or not shown.is_right:
        return None
    # The text of `shown` ends at the result, but this result comes first.
    return replace(shown, text=all_terms.answer[result.start : terms.numbers[-1].end])


def _terms_after(all_terms: Terms, index: int) -> Terms | None:
    """Return the numbers that explain the number at an index; None for less than two.

    They stand in parentheses or after a colon: 188.80 and 423.80 for `45 % (188.80 of 423.80)`.
    """
    first = index + 1
    end_of_text = _end_of_explanation(
        all_terms.answer,
        after_result=all_terms.numbers[index].end,
        first_term=all_terms.numbers[first].start,
    )
    if end_of_text is None:
        return None
    count = 0
    for number in all_terms.numbers[first : first + MAX_TERMS]:
        if number.start < end_of_text:
            count += 1
    return all_terms.part(first, first + count) if count >= 2 else None


def _end_of_explanation(
    answer: str, *, after_result: int, first_term: int
) -> int | None:
    """Return where the text that explains a result ends; None if nothing explains it.

    The explanation of the 45 % in `45 % (188.80 of 423.80)` ends at the parenthesis, and
    that of the 59 in `59 kg: 42 kg and 17 kg` at the end of the line.

    Args:
        answer: The answer.
        after_result: The offset at which the result ends.
        first_term: The offset of the next number.
    """
    text_between = answer[after_result:first_term]
    # A point that touches one of the two numbers belongs to it: `45 kg.: 12 kg`.
    has_sentence_end = "." in text_between.strip(".")
    if len(text_between) > MAX_CHARS_BETWEEN_TERMS or has_sentence_end:
        return None
    if "(" in text_between:
        end = answer.find(")", first_term)
    elif ":" in text_between:
        end = answer.find("\n", first_term)
    else:
        return None
    return end if end >= 0 else len(answer)


def _exact_result(terms: Terms, amounts: Sequence[Fraction]) -> Fraction | None:
    """Return the result of terms, given the amount of each; None if words do not say how.

    | terms                        | result                          |
    | ---------------------------- | ------------------------------- |
    | `2 * 5 + 7`                  | 17, calculated                  |
    | `188.80 of 423.80`           | 44.55, the share in percent     |
    | `1,240 EUR less 5 %`         | 1178                            |
    | `from 40 to 30`              | -10, the difference             |
    | `3 x 40 EUR less 5 %`        | 114                             |
    | `185 kg, 42 kg and 12 kg`    | 239, a sum: the units are equal |
    """
    # `2 * 5 + 7`
    if all(connection.is_operator for connection in terms.connections):
        return evaluate(terms.expression, amounts)

    # Two or three terms with words between them: `188.80 of 423.80`
    exact: Fraction | None = None
    if len(amounts) == 2:
        exact = _result_of_pair(terms, *amounts)
    elif len(amounts) == 3:
        exact = _product_less_percentage(terms, *amounts)

    # A list of amounts in one unit: `185 kg, 42 kg and 12 kg`
    if exact is None and len(terms.units) == 1:
        return sum(amounts, Fraction(0))
    return exact


def _result_of_pair(terms: Terms, first: Fraction, second: Fraction) -> Fraction | None:
    """Return the result of two terms by the words between them; None for other words."""
    connection = terms.connections[0]
    # `1,240 EUR less 5 %`
    if connection.means_less and terms.numbers[1].unit == "%":
        return first * (1 - second / 100)

    # `188.80 of 423.80`, in percent. There is no share of 0.
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
    before_amount, before_percentage = terms.connections
    multiplies = before_amount.operators == "*"  # also for the `x` of `3 x 40`
    subtracts = before_percentage.means_less and terms.numbers[2].unit == "%"
    if not multiplies or not subtracts:
        return None
    return count * amount * (1 - percentage / 100)


# Checks shares and changes that an answer states in words.
#
# 12 of 48, i.e. 25 %                a share
# from 40 to 30, a loss of 10        a change


def _share_or_change(all_terms: Terms, index: int) -> ShownResult | None:
    """Check a share or change whose first number is at an index; None if there is none.

    `all_terms` are all numbers of the answer, with what stands between them.
    """
    stated = _pair_with_result(all_terms, index)
    if stated is None:
        return None
    if stated.is_share:
        return _share(stated)
    if stated.is_change:
        return _change(stated)
    return None


@dataclass(frozen=True, slots=True)
class _PairWithResult:
    """Two numbers, and the result that the answer gives for them: `12 of 48, i.e. 25 %`."""

    pair: Terms
    """12 and 48"""
    between: NumberConnection
    """`of`: what stands between the two numbers."""
    before_result: NumberConnection
    """`i.e.`: what stands before the result."""
    result: WrittenValue
    """25 %"""

    @property
    def is_share(self) -> bool:
        """True for `12 of 48, i.e. 25 %`."""
        is_percentage = self.result.unit == "%"
        states_result = self.before_result.means_that_is
        return self.between.means_of and states_result and is_percentage

    @property
    def is_change(self) -> bool:
        """True for `from 40 to 30, a loss of 10`."""
        if not self.between.means_to or not self.before_result.names_change:
            return False
        return self.pair.has_from_before  # the word `from` before the 40


def _pair_with_result(all_terms: Terms, index: int) -> _PairWithResult | None:
    """Return three numbers from an index on, if the first two may have the same unit.

    The first may leave its unit out: `12 of 48 kg`. Returns None for `12 h of 48 kg`, or if
    less than three numbers are left.
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
    """Check the 25 % of `12 of 48, i.e. 25 %`."""
    exact = [_percentage(part, whole) for part, whole in _readings_of(stated.pair)]
    return compared(stated.pair, stated.result, exact)


def _change(stated: _PairWithResult) -> ShownResult | None:
    """Check the 10 of `from 40 to 30, a loss of 10`, or the 25 % of `a loss of 25 %`."""
    amounts: list[Fraction | None] = []
    percentages: list[Fraction | None] = []
    for before, after in _readings_of(stated.pair):
        amounts.append(after - before)
        percentages.append(_percentage(after - before, before))
    return compared(stated.pair, stated.result, amounts + percentages)


def _percentage(part: Fraction, whole: Fraction) -> Fraction | None:
    """Return a part in percent of the whole: 25 for 12 of 48; None for a whole of 0."""
    return 100 * part / whole if whole else None


def shown_results(answer: str, values: Sequence[WrittenValue]) -> Iterator[ShownResult]:
    """Yield each result of arithmetic in an answer: 770, with its terms, for `300 + 470 = 770`.

    `values` are all values of the answer in order: numbers, dates and others.
    """
    numbers = [value for value in values if value.kind is ValueKind.NUMBER]
    # In `13 -2 = 11`, the `-` is an operator and not a sign, so the second number is 2.
    numbers = without_operator_signs(numbers)
    # Each number with the connection to the next one, which is the text between them
    all_terms = connected(answer, numbers)
    indices = range(len(all_terms.connections))  # of all numbers but the last one

    # 1 and 2. Any number may be the last term of an equation, or the first of a share or change.
    for index in indices:
        equation = _equation_with_last_term(all_terms, index)
        if equation is not None:
            yield equation
        pair = _share_or_change(all_terms, index)
        if pair is not None:
            yield pair

    # 3. These come after 1 and 2, whose results may be their terms: `300 + 470 = 770. Total 1000:
    #    770 and 230`. The caller learns in this order what is supported.
    for index in indices:
        shown = _result_before_terms(all_terms, index)
        if shown is not None:
            yield shown

    # 4. `from 3 May to 12 May, 9 days`, and `3 May, 9 days later, on 12 May`
    yield from durations(answer, values)
    yield from _shifted_moments(answer, values)
