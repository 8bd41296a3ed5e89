"""The results of a comparison of two runs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import pvariance
from typing import Final, Literal, TypeAlias

from controlplane.rejection_counts import RejectionCounts
from controlplane.score_scale import ROUNDING, RecordedScale
from controlplane.score_statistics import Interval, PassRates, Z

# The scores and other figures of tasks, families and metrics in both compared runs.

# Whether the difference between two runs is more than chance.
#
# Each task has a difference: its mean score in the second run minus that in the first. The
# difference of the runs is the mean of these, with a bootstrap interval over the tasks.

LEAST_CHANGED: Final = 6
"""The fewest changed tasks that can show a difference.

If chance alone decides, all of 5 changed tasks change in the same direction in 2 ·
(1/2)⁵ = 6 % of cases, and all of 6 in 3 %.
"""
_Change: TypeAlias = Literal["better", "worse", "same"]


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
    def change(self) -> _Change:
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


# The result of comparing two runs.

Pairing: TypeAlias = Literal["task and world", "task"]


@dataclass(frozen=True, slots=True)
class ComparedSpending:
    """Cost, tokens, time and steps of one run's compared trials."""

    cost_usd: float | None
    tokens: int
    elapsed_ms: float
    """The sum over the trials."""
    steps: int


@dataclass(frozen=True, slots=True)
class ComparedSide:
    """The figures of one of two compared runs, over the tasks that both played."""

    mean: Interval | None
    """The mean score over the tasks. Trials that are over without a score count as 0 in it."""
    scale: RecordedScale
    """The lowest and the highest score; None for one without a bound."""
    unscored: int
    """How many of its trials are over without a score."""
    spent: ComparedSpending
    rates: tuple[PassRates, ...]
    """How often several tries in the same world pass; empty without such tries."""
    flickers: tuple[str, ...]
    """The worlds in which some tries passed and others failed."""
    gates: tuple[RejectionCounts, ...]
    """How often each gate rejected answers or held calls back, in trials that are over."""


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """How many pairs of trials had equal outcomes and answers, shown while scores are hidden."""

    pairs: int
    same_outcome: int
    same_answer: int
    differing: tuple[str, ...]
    """The tasks whose outcomes differ."""


@dataclass(frozen=True, slots=True)
class SettingDifference:
    """A setting whose value differs between two runs."""

    name: str
    first: object
    second: object


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of two runs over the tasks that both played."""

    first: str
    """The name of the first run."""
    second: str
    played: tuple[str, ...]
    """The benchmark with its options, and the model, or both models."""
    pairing: Pairing
    tasks: tuple[TaskComparison, ...]
    families: tuple[FamilyComparison, ...]
    """The families of the tasks, with the largest change first."""
    unpaired: tuple[str, ...]
    """The trials that only one run has, as TASK or TASK try N."""
    without_score: tuple[str, ...]
    """The tasks with a pair in which a score is missing."""
    counted_as_0: tuple[str, ...]
    """Those of them with a trial that is over without a score for good, and counts as 0. The
    others are left out: their trials are not over, or their scores are sealed."""
    lost_scores: tuple[str, ...]
    """The tasks of `without_score` that have a score in the first run, but not in the second."""
    sides: tuple[ComparedSide, ComparedSide]
    """The figures of the first run, and those of the second."""
    difference: Interval | None
    """The mean difference over the tasks (second run minus first), by a paired bootstrap."""
    agreement: PairAgreement
    is_sealed: bool
    """True if the benchmark still hides scores of either run.

    Then `agreement` is shown: it tells without scores how similar the answers are.
    """
    notes: tuple[str, ...]
    """The reasons why the comparison is less certain than it looks."""
    settings: tuple[SettingDifference, ...]
    """The settings whose values differ."""
    metrics: tuple[MetricComparison, ...]

    @property
    def left_out(self) -> tuple[str, ...]:
        """The tasks of `without_score` that count in no figure."""
        return tuple(
            task for task in self.without_score if task not in self.counted_as_0
        )

    @property
    def better(self) -> tuple[TaskComparison, ...]:
        """The tasks on which the second run did better, with the largest change first."""
        better = [task for task in self.tasks if task.change == "better"]
        return tuple(sorted(better, key=lambda task: -task.difference))

    @property
    def worse(self) -> tuple[TaskComparison, ...]:
        """The tasks on which the second run did worse, with the largest change first."""
        worse = [task for task in self.tasks if task.change == "worse"]
        return tuple(sorted(worse, key=lambda task: task.difference))

    @property
    def changed(self) -> int:
        """The number of tasks whose score changed."""
        return sum(1 for task in self.tasks if task.change != "same")

    @property
    def is_shown(self) -> bool:
        """Whether the comparison shows a difference: chance would rarely give it.

        The interval of the difference excludes 0, and enough tasks changed.
        """
        if self.difference is None or self.changed < LEAST_CHANGED:
            return False
        return self.difference.low > 0 or self.difference.high < 0

    @property
    def is_worse(self) -> bool:
        """Whether the comparison shows that the second run did worse."""
        if self.difference is None or not self.is_shown:
            return False
        return self.difference.mean < 0

    @property
    def needed_tasks(self) -> int | None:
        """About how many such tasks would show the measured difference.

        None if the difference is already shown, or is zero. With n tasks, the interval
        reaches z · sqrt(variance / n) to both sides of the difference. It excludes 0 if
        that is less than the difference itself, so

            n > z² · variance / difference²

        Also, at least `LEAST_CHANGED` of the tasks have to change.
        """
        if self.difference is None or self.is_shown:
            return None
        mean = self.difference.mean
        if abs(mean) < ROUNDING:
            return None
        tasks = len(self.tasks)
        variance = pvariance(task.difference for task in self.tasks)
        for_interval = math.ceil(Z**2 * variance / mean**2)
        for_changes = math.ceil(LEAST_CHANGED * tasks / self.changed)
        return max(for_interval, for_changes, tasks + 1)

    @property
    def conclusion(self) -> str:
        """Whether a difference is shown, and if not, how many tasks might show one."""
        if self.is_worse:
            return "the second run is worse"
        if self.is_shown:  # Chance hardly explains it.
            return "the second run is better"
        text = "no difference shown"
        if 0 < self.changed < LEAST_CHANGED:
            text += f"; fewer than {LEAST_CHANGED} tasks changed"
        if self.needed_tasks:
            text += f"; about {self.needed_tasks:,} tasks would be enough"
        return text
