"""Compares two runs over the tasks that both played: the changes, their size, and whether chance
explains them.

Trials of reruns replace those of their run.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean, pvariance
from typing import Final, Literal, TypeAlias

from controlplane.errors import UsageError
from controlplane.gate_effects import GateEffect, gate_effects
from controlplane.journal.journal_lines import journal_id
from controlplane.journal.journal_reader import glance_at
from controlplane.journal.run_events import RunOpened
from controlplane.journal.run_summary import RunSummary, TrialSummary, family_of, total
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
"""Fewest changed tasks that can show a difference.

Five all change in one direction by chance in 6 % of cases.
"""
ROUNDING: Final = 1e-9
"""Differences of means below it are rounding."""
Pairing: TypeAlias = Literal["task and world", "task"]
Change: TypeAlias = Literal["better", "worse", "same"]

# --- The runs ---


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """One run, with the reruns named together with it."""

    name: str
    """The user's name for the run, or its id."""
    path: Path
    """The journal of the run itself."""
    opened: RunOpened
    trials: tuple[TrialSummary, ...]


def compared_run(paths: Sequence[Path]) -> ComparedRun:
    """Read the run of the first path; the others are reruns whose trials replace its own.

    The last rerun wins. Raises `NotAJournal`, `JournalDamaged`, and `UsageError` for a path that is
    not a rerun of those before it.
    """
    return run_with_reruns([(path, glance_at(path)) for path in paths])


def run_with_reruns(journals: Sequence[tuple[Path, RunSummary]]) -> ComparedRun:
    """Return the run of the first journal with its reruns, as `compared_run` does, from their
    totals."""
    (path, summary), *reruns = journals
    assert summary.opened is not None
    names = [summary.opened.name or journal_id(path)]
    known_runs = {summary.opened.run, journal_id(path)}
    trials = _by_try(_own_trials(summary))
    for rerun_path, rerun in reruns:
        assert rerun.opened is not None
        parent = rerun.opened.parent
        if parent is None or parent.how != "rerun" or parent.run not in known_runs:
            msg = (
                f"{journal_id(rerun_path)} is not a rerun of {journal_id(path)}, "
                "so the two cannot be taken as one run"
            )
            raise UsageError(msg)
        names.append(rerun.opened.name or journal_id(rerun_path))
        known_runs |= {rerun.opened.run, journal_id(rerun_path)}
        trials |= _by_try(numbered(rerun))
    return ComparedRun("+".join(names), path, summary.opened, tuple(trials.values()))


def numbered(summary: RunSummary) -> list[TrialSummary]:
    """Return the trials of a journal, each with the number of its world.

    It is the recorded number, or else the trial's place among those of its task.
    """
    trials_of_task = Counter[str]()
    trials = []
    for trial in summary.trials.values():
        number = trial.number
        if number is None:
            number = trials_of_task[trial.task]
        trials.append(replace(trial, number=number))
        trials_of_task[trial.task] += 1
    return trials


def _own_trials(summary: RunSummary) -> list[TrialSummary]:
    """Return the numbered trials of a run; those of a fork are tries in the same world."""
    trials = numbered(summary)
    parent = summary.opened.parent if summary.opened else None
    is_fork = parent is not None and parent.how == "fork"
    has_tries = any(trial.repeat for trial in trials)
    if not is_fork or has_tries:
        return trials
    world = trials[0].number if trials else 0
    tries = []
    for repeat, trial in enumerate(trials):
        tries.append(replace(trial, number=world, repeat=repeat))
    return tries


def _by_try(trials: Iterable[TrialSummary]) -> dict[tuple[str, int, int], TrialSummary]:
    """Return trials by task, world and try."""
    return {(*trial.world, trial.repeat): trial for trial in trials}


# --- The comparison ---


@dataclass(frozen=True, slots=True)
class TaskComparison:
    """One task in both runs."""

    task: str
    first: Interval
    """The mean score of its tries in the first run, with its interval over the tries."""
    second: Interval
    tries: int
    """Number of pairs; without pairs, tries of the run that has fewer."""
    difference: float
    """The second run's mean minus the first's."""
    why: str = ""
    """What the grader said first about the worst of its trials in both runs."""

    @property
    def change(self) -> Change:
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
    """The sum over its trials."""
    steps: int


@dataclass(frozen=True, slots=True)
class FamilyComparison:
    """The compared tasks of one family."""

    name: str
    tasks: int
    first: float
    """The mean of its tasks' scores in the first run."""
    second: float

    @property
    def difference(self) -> float:
        return self.second - self.first


