"""Compares two runs over the tasks that both played.

A comparison says what changed, by how much, and whether chance explains the change.
`compare_runs` pairs each trial of the first run with a trial of the second in the same
world (a `Pair`). Each task then has a mean score in each run. The difference between
the runs is the mean of the tasks' differences, with a paired bootstrap interval over
the tasks. The result is a `Comparison`, which the command line, the report and JUnit
show.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, pvariance
from typing import Final, Literal, TypeAlias

from controlplane.compared_run import ComparedRun
from controlplane.errors import UsageError
from controlplane.gate_effects import GateEffect, gate_effects
from controlplane.journal.run_events import RunOpened
from controlplane.journal.run_summary import TrialSummary, family_of, total
from controlplane.score_statistics import (
    Interval,
    PassRates,
    Z,
    bootstrap_interval,
    flickering,
    mean_interval,
    paired_bootstrap,
    pass_rates,
    scores_by_world,
)

LEAST_CHANGED: Final = 6
"""The fewest changed tasks that can show a difference.

If chance alone decides, all of 5 changed tasks change in the same direction in 2 ·
(1/2)⁵ = 6 % of cases, and all of 6 in 3 %.
"""
ROUNDING: Final = 1e-9
"""Smaller differences of means are rounding errors."""
Pairing: TypeAlias = Literal["task and world", "task"]
Change: TypeAlias = Literal["better", "worse", "same"]
WorldKey: TypeAlias = tuple[str, int]
"""A task and the number of its world; the number is 0 if tasks are compared across
worlds."""

# --- The comparison ---


@dataclass(frozen=True, slots=True)
class TaskComparison:
    """The scores of one task in both runs."""

    task: str
    first: Interval
    """The mean score of the task's tries in the first run, with its interval over the
    tries."""
    second: Interval
    tries: int
    """The number of pairs of tries, or the smaller number of tries if they are not
    paired."""
    difference: float
    """The mean of the second run minus the mean of the first."""
    why: str = ""
    """The grader's first remark about the trial with the lowest score, of all in both
    runs."""

    @property
    def change(self) -> Change:
        """Whether the second run did better, worse or the same."""
        if abs(self.difference) < ROUNDING:
            return "same"
        if self.difference > 0:
            return "better"
        return "worse"


@dataclass(frozen=True, slots=True)
class Spent:
    """Cost, tokens, time and steps of one run's compared trials."""

    cost_usd: float | None
    tokens: int
    elapsed_ms: float
    """The sum over the trials."""
    steps: int


@dataclass(frozen=True, slots=True)
class FamilyComparison:
    """The compared tasks of one family, such as `orders` for `orders.1` and
    `orders.2`."""

    name: str
    tasks: int
    first: float
    """The mean score of the family's tasks in the first run."""
    second: float

    @property
    def difference(self) -> float:
        return self.second - self.first


@dataclass(frozen=True, slots=True)
class Agreement:
    """How many pairs of trials had equal outcomes and answers, shown while scores are
    hidden."""

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


