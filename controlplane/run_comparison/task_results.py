"""The scores and other figures of tasks, families and metrics in both compared runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from controlplane.run_comparison.certainty import ROUNDING
from controlplane.score_statistics import Interval

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
