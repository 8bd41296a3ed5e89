"""The result of comparing two runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from controlplane.gate_effects import GateEffect
from controlplane.pass_rates import PassRates
from controlplane.run_comparison.task_results import (
    FamilyComparison,
    MetricComparison,
    TaskComparison,
    changed_count,
    is_beyond_chance,
    needed_tasks,
)
from controlplane.score_scale import RecordedScale
from controlplane.score_statistics import Interval

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
    gates: tuple[GateEffect, ...]
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
        return changed_count(self._task_differences)

    @property
    def is_shown(self) -> bool:
        """Whether the comparison shows a difference: chance would rarely give it.

        The interval of the difference excludes 0, and enough tasks changed.
        """
        if self.difference is None:
            return False
        return is_beyond_chance(self.difference, self._task_differences)

    @property
    def is_worse(self) -> bool:
        """Whether the comparison shows that the second run did worse."""
        if self.difference is None or not self.is_shown:
            return False
        return self.difference.mean < 0

    @property
    def needed_tasks(self) -> int | None:
        """About how many such tasks would show the measured difference.

        None if the difference is already shown, or is zero.
        """
        if self.difference is None:
            return None
        return needed_tasks(self.difference, self._task_differences)

    @property
    def _task_differences(self) -> list[float]:
        return [task.difference for task in self.tasks]
