"""Finds results that an answer states before the numbers from which they come.

    239 kg: 185 kg, 42 kg and 12 kg       a sum
    45 % (188.80 of 423.80)               a share

Only right results are returned, because other numbers behind a colon or in parentheses
may have nothing to do with the number before them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from controlplane.gates.support.arithmetic.exact_results import evaluate, readings_of
from controlplane.gates.support.arithmetic.number_connections import (
    MAX_CHARS_BETWEEN_TERMS,
)
from controlplane.gates.support.arithmetic.shown_results import ShownResult, compared
from controlplane.gates.support.arithmetic.terms import MAX_TERMS, Terms


def result_before_terms(all_terms: Terms, index: int) -> ShownResult | None:
    """Return the number at an index, if it is the right result of the terms after it.

    `all_terms` are all numbers of the answer, with what stands between them.
    """
    result = all_terms.numbers[index]
    terms = _terms_after(all_terms, index)
    if terms is None:
        return None
    exact = [_exact_result(terms, amounts) for amounts in readings_of(terms)]
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