@dataclass(frozen=True, slots=True)
class Agreement:
    """Equal outcomes and answers of two runs whose scores are sealed."""

    pairs: int
    same_outcome: int
    same_answer: int
    differing: tuple[str, ...]
    """The tasks with different outcomes."""


@dataclass(frozen=True, slots=True)
class SettingDifference:
    """A setting whose value differs between two runs."""

    name: str
    first: object
    second: object


@dataclass(frozen=True, slots=True)
class MetricComparison:
    """One further figure of the graders in two runs, over the tasks that have it in both."""

    name: str
    first: float
    second: float
    difference: Interval
    """Second minus first, with a bootstrap interval over tasks."""


@dataclass(frozen=True, slots=True)
class ComparedSide:
    """One of two runs over the tasks that both played."""

    mean: Interval | None
    """The mean over tasks."""
    spent: Spent
    rates: tuple[PassRates, ...]
    flickers: tuple[str, ...]
    gates: tuple[GateEffect, ...]
    """What rejected answers or held calls, over the compared trials that are over."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs over the tasks that both played."""

    first: str
    second: str
    played: tuple[str, ...]
    """The benchmark with its options, and the model, or both models."""
    pairing: Pairing
    tasks: tuple[TaskComparison, ...]
    families: tuple[FamilyComparison, ...]
    """The families of the tasks, the largest change first."""
    unpaired: tuple[str, ...]
    """Trials in only one of the runs, as TASK or TASK try N."""
    without_score: tuple[str, ...]
    """Tasks of pairs in which a score is missing; a missing score never counts as 0."""
    lost_scores: tuple[str, ...]
    """Tasks of `without_score` that have a score in the first run."""
    sides: tuple[ComparedSide, ComparedSide]
    difference: Interval | None
    """Difference of the means over tasks, second minus first, by a paired bootstrap over tasks."""
    agreement: Agreement
    is_sealed: bool
    """Scores of a run are not out."""
    notes: tuple[str, ...]
    settings: tuple[SettingDifference, ...]
    metrics: tuple[MetricComparison, ...]
    """The further figures that graders gave in both runs."""

    @property
    def better(self) -> tuple[TaskComparison, ...]:
        """Tasks on which the second run did better, the largest change first."""
        better = [task for task in self.tasks if task.change == "better"]
        return tuple(sorted(better, key=lambda task: -task.difference))

    @property
    def worse(self) -> tuple[TaskComparison, ...]:
        """Tasks on which the second run did worse, the largest change first."""
        worse = [task for task in self.tasks if task.change == "worse"]
        return tuple(sorted(worse, key=lambda task: task.difference))

    @property
    def changed(self) -> int:
        """The number of tasks that changed."""
        return len(self.better) + len(self.worse)

    @property
    def is_shown(self) -> bool:
        """The interval of the difference excludes 0, and enough tasks changed for it to be
        trusted."""
        if self.difference is None or self.changed < LEAST_CHANGED:
            return False
        return self.difference.low > 0 or self.difference.high < 0

    @property
    def is_worse(self) -> bool:
        return self.is_shown and self.difference is not None and self.difference.mean < 0

    @property
    def needed_tasks(self) -> int | None:
        """About how many such tasks would show the measured difference.

        None if it is shown, or zero. So many are needed that the interval, whose half width is
        z · sqrt(variance / n), excludes 0, and that enough of them change.
        """
        if self.is_shown or self.difference is None or abs(self.difference.mean) < ROUNDING:
            return None
        variance = pvariance([task.difference for task in self.tasks])
        for_interval = math.ceil(Z**2 * variance / self.difference.mean**2)
        for_changes = math.ceil(LEAST_CHANGED * len(self.tasks) / self.changed)
        return max(for_interval, for_changes, len(self.tasks) + 1)


@dataclass(frozen=True, slots=True)
class Pair:
    """A trial of the first run with one of the second in the same world, or of the same task."""

    first: TrialSummary
    second: TrialSummary

    @property
    def is_over(self) -> bool:
        return self.first.is_over and self.second.is_over

    @property
    def has_scores(self) -> bool:
        return self.first.own_score is not None and self.second.own_score is not None