@dataclass(frozen=True, slots=True)
class ComparedSide:
    """The figures of one of two compared runs, over the tasks that both played."""

    mean: Interval | None
    """The mean score over the tasks."""
    spent: Spent
    rates: tuple[PassRates, ...]
    """How often several tries in the same world pass; empty without such tries."""
    flickers: tuple[str, ...]
    """The worlds in which some tries passed and others failed."""
    gates: tuple[GateEffect, ...]
    """How often each gate rejected answers or held calls back, in trials that are
    over."""


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
    """The tasks with a pair in which a score is missing. A missing score never counts
    as 0."""
    lost_scores: tuple[str, ...]
    """Those of `without_score` where the first run has a score, and the second has
    none."""
    sides: tuple[ComparedSide, ComparedSide]
    """The figures of the first run, and those of the second."""
    difference: Interval | None
    """The mean difference over the tasks (second run minus first), by a paired
    bootstrap."""
    agreement: Agreement
    is_sealed: bool
    """True if the benchmark still hides scores of either run. Then `agreement` is
    shown."""
    notes: tuple[str, ...]
    """The reasons why the comparison is less certain than it looks."""
    settings: tuple[SettingDifference, ...]
    """The settings whose values differ."""
    metrics: tuple[MetricComparison, ...]

    @property
    def better(self) -> tuple[TaskComparison, ...]:
        """The tasks on which the second run did better, with the largest change
        first."""
        better = [task for task in self.tasks if task.change == "better"]
        return tuple(sorted(better, key=lambda task: -task.difference))

    @property
    def worse(self) -> tuple[TaskComparison, ...]:
        """The tasks on which the second run did worse, with the largest change
        first."""
        worse = [task for task in self.tasks if task.change == "worse"]
        return tuple(sorted(worse, key=lambda task: task.difference))

    @property
    def changed(self) -> int:
        """The number of tasks whose score changed."""
        return len(self.better) + len(self.worse)

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
        return (
            self.is_shown and self.difference is not None and self.difference.mean < 0
        )

    @property
    def needed_tasks(self) -> int | None:
        """About how many such tasks would show the measured difference.

        None if the difference is already shown, or is zero. With n tasks, the interval
        reaches z · sqrt(variance / n) to both sides of the difference. It excludes 0 if
        that is less than the difference itself, so

            n > z² · variance / difference²

        Also, at least `LEAST_CHANGED` of the tasks have to change.
        """
        if self.is_shown or self.difference is None:
            return None
        difference = self.difference.mean
        if abs(difference) < ROUNDING:
            return None

        variance = pvariance(task.difference for task in self.tasks)
        needed_for_interval = math.ceil(Z**2 * variance / difference**2)
        task_count = len(self.tasks)
        needed_for_changes = math.ceil(LEAST_CHANGED * task_count / self.changed)
        return max(needed_for_interval, needed_for_changes, task_count + 1)


@dataclass(frozen=True, slots=True)
class Pair:
    """A trial of each run, in the same world or at least of the same task."""

    first: TrialSummary
    second: TrialSummary

    @property
    def is_over(self) -> bool:
        return self.first.is_over and self.second.is_over

    @property
    def has_scores(self) -> bool:
        return self.first.own_score is not None and self.second.own_score is not None

    @property
    def lost_score(self) -> bool:
        """True if the trial of the first run has a score, and that of the second has
        none."""
        return self.first.own_score is not None and self.second.own_score is None


def compare_runs(first: ComparedRun, second: ComparedRun) -> Comparison:
    """Compare `second` with `first`, over the tasks and worlds that both played.

    If the seeds differ, tasks are compared without pairing tries. If one run has fewer
    tries in a world, they are used more than once. Raises `UsageError` for runs of
    different benchmarks or of different versions of the worlds, because their scores
    mean different things.
    """
    _check_same_worlds(first, second)

    # 1. Pair the trials.
    pairing = _pairing(first, second)
    first_groups = _grouped(first.trials, pairing)
    second_groups = _grouped(second.trials, pairing)
    pairs = _pairs(first_groups, second_groups)

    # 2. Compute the figures: scores from pairs with both scores, costs and steps from pairs whose
    #    trials are both over.
    scored_pairs = [pair for pair in pairs if pair.has_scores]
    over_pairs = [pair for pair in pairs if pair.is_over]
    tasks = _task_comparisons(scored_pairs)
    first_side = _side(
        [task.first.mean for task in tasks],
        over=_first_trials(over_pairs),
        scored=_first_trials(scored_pairs),
    )
    second_side = _side(
        [task.second.mean for task in tasks],
        over=_second_trials(over_pairs),
        scored=_second_trials(scored_pairs),
    )

    return Comparison(
        first=first.name,
        second=second.name,
        played=_played(first.opened, second.opened),
        pairing=pairing,
        tasks=tasks,
        families=_family_comparisons(tasks),
        unpaired=_unpaired(first_groups, second_groups),
        without_score=_tasks_of([pair for pair in pairs if not pair.has_scores]),
        lost_scores=_tasks_of([pair for pair in pairs if pair.lost_score]),
        sides=(first_side, second_side),
        difference=paired_bootstrap([task.difference for task in tasks]),
        metrics=_metric_comparisons(over_pairs),
        agreement=_agreement(pairs),
        is_sealed=_has_sealed_scores(first) or _has_sealed_scores(second),
        notes=tuple(_notes(first, second, pairing)),
        settings=_setting_differences(first.opened, second.opened),
    )


