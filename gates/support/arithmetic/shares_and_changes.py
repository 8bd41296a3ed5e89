"""Checks shares and changes that an answer states in words.

12 of 48, i.e. 25 %                a share
from 40 to 30, a loss of 10        a change
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from controlplane.gates.support.arithmetic.exact_results import readings_of
from controlplane.gates.support.arithmetic.number_connections import Connection
from controlplane.gates.support.arithmetic.shown_results import ShownResult, compared
from controlplane.gates.support.arithmetic.terms import Terms
from controlplane.gates.values.value_kinds import WrittenValue


def share_or_change(all_terms: Terms, index: int) -> ShownResult | None:
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
    between: Connection
    """`of`: what stands between the two numbers."""
    before_result: Connection
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
    exact = [_percentage(part, whole) for part, whole in readings_of(stated.pair)]
    return compared(stated.pair, stated.result, exact)


def _change(stated: _PairWithResult) -> ShownResult | None:
    """Check the 10 of `from 40 to 30, a loss of 10`, or the 25 % of `a loss of 25 %`."""
    amounts: list[Fraction | None] = []
    percentages: list[Fraction | None] = []
    for before, after in readings_of(stated.pair):
        amounts.append(after - before)
        percentages.append(_percentage(after - before, before))
    return compared(stated.pair, stated.result, amounts + percentages)


def _percentage(part: Fraction, whole: Fraction) -> Fraction | None:
    """Return a part in percent of the whole: 25 for 12 of 48; None for a whole of 0."""
    return 100 * part / whole if whole else None