def compare_runs(first: ComparedRun, second: ComparedRun) -> Comparison:
    """Compare `second` with `first`, over the tasks and worlds that both played.

    If their seeds differ, tasks are compared without pairing tries. If a run has several tries in a
    world (a fork), or the worlds differ, each try is paired with one of the other run's, which
    repeat if they are fewer. Raises `UsageError` for runs of different benchmarks, or of different
    versions of the worlds, whose scores mean different things.
    """
    _check_same_worlds(first, second)
    pairing = _pairing(first, second)
    groups = _grouped(first.trials, pairing)
    other_groups = _grouped(second.trials, pairing)
    pairs = _pairs(groups, other_groups)
    scored = [pair for pair in pairs if pair.has_scores]
    over = [pair for pair in pairs if pair.is_over]
    tasks = _task_comparisons(scored)
    players = (first.opened.played, first.opened.model, second.opened.model)

    return Comparison(
        first=first.name,
        second=second.name,
        played=tuple(dict.fromkeys(players)),
        pairing=pairing,
        tasks=tasks,
        families=_family_comparisons(tasks),
        unpaired=_unpaired(groups, other_groups),
        without_score=_tasks_of([pair for pair in pairs if not pair.has_scores]),
        lost_scores=_tasks_of([pair for pair in pairs if _lost_score(pair)]),
        sides=(
            _side(
                [task.first.mean for task in tasks],
                over=_distinct(pair.first for pair in over),
                scored=_distinct(pair.first for pair in scored),
            ),
            _side(
                [task.second.mean for task in tasks],
                over=_distinct(pair.second for pair in over),
                scored=_distinct(pair.second for pair in scored),
            ),
        ),
        difference=paired_bootstrap([task.difference for task in tasks]),
        metrics=_metric_comparisons(over),
        agreement=_agreement(pairs),
        is_sealed=_has_sealed_scores(first) or _has_sealed_scores(second),
        notes=tuple(_notes(first, second, pairing)),
        settings=_setting_differences(first.opened, second.opened),
    )


# --- Whether and how runs can be compared ---


def _check_same_worlds(first: ComparedRun, second: ComparedRun) -> None:
    """Raise `UsageError` if the runs played different benchmarks or versions of their worlds."""
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
    """Return what makes the comparison less sure."""
    notes = []
    if bool(first.opened.versions.world) != bool(second.opened.versions.world):
        notes.append("one of the journals does not name the version of its worlds")
    if pairing == "task":
        notes.append(
            "their worlds differ (another seed, or none): tasks are compared, not single tries"
        )
    for run in (first, second):
        unfinished = 0
        for trial in run.trials:
            if not trial.is_over:
                unfinished += 1
        if unfinished:
            count = f"{unfinished} of the {len(run.trials)} trials"
            notes.append(f"{count} of {run.name} are cut off and left out")
    return notes


def _pairing(first: ComparedRun, second: ComparedRun) -> Pairing:
    """Return the pairing: by world if equal seeds and instructions show equal worlds, else by
    task."""
    if first.opened.setting("seed") != second.opened.setting("seed"):
        return "task"
    instructions = {trial.world: trial.instruction for trial in first.trials}
    for trial in second.trials:
        instruction = instructions.get(trial.world, "")
        if instruction and trial.instruction and instruction != trial.instruction:
            return "task"
    return "task and world"


PLACE_SETTINGS: Final = frozenset(
    {"name", "runs_dir", "tasks", "limit", "concurrency", "workers", "poll_time"}
)
"""Settings that say where and when a run plays, not how."""


def _setting_differences(first: RunOpened, second: RunOpened) -> tuple[SettingDifference, ...]:
    """Return the settings by which the runs played differently, with model and prompts."""
    values = _settings_of(first)
    other_values = _settings_of(second)
    differences = []
    for name in values | other_values:
        value = values.get(name)
        other_value = other_values.get(name)
        if name not in PLACE_SETTINGS and value != other_value:
            differences.append(SettingDifference(name, value, other_value))
    return tuple(differences)


def _settings_of(opened: RunOpened) -> dict[str, object]:
    settings: dict[str, object] = {setting.name: setting.value for setting in opened.settings}
    settings["model"] = opened.model
    settings["prompt texts"] = opened.versions.prompts
    return settings


# --- Pairs ---


WorldKey: TypeAlias = tuple[str, int]
"""A task, and the number of its world; 0 if tasks are compared whatever their worlds."""


def _grouped(
    trials: Sequence[TrialSummary], pairing: Pairing
) -> dict[WorldKey, list[TrialSummary]]:
    groups: dict[WorldKey, list[TrialSummary]] = {}
    for trial in trials:
        key = trial.world if pairing == "task and world" else (trial.task, 0)
        groups.setdefault(key, []).append(trial)
    return groups


