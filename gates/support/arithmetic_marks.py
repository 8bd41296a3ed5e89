"""Marks results of an answer's own arithmetic as computed: 770 in `300 + 470 = 770`.

The 770 may be in no text that the trial read. If 300 and 470 are, the calculation supports it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from controlplane.gates.support.answer_values import needs_no_support
from controlplane.gates.support.arithmetic.answer_arithmetic import shown_results
from controlplane.gates.support.arithmetic.shown_results import ShownResult
from controlplane.gates.support.marks import Mark
from controlplane.gates.support.matching.rounding import amount_of, is_rounded
from controlplane.gates.values.value_kinds import Kind, WrittenValue


def with_arithmetic(
    marks: Sequence[Mark], values: Sequence[WrittenValue], answer: str
) -> list[Mark]:
    """Return the marks with those unverified values as computed that are results of others.

    `values` are all values of the answer, also those that need no support and have no mark.
    """
    calculations = _supported_calculations(marks, values, answer)
    return [
        mark if mark.is_supported else _mark_of_result(mark, calculations)
        for mark in marks
    ]


def _supported_calculations(
    marks: Sequence[Mark], values: Sequence[WrittenValue], answer: str
) -> dict[int, ShownResult]:
    """Return the correct calculations of an answer, all of whose operands are supported.

    An operand is supported if its mark says so, if it needs no support, such as the 1 of
    `step 1`, or if it is the result of an earlier calculation: 770 and 230 of `300 + 470 = 770,
    and 770 + 230 = 1000`. The keys are the offsets of the results in the answer.
    """
    # Values are told apart by their offsets in the answer.
    supported = {mark.value.start for mark in marks if mark.is_supported}
    supported |= {value.start for value in values if needs_no_support(value, answer)}
    calculations: dict[int, ShownResult] = {}
    for shown in shown_results(answer, values):
        operands = {operand.start for operand in shown.operands}
        if shown.is_right and operands <= supported:
            calculations[shown.result.start] = shown
            supported.add(shown.result.start)
    return calculations


def _mark_of_result(mark: Mark, calculations: Mapping[int, ShownResult]) -> Mark:
    """Mark a value as computed if it is a result, or a rounded one: `about 26 %` for 25.9 %.

    Else return its mark as it is.
    """
    value = mark.value
    if value.start in calculations:
        text = calculations[value.start].text
        return Mark(value, "computed", note=f"in the answer: {text}")
    for shown in calculations.values():
        if _is_rounded_result(value, shown.result):
            return Mark(value, "computed", note=f"rounded from {shown.result.text}")
    return mark


def _is_rounded_result(value: WrittenValue, result: WrittenValue) -> bool:
    """Return True if a value is a computed result with fewer decimals: `about 26 %` for 25.9 %.

    The value may stand anywhere in the answer, because a summary often rounds.
    """
    are_numbers = value.kind is Kind.NUMBER and result.kind is Kind.NUMBER
    if not are_numbers or result.decimals <= value.decimals:
        return False
    has_same_unit = value.unit in ("", result.unit)
    # A percentage is often calculated without its sign: `7 / 27 * 100 = 25.9`.
    is_percentage = value.unit == "%" and result.unit == ""
    if not has_same_unit and not is_percentage:
        return False
    exact = amount_of(result)
    return exact is not None and is_rounded(value, exact)