def _played(first: RunOpened, second: RunOpened) -> tuple[str, ...]:
    """Return the benchmark with its options, and the model (both models if they
    differ)."""
    if first.model == second.model:
        return (first.played, first.model)
    return (first.played, first.model, second.model)


# --- Whether and how runs can be compared ---


def _check_same_worlds(first: ComparedRun, second: ComparedRun) -> None:
    """Raise `UsageError` if the runs played different benchmarks or versions of their
    worlds."""
    benchmark = first.opened.benchmark.partition(":")[0]
    other_benchmark = second.opened.benchmark.partition(":")[0]
    if benchmark != other_benchmark:
        msg = (
            f"{first.name} is a run of {benchmark}, {second.name} one of {other_benchmark}; "
            "compare runs of one benchmark"
        )
        raise UsageError(msg)
    world = first.opened.versions.world
    other_world = second.opened.versions.world
    if world and other_world and world != other_world:
        msg = (
            f"{first.name} and {second.name} ran with other versions of its worlds "
            f"({world} and {other_world}), so their scores mean different things; "
            "run one of them again"
        )
        raise UsageError(msg)


def _notes(first: ComparedRun, second: ComparedRun, pairing: Pairing) -> list[str]:
    """Return the reasons why the comparison is less certain."""
    notes = []
    if bool(first.opened.versions.world) != bool(second.opened.versions.world):
        notes.append("one of the journals does not name the version of its worlds")
    if pairing == "task":
        notes.append(
            "their worlds differ (another seed, or none): tasks are compared, not single tries"
        )
    for run in (first, second):
        finished = sum(trial.is_over for trial in run.trials)
        unfinished = len(run.trials) - finished
        if unfinished:
            count = f"{unfinished} of the {len(run.trials)} trials"
            notes.append(f"{count} of {run.name} are cut off and left out")
    return notes


def _pairing(first: ComparedRun, second: ComparedRun) -> Pairing:
    """Return "task and world" if the runs played the same worlds, else "task".

    With equal seeds, worlds of the same number are equal. But the benchmark may have
    changed between the runs. A different instruction in one of the worlds shows that.
    """
    if first.opened.setting("seed") != second.opened.setting("seed"):
        return "task"
    first_instructions: dict[WorldKey, str] = {}
    for trial in first.trials:
        first_instructions[trial.world] = trial.instruction
    for trial in second.trials:
        # The instruction is empty if the trial did not start.
        first_instruction = first_instructions.get(trial.world, "")
        are_known = bool(first_instruction and trial.instruction)
        if are_known and first_instruction != trial.instruction:
            return "task"
    return "task and world"


SETTINGS_WITHOUT_EFFECT: Final = frozenset(
    {"name", "runs_dir", "tasks", "limit", "concurrency", "workers", "poll_time"}
)
"""Settings that do not change how a trial is played: which tasks, where, and how many
at once."""


def _setting_differences(
    first: RunOpened, second: RunOpened
) -> tuple[SettingDifference, ...]:
    """Return the settings, the model and the prompts that differ between the runs."""
    first_values = _settings_of(first)
    second_values = _settings_of(second)
    differences = []
    for name in first_values | second_values:
        first_value = first_values.get(name)
        second_value = second_values.get(name)
        if name not in SETTINGS_WITHOUT_EFFECT and first_value != second_value:
            differences.append(SettingDifference(name, first_value, second_value))
    return tuple(differences)