def _pairs(
    groups: dict[WorldKey, list[TrialSummary]], other_groups: dict[WorldKey, list[TrialSummary]]
) -> list[Pair]:
    """Return the pairs of the groups that both runs have; the tries of the smaller group repeat."""
    pairs = []
    for key, trials in groups.items():
        other_trials = other_groups.get(key, [])
        if not other_trials:
            continue
        for index in range(max(len(trials), len(other_trials))):
            first = trials[index % len(trials)]
            second = other_trials[index % len(other_trials)]
            pairs.append(Pair(first, second))
    return pairs


def _unpaired(
    groups: dict[WorldKey, list[TrialSummary]], other_groups: dict[WorldKey, list[TrialSummary]]
) -> tuple[str, ...]:
    names = []
    for task, number in sorted(groups.keys() ^ other_groups.keys()):
        names.append(f"{task} try {number + 1}" if number else task)
    return tuple(names)


def _tasks_of(pairs: Iterable[Pair]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(pair.first.task for pair in pairs))


def _lost_score(pair: Pair) -> bool:
    return pair.first.own_score is not None and pair.second.own_score is None


def _has_sealed_scores(run: ComparedRun) -> bool:
    return any(trial.state == "answered" and trial.score is None for trial in run.trials)


def _distinct(trials: Iterable[TrialSummary]) -> list[TrialSummary]:
    """Return each trial once: in pairs, a try may repeat."""
    return list({id(trial): trial for trial in trials}.values())


# --- Figures over pairs ---


def _task_comparisons(scored: Sequence[Pair]) -> tuple[TaskComparison, ...]:
    pairs_by_task: dict[str, list[Pair]] = {}
    for pair in scored:
        pairs_by_task.setdefault(pair.first.task, []).append(pair)
    comparisons = []
    for task, pairs in pairs_by_task.items():
        first_trials = _distinct(pair.first for pair in pairs)
        second_trials = _distinct(pair.second for pair in pairs)
        first = mean_interval([_score(trial) for trial in first_trials])
        second = mean_interval([_score(trial) for trial in second_trials])
        assert first is not None
        assert second is not None
        worst = min([*first_trials, *second_trials], key=_score)
        comparison = TaskComparison(
            task=task,
            first=first,
            second=second,
            tries=min(len(first_trials), len(second_trials)),
            difference=second.mean - first.mean,
            why=worst.details[0] if worst.details else "",
        )
        comparisons.append(comparison)
    return tuple(comparisons)


def _score(trial: TrialSummary) -> float:
    return trial.own_score or 0.0


def _family_comparisons(tasks: Sequence[TaskComparison]) -> tuple[FamilyComparison, ...]:
    tasks_by_family: dict[str, list[TaskComparison]] = {}
    for task in tasks:
        tasks_by_family.setdefault(family_of(task.task), []).append(task)
    families = []
    for name, own_tasks in tasks_by_family.items():
        first = fmean([task.first.mean for task in own_tasks])
        second = fmean([task.second.mean for task in own_tasks])
        families.append(FamilyComparison(name, len(own_tasks), first, second))
    return tuple(sorted(families, key=lambda family: (-abs(family.difference), family.name)))


def _metric_comparisons(pairs: Sequence[Pair]) -> tuple[MetricComparison, ...]:
    """Return the further figures that both trials of some pairs have, each compared over its
    tasks."""
    names = set[str]()
    for pair in pairs:
        names |= pair.first.metrics.keys() & pair.second.metrics.keys()
    comparisons = []
    for name in sorted(names):
        having = [
            pair for pair in pairs if name in pair.first.metrics and name in pair.second.metrics
        ]
        comparisons.append(_metric_comparison(name, having))
    return tuple(comparisons)


def _metric_comparison(name: str, pairs: Sequence[Pair]) -> MetricComparison:
    pairs_by_task: dict[str, list[Pair]] = {}
    for pair in pairs:
        pairs_by_task.setdefault(pair.first.task, []).append(pair)
    first_means = []
    second_means = []
    differences = []
    for own_pairs in pairs_by_task.values():
        first = fmean([pair.first.metrics[name] for pair in own_pairs])
        second = fmean([pair.second.metrics[name] for pair in own_pairs])
        first_means.append(first)
        second_means.append(second)
        differences.append(second - first)
    difference = bootstrap_interval(differences)
    assert difference is not None
    return MetricComparison(name, fmean(first_means), fmean(second_means), difference)


def _side(
    task_means: Sequence[float], *, over: Sequence[TrialSummary], scored: Sequence[TrialSummary]
) -> ComparedSide:
    """Return one run over the compared trials that are over, and those that have scores."""
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
