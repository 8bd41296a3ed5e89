"""Measures how gates and rules generalise: each group of answers is judged by rules chosen on the other groups.

A rule that fits one task family, or one agent's habits, is not chosen if that group is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from gates.evaluation.gate_scoring import MIN_CAUGHT_PER_FALSE, Judged, Tally, tally_one

GROUPINGS: Final = ("run", "instruction", "task", "model", "family", "benchmark")
"""The groupings by which answers can be left out, from fine to coarse."""
MIN_CAUGHT: Final = 3
"""A rule is chosen only if it catches at least this many wrong answers in the other groups."""


class LeftOut(NamedTuple):
    """A measurement in which each group was judged by the rules that the other groups choose."""

    grouping: str
    groups: int
    total: Tally
    lost: dict[str, int]
    """Rules that some groups' rest did not choose, and how many wrong answers they would have caught there."""


def leave_out(judged: Sequence[Judged], grouping: str) -> LeftOut:
    """Leave out each group of `grouping` in turn, choose rules on the rest, and add up what they do on the group.

    A rule is chosen if it caught at least 3 wrong answers elsewhere, and 20 for each right one that it held up.
    """
    caught: Counter[tuple[str, str]] = Counter()
    held_up: Counter[tuple[str, str]] = Counter()
    for each in judged:
        counter = held_up if each.is_right else caught
        counter.update((name, each.groups.get(grouping, "")) for name in each.rejected_by)
    caught_in_all, held_up_in_all = _sums(caught), _sums(held_up)

    def is_chosen(rule: str, group: str) -> bool:
        elsewhere = caught_in_all[rule] - caught[rule, group]
        false = held_up_in_all[rule] - held_up[rule, group]
        return elsewhere >= max(MIN_CAUGHT, MIN_CAUGHT_PER_FALSE * false)

    total = Tally()
    lost: Counter[str] = Counter()
    for each in judged:
        kept = [name for name in each.rejected_by if is_chosen(name, each.groups.get(grouping, ""))]
        tally_one(total, each, rejected=bool(kept))
        if each.rejected_by and not kept and not each.is_right:
            lost.update(each.rejected_by)
    return LeftOut(grouping, len({each.groups.get(grouping, "") for each in judged}), total, dict(lost))


def _sums(counted: Counter[tuple[str, str]]) -> Counter[str]:
    sums: Counter[str] = Counter()
    for (rule, _), count in counted.items():
        sums[rule] += count
    return sums