def _settings_of(opened: RunOpened) -> dict[str, object]:
    """Return the recorded settings by name, with the model and a hash of the prompt
    texts."""
    settings: dict[str, object] = {}
    for setting in opened.settings:
        settings[setting.name] = setting.value
    settings["model"] = opened.model
    settings["prompt texts"] = opened.versions.prompts
    return settings


# --- Pairs ---


def _grouped(
    trials: Sequence[TrialSummary], pairing: Pairing
) -> dict[WorldKey, list[TrialSummary]]:
    """Return the trials by world, or by task if `pairing` is "task"."""
    groups: dict[WorldKey, list[TrialSummary]] = {}
    for trial in trials:
        key = trial.world
        if pairing == "task":
            key = (trial.task, 0)
        groups.setdefault(key, []).append(trial)
    return groups


def _pairs(
    first_groups: dict[WorldKey, list[TrialSummary]],
    second_groups: dict[WorldKey, list[TrialSummary]],
) -> list[Pair]:
    """Return the pairs of the groups that both runs have.

    If one run has fewer tries, they are used again. For example, the tries a, b and the
    tries x, y, z make the pairs (a, x), (b, y), (a, z).
    """
    pairs = []
    for key, first_trials in first_groups.items():
        if key not in second_groups:
            continue
        second_trials = second_groups[key]
        for index in range(max(len(first_trials), len(second_trials))):
            first = first_trials[index % len(first_trials)]
            second = second_trials[index % len(second_trials)]
            pairs.append(Pair(first, second))
    return pairs


def _unpaired(
    first_groups: dict[WorldKey, list[TrialSummary]],
    second_groups: dict[WorldKey, list[TrialSummary]],
) -> tuple[str, ...]:
    """Return the worlds or tasks that only one run played, as `loan.1` or `loan.1 try
    2`."""
    in_one_run = first_groups.keys() ^ second_groups.keys()
    names = []
    for task, number in sorted(in_one_run):
        if number:
            names.append(f"{task} try {number + 1}")
        else:
            names.append(task)
    return tuple(names)


def _tasks_of(pairs: Sequence[Pair]) -> tuple[str, ...]:
    """Return the tasks of pairs, without duplicates."""
    return tuple(dict.fromkeys(pair.first.task for pair in pairs))


def _by_task(pairs: Sequence[Pair]) -> dict[str, list[Pair]]:
    by_task: dict[str, list[Pair]] = {}
    for pair in pairs:
        by_task.setdefault(pair.first.task, []).append(pair)
    return by_task


def _has_sealed_scores(run: ComparedRun) -> bool:
    """Return True if the benchmark still hides the score of a trial with an answer."""
    return any(
        trial.state == "answered" and trial.score is None for trial in run.trials
    )


def _first_trials(pairs: Iterable[Pair]) -> list[TrialSummary]:
    """Return the trials of the first run, without duplicates."""
    return _distinct([pair.first for pair in pairs])


def _second_trials(pairs: Iterable[Pair]) -> list[TrialSummary]:
    """Return the trials of the second run, without duplicates."""
    return _distinct([pair.second for pair in pairs])


def _distinct(trials: Iterable[TrialSummary]) -> list[TrialSummary]:
    """Return the trials without duplicates, since `_pairs` may use a trial several
    times.

    Two trials are duplicates if they are the same object. Their values could be equal
    by chance.
    """
    by_identity = {id(trial): trial for trial in trials}
    return list(by_identity.values())


# --- Figures over pairs ---


