"""The scores and other figures of tasks, families and metrics in both compared runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import pvariance
from typing import Final, Literal, TypeAlias

from controlplane.score_statistics import Interval, Z

# Whether the difference between two runs is more than chance.
#
# Each task has a difference: its mean score in the second run minus that in the first. The
# difference of the runs is the mean of these, with a bootstrap interval over the tasks.

LEAST_CHANGED: Final = 6
"""The fewest changed tasks that can show a difference.

If chance alone decides, all of 5 changed tasks change in the same direction in 2 ·
(1/2)⁵ = 6 % of cases, and all of 6 in 3 %.
"""
ROUNDING: Final = 1e-9
"""Smaller differences of means are rounding errors."""


def changed_count(differences: Sequence[float]) -> int:
    """Return how many tasks have changed."""
    return sum(1 for difference in differences if abs(difference) >= ROUNDING)


def is_beyond_chance(mean: Interval, differences: Sequence[float]) -> bool:
    """Return True if chance would rarely give these differences of tasks.

    Then the interval of their mean excludes 0, and enough tasks have changed.
    """
    if changed_count(differences) < LEAST_CHANGED:
        return False
    return mean.low > 0 or mean.high < 0


def needed_tasks(mean: Interval, differences: Sequence[float]) -> int | None:
    """Return about how many such tasks would show the measured difference.

    None if the difference is already shown, or is zero. With n tasks, the interval
    reaches z · sqrt(variance / n) to both sides of the difference. It excludes 0 if
    that is less than the difference itself, so

        n > z² · variance / difference²

    Also, at least `LEAST_CHANGED` of the tasks have to change.
    """
    if is_beyond_chance(mean, differences) or abs(mean.mean) < ROUNDING:
        return None
    tasks = len(differences)
    variance = pvariance(differences)
    for_interval = math.ceil(Z**2 * variance / mean.mean**2)
    for_changes = math.ceil(LEAST_CHANGED * tasks / changed_count(differences))
    return max(for_interval, for_changes, tasks + 1)


Change: TypeAlias = Literal["better", "worse", "same"]


@dataclass(frozen=True, slots=True)
class TaskComparison:
    """The scores of one task in both runs."""

    task: str
    first: Interval
    """The mean score of the task's tries in the first run, with its interval over the tries."""
    second: Interval
    tries: int
    """The number of pairs of tries, or the smaller number of tries if they are not paired."""
    difference: float
    """The mean of the second run minus the mean of the first."""
    why: str = ""
    """The grader's first remark about the task's trial with the lowest score in both runs."""

    @property
    def change(self) -> Change:
        """Whether the second run did better, worse or the same."""
        if abs(self.difference) < ROUNDING:
            return "same"
        if self.difference > 0:
            return "better"
        return "worse"


@dataclass(frozen=True, slots=True)
class FamilyComparison:
    """The compared tasks of one family, such as `orders` for `orders.1` and `orders.2`."""

    name: str
    tasks: int
    first: float
    """The mean score of the family's tasks in the first run."""
    second: float

    @property
    def difference(self) -> float:
        return self.second - self.first


@dataclass(frozen=True, slots=True)
class MetricComparison:
    """A metric of the graders other than the score, such as `security`, in both runs.

    It is compared over the tasks that have it in both runs.
    """

    name: str
    first: float
    """The mean over the tasks in the first run."""
    second: float
    difference: Interval
    """The second run minus the first, with a bootstrap interval over the tasks."""
