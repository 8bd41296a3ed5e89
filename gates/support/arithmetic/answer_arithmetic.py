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

from controlplane.gates.support.arithmetic.durations import durations, shifted_moments
from controlplane.gates.support.arithmetic.equations import equation_with_last_term
from controlplane.gates.support.arithmetic.results_before_terms import (
    result_before_terms,
)
from controlplane.gates.support.arithmetic.shares_and_changes import share_or_change
from controlplane.gates.support.arithmetic.shown_results import ShownResult
from controlplane.gates.support.arithmetic.terms import (
    connected,
    without_operator_signs,
)
from controlplane.gates.values.value_kinds import Kind, WrittenValue


def shown_results(answer: str, values: Sequence[WrittenValue]) -> Iterator[ShownResult]:
    """Yield each result of arithmetic in an answer: 770, with its terms, for `300 + 470 = 770`.

    `values` are all values of the answer in order: numbers, dates and others.
    """
    numbers = [value for value in values if value.kind is Kind.NUMBER]
    # In `13 -2 = 11`, the `-` is an operator and not a sign, so the second number is 2.
    numbers = without_operator_signs(numbers)
    # Each number with the connection to the next one, which is the text between them
    all_terms = connected(answer, numbers)
    indices = range(len(all_terms.connections))  # of all numbers but the last one

    # 1 and 2. Any number may be the last term of an equation, or the first of a share or change.
    for index in indices:
        equation = equation_with_last_term(all_terms, index)
        if equation is not None:
            yield equation
        pair = share_or_change(all_terms, index)
        if pair is not None:
            yield pair

    # 3. These come after 1 and 2, whose results may be their terms: `300 + 470 = 770. Total 1000:
    #    770 and 230`. The caller learns in this order what is supported.
    for index in indices:
        shown = result_before_terms(all_terms, index)
        if shown is not None:
            yield shown

    # 4. `from 3 May to 12 May, 9 days`, and `3 May, 9 days later, on 12 May`
    yield from durations(answer, values)
    yield from shifted_moments(answer, values)