def _task_comparisons(scored_pairs: Sequence[Pair]) -> tuple[TaskComparison, ...]:
    """Return each task with its mean score in both runs. All the pairs have scores."""
    comparisons = []
    for task, pairs in _by_task(scored_pairs).items():
        first_trials = _first_trials(pairs)
        second_trials = _second_trials(pairs)
        first = mean_interval([_known_score(trial) for trial in first_trials])
        second = mean_interval([_known_score(trial) for trial in second_trials])
        assert first is not None
        assert second is not None
        worst_of_both = min([*first_trials, *second_trials], key=_known_score)
        comparison = TaskComparison(
            task=task,
            first=first,
            second=second,
            tries=min(len(first_trials), len(second_trials)),
            difference=second.mean - first.mean,
            why=worst_of_both.details[0] if worst_of_both.details else "",
        )
        comparisons.append(comparison)
    return tuple(comparisons)


def _known_score(trial: TrialSummary) -> float:
    """Return the score of a trial that has one."""
    assert trial.own_score is not None
    return trial.own_score


def _family_comparisons(
    tasks: Sequence[TaskComparison],
) -> tuple[FamilyComparison, ...]:
    """Return each family with the mean score of its tasks, with the largest change
    first."""
    tasks_by_family: dict[str, list[TaskComparison]] = {}
    for task in tasks:
        tasks_by_family.setdefault(family_of(task.task), []).append(task)
    families = []
    for name, own_tasks in tasks_by_family.items():
        first = fmean(task.first.mean for task in own_tasks)
        second = fmean(task.second.mean for task in own_tasks)
        families.append(FamilyComparison(name, len(own_tasks), first, second))
    families.sort(key=lambda family: (-abs(family.difference), family.name))
    return tuple(families)


def _metric_comparisons(pairs: Sequence[Pair]) -> tuple[MetricComparison, ...]:
    """Compare each further figure over the pairs in which both trials have it."""
    pairs_by_metric: dict[str, list[Pair]] = {}
    for pair in pairs:
        for name in pair.first.metrics:
            if name in pair.second.metrics:
                pairs_by_metric.setdefault(name, []).append(pair)

    comparisons = []
    for name in sorted(pairs_by_metric):
        comparisons.append(_metric_comparison(name, pairs_by_metric[name]))
    return tuple(comparisons)


def _metric_comparison(name: str, pairs: Sequence[Pair]) -> MetricComparison:
    """Compare one figure in the same way as scores: by the means of the tasks."""
    first_means = []
    second_means = []
    differences = []
    for pairs_of_task in _by_task(pairs).values():
        first = fmean(pair.first.metrics[name] for pair in pairs_of_task)
        second = fmean(pair.second.metrics[name] for pair in pairs_of_task)
        first_means.append(first)
        second_means.append(second)
        differences.append(second - first)
    difference = bootstrap_interval(differences)
    assert difference is not None
    return MetricComparison(name, fmean(first_means), fmean(second_means), difference)


def _side(
    task_means: Sequence[float],
    *,
    over: Sequence[TrialSummary],
    scored: Sequence[TrialSummary],
) -> ComparedSide:
    """Return the figures of one run, over its compared trials.

    Cost, time and gates count the trials that are `over`, pass rates those that are
    `scored`.
    """
    scores = scores_by_world(scored)
    spent = Spent(
        cost_usd=total(trial.spent for trial in over).cost_usd,
        tokens=sum(trial.spent.tokens for trial in over),
        elapsed_ms=sum(trial.elapsed_ms for trial in over),
        steps=sum(trial.step for trial in over),
    )
    return ComparedSide(
        mean=mean_interval(task_means),
        spent=spent,
        rates=pass_rates(scores),
        flickers=flickering(scores),
        gates=gate_effects(over),
    )


def _agreement(pairs: Sequence[Pair]) -> Agreement:
    """Count the pairs with equal outcomes, and those of them with equal answers and
    citations."""
    same_outcome = 0
    same_answer = 0
    differing: dict[str, None] = {}
    for pair in pairs:
        first = pair.first
        second = pair.second
        if first.outcome != second.outcome:
            differing[first.task] = None
            continue
        same_outcome += 1
        if first.answer == second.answer and set(first.refs) == set(second.refs):
            same_answer += 1
    return Agreement(len(pairs), same_outcome, same_answer, tuple(differing))
