"""Compares two runs: whether that can be done, their pairs of trials, and the figures over these."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Final, Literal, TypeAlias

from controlplane.errors import UsageError
from controlplane.journal.journal_files import journal_id
from controlplane.journal.journal_reader import glance_at
from controlplane.journal.run_events import RunOpened
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.journal.totals.trial_summary import (
    TrialSummary,
    family_of,
    scores_by_world,
    total,
)
from controlplane.rejection_counts import rejection_counts
from controlplane.run_comparison.results import (
    ComparedSide,
    ComparedSpending,
    Comparison,
    FamilyComparison,
    MetricComparison,
    PairAgreement,
    Pairing,
    SettingDifference,
    TaskComparison,
)
from controlplane.score_scale import UNIT_SCALE, ScoreScale
from controlplane.score_statistics import (
    bootstrap_interval,
    flickering,
    mean_interval,
    paired_bootstrap,
    pass_rates,
)

# A run for a comparison: its trials, some of them replaced by the trials of reruns.
#
# `controlplane compare RUN RUN+RERUN` names two runs. The second is `RUN` with the trials
# that `RERUN` played again.


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """A run with the reruns that are named together with it."""

    name: str
    """The user's name for the run, or its id, followed by those of reruns: `before+again`."""
    path: Path
    """The path of the journal of the run itself."""
    opened: RunOpened
    trials: tuple[TrialSummary, ...]
    scale: ScoreScale = UNIT_SCALE
    """The lowest and the highest score."""


def compared_run(paths: Sequence[Path]) -> ComparedRun:
    """Read a run from its journal (the first path) and its reruns from theirs.

    A trial of a rerun replaces the run's trial, and a later rerun replaces an earlier
    one. Each rerun has to be one of the run itself or of a rerun before it.

    Raises `NotAJournal` and `JournalDamaged`, and `UsageError` for a path whose journal
    is not such a rerun.
    """
    path, *rerun_paths = paths
    summary = glance_at(path)
    assert summary.opened is not None
    names = [summary.opened.name or journal_id(path)]
    # A rerun names its parent by the id of the parent's journal. That follows from the name of the
    # file, which the user may have changed since; the id in the journal stays.
    known_runs = {summary.opened.run, journal_id(path)}
    trials = _by_try(summary)

    for rerun_path in rerun_paths:
        rerun = glance_at(rerun_path)
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
        trials.update(_by_try(rerun))

    return ComparedRun(
        "+".join(names), path, summary.opened, tuple(trials.values()), summary.scale
    )


def numbered(summary: RunSummary) -> list[TrialSummary]:
    """Return the trials of a journal, each with the number of its world.

    If no number is recorded, the trials of a task are numbered 0, 1, 2 in their order.
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


def _by_try(summary: RunSummary) -> dict[tuple[tuple[str, int], int], TrialSummary]:
    """Return the trials of a run by world (task and number), and number of the try in that world.

    `{(("orders.3", 0), 1): …}` is the second try of a task in its first world. All trials of a fork
    continue the same recorded trial, so they are tries in one world. If its journal does not
    number the tries, they are numbered here.
    """
    trials = numbered(summary)
    parent = summary.opened.parent if summary.opened else None
    is_fork = parent is not None and parent.how == "fork"
    if is_fork and not any(trial.repeat for trial in trials):
        world = trials[0].number
        for number, trial in enumerate(trials):
            trials[number] = replace(trial, number=world, repeat=number)
    return {(trial.world, trial.repeat): trial for trial in trials}


# Whether and how two runs can be compared.


def _pairing_of(first: ComparedRun, second: ComparedRun) -> Pairing:
    """Return "task and world" if the runs played the same worlds, else "task".

    With equal seeds, worlds of the same number are equal, unless the benchmark has changed
    between the runs. Then the instruction in one of the worlds is different.
    """
    if first.opened.setting("seed") != second.opened.setting("seed"):
        return "task"
    instructions = {trial.world: trial.instruction for trial in first.trials}
    for trial in second.trials:
        instruction = instructions.get(trial.world, "")
        # The instruction is empty if the trial did not start.
        are_known = instruction and trial.instruction
        if are_known and instruction != trial.instruction:
            return "task"
    return "task and world"


_SETTINGS_WITHOUT_EFFECT: Final = frozenset(
    {"name", "runs_dir", "tasks", "limit", "concurrency", "workers", "poll_time"}
)
"""Settings that do not change how a trial is played: which tasks, where, and how many at once."""


def _settings_of(opened: RunOpened) -> dict[str, object]:
    """Return the recorded settings by name, and as further ones the model and the prompts' hash."""
    settings: dict[str, object] = {}
    for setting in opened.settings:
        settings[setting.name] = setting.value
    settings["model"] = opened.model
    settings["prompt texts"] = opened.versions.prompts
    return settings


# Pairs of trials, one of each compared run.

_WorldKey: TypeAlias = tuple[str, int]
"""A task and the number of its world; the number is 0 if tasks are compared across worlds."""
_Worlds: TypeAlias = dict[_WorldKey, list[TrialSummary]]
"""The trials of a run by world."""


@dataclass(frozen=True, slots=True)
class _Pair:
    """A trial of each run, in the same world or at least of the same task."""

    first: TrialSummary
    second: TrialSummary

    @property
    def is_over(self) -> bool:
        return self.first.is_over and self.second.is_over

    @property
    def has_scores(self) -> bool:
        """True if both trials count: they have scores, or are over without one and count as 0."""
        return (
            self.first.counted_score is not None
            and self.second.counted_score is not None
        )

    @property
    def lacks_score(self) -> bool:
        """True if a trial of it has no score."""
        return self.first.own_score is None or self.second.own_score is None

    @property
    def lost_score(self) -> bool:
        """True if the trial of the first run has a score, and that of the second has none."""
        return self.first.own_score is not None and self.second.own_score is None


_Pairs: TypeAlias = Sequence[_Pair]


def _by_task(pairs: _Pairs) -> dict[str, list[_Pair]]:
    """Return the pairs of each task, in the order of their first pairs."""
    by_task: dict[str, list[_Pair]] = {}
    for pair in pairs:
        by_task.setdefault(pair.first.task, []).append(pair)
    return by_task


def _trials_of(side: Literal["first", "second"], pairs: _Pairs) -> list[TrialSummary]:
    """Return the trials of one of the runs, each once, since a trial may be in several pairs.

    Only the same object is a duplicate: two trials could have equal values by chance.
    """
    trials = [getattr(pair, side) for pair in pairs]
    return list({id(trial): trial for trial in trials}.values())


def _worlds_of(trials: Sequence[TrialSummary], pairing: Pairing) -> _Worlds:
    """Return the trials by world, or by task if `pairing` is "task"."""
    worlds: _Worlds = {}
    for trial in trials:
        key = (trial.task, 0) if pairing == "task" else trial.world
        worlds.setdefault(key, []).append(trial)
    return worlds


def _pairs_of(first: _Worlds, second: _Worlds) -> list[_Pair]:
    """Return the pairs of the worlds that both runs have.

    If one run has fewer tries, they are used again. For example, the tries a, b and the
    tries x, y, z make the pairs (a, x), (b, y), (a, z).
    """
    pairs = []
    for key, tries in first.items():
        other_tries = second.get(key, [])
        if not other_tries:
            continue
        for index in range(max(len(tries), len(other_tries))):
            trial = tries[index % len(tries)]
            other_trial = other_tries[index % len(other_tries)]
            pairs.append(_Pair(trial, other_trial))
    return pairs


def _unpaired(first: _Worlds, second: _Worlds) -> tuple[str, ...]:
    """Return the worlds or tasks that only one run played, as `loan.1` or `loan.1 try 2`."""
    names = []
    for task, number in sorted(first.keys() ^ second.keys()):
        names.append(f"{task} try {number + 1}" if number else task)
    return tuple(names)


# The figures of a comparison, over pairs of trials.


def _task_comparison(task: str, pairs: _Pairs) -> TaskComparison:
    """Return a task with its mean score in both runs. All trials of the pairs count."""
    first_trials = _trials_of("first", pairs)
    second_trials = _trials_of("second", pairs)
    first = mean_interval([_counted_score(trial) for trial in first_trials])
    second = mean_interval([_counted_score(trial) for trial in second_trials])
    assert first is not None
    assert second is not None
    # The worst trial of both runs tells what goes wrong in the task.
    worst = min([*first_trials, *second_trials], key=_counted_score)
    return TaskComparison(
        task=task,
        first=first,
        second=second,
        tries=min(len(first_trials), len(second_trials)),
        difference=second.mean - first.mean,
        why=worst.details[0] if worst.details else "",
    )


def _counted_score(trial: TrialSummary) -> float:
    """Return the score of a trial that counts: 0 if it is over and has none."""
    assert trial.counted_score is not None
    return trial.counted_score


def _family_comparisons(
    tasks: Sequence[TaskComparison],
) -> tuple[FamilyComparison, ...]:
    """Return each family with the mean score of its tasks, with the largest change first."""
    by_family: dict[str, list[TaskComparison]] = {}
    for task in tasks:
        by_family.setdefault(family_of(task.task), []).append(task)
    families = []
    for name, members in by_family.items():
        first = fmean(task.first.mean for task in members)
        second = fmean(task.second.mean for task in members)
        families.append(FamilyComparison(name, len(members), first, second))
    families.sort(key=lambda family: (-abs(family.difference), family.name))
    return tuple(families)


def _metric_comparisons(pairs: _Pairs) -> tuple[MetricComparison, ...]:
    """Compare the grader's further figures, each over the pairs in which both trials have it."""
    by_metric: dict[str, list[_Pair]] = {}
    for pair in pairs:
        for name in pair.first.metrics:
            if name in pair.second.metrics:
                by_metric.setdefault(name, []).append(pair)
    return tuple(
        _metric_comparison(name, by_metric[name]) for name in sorted(by_metric)
    )


def _metric_comparison(name: str, pairs: _Pairs) -> MetricComparison:
    """Compare one figure in the same way as scores: by the means of the tasks."""
    first_means = []
    second_means = []
    for task_pairs in _by_task(pairs).values():
        first_means.append(fmean(pair.first.metrics[name] for pair in task_pairs))
        second_means.append(fmean(pair.second.metrics[name] for pair in task_pairs))
    differences = [
        second - first for first, second in zip(first_means, second_means, strict=True)
    ]
    difference = bootstrap_interval(differences)
    assert difference is not None
    return MetricComparison(name, fmean(first_means), fmean(second_means), difference)


def _side(
    task_means: Sequence[float],
    ended_trials: Sequence[TrialSummary],
    scored_trials: Sequence[TrialSummary],
    scale: ScoreScale,
) -> ComparedSide:
    """Return the figures of one run.

    - `task_means`: the mean score of each task, for the run's mean.
    - `ended_trials`: the trials for costs, times and the effects of gates.
    - `scored_trials`: the trials that count, for pass rates, and for the tasks that flicker (that
      pass in some tries of the same world, and fail in others).
    """
    scores = scores_by_world(scored_trials, counted=True)
    spent = ComparedSpending(
        # The cost is None if that of a trial is unknown, so `total` adds it.
        cost_usd=total(trial.spent for trial in ended_trials).cost_usd,
        tokens=sum(trial.spent.tokens for trial in ended_trials),
        elapsed_ms=sum(trial.elapsed_ms for trial in ended_trials),
        # The number of a trial's last step is the count of its steps.
        steps=sum(trial.step for trial in ended_trials),
    )
    return ComparedSide(
        mean=mean_interval(task_means),
        scale=scale.recorded,
        unscored=sum(bool(trial.why_unscored) for trial in scored_trials),
        spent=spent,
        rates=pass_rates(scores),
        flickers=flickering(scores),
        gates=rejection_counts(ended_trials),
    )


def _agreement(pairs: _Pairs) -> PairAgreement:
    """Count the pairs with equal outcomes, and those of them with equal answers and citations."""
    same_outcome = 0
    same_answer = 0
    # Only the keys count: each task once, in the order of the pairs.
    differing_tasks: dict[str, None] = {}
    for pair in pairs:
        first = pair.first
        second = pair.second
        if first.outcome != second.outcome:
            differing_tasks[first.task] = None
            continue
        same_outcome += 1
        if first.answer == second.answer and set(first.refs) == set(second.refs):
            same_answer += 1
    return PairAgreement(len(pairs), same_outcome, same_answer, tuple(differing_tasks))


# Compares two runs.


def compare_runs(first: ComparedRun, second: ComparedRun) -> Comparison:
    """Compare `second` with `first`, over the tasks and worlds that both played.

    If the seeds differ, the worlds do, too, and trials are paired by task alone. If one run
    has fewer tries in a world, some of them are in several pairs. Raises `UsageError` for runs
    of different benchmarks or of different versions of the worlds, because their scores
    mean different things.
    """
    # Raise `UsageError` if the runs played different benchmarks or versions of their worlds.
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
    pairing = _pairing_of(first, second)
    first_worlds = _worlds_of(first.trials, pairing)
    second_worlds = _worlds_of(second.trials, pairing)
    pairs = _pairs_of(first_worlds, second_worlds)

    # Scores are compared over the pairs whose trials both count, costs and steps over the pairs
    # whose trials are both over. So a run does not look cheaper because it has played fewer trials.
    scored = [pair for pair in pairs if pair.has_scores]
    over = [pair for pair in pairs if pair.is_over]
    tasks = tuple(
        _task_comparison(task, task_pairs)
        for task, task_pairs in _by_task(scored).items()
    )
    # The model, or both if they differ
    models = dict.fromkeys((first.opened.model, second.opened.model))
    notes = []
    if bool(first.opened.versions.world) != bool(second.opened.versions.world):
        notes.append("one of the journals does not name the version of its worlds")
    if pairing == "task":
        notes.append(
            "their worlds differ (another seed, or none): tasks are compared, not single tries"
        )
    if first.scale != second.scale:
        notes.append(
            f"their scores are on other scales: {first.scale}, then {second.scale}"
        )
    for run in (first, second):
        unfinished = [trial for trial in run.trials if not trial.is_over]
        if unfinished:
            count = f"{len(unfinished)} of the {len(run.trials)} trials"
            notes.append(f"{count} of {run.name} are cut off and left out")
    first_values = _settings_of(first.opened)
    second_values = _settings_of(second.opened)
    differences = []
    for name in first_values | second_values:
        if name in _SETTINGS_WITHOUT_EFFECT:
            continue
        value = first_values.get(name)
        other_value = second_values.get(name)
        if value != other_value:
            differences.append(SettingDifference(name, value, other_value))
    return Comparison(
        first=first.name,
        second=second.name,
        played=(first.opened.played, *models),
        pairing=pairing,
        tasks=tasks,
        families=_family_comparisons(tasks),
        unpaired=_unpaired(first_worlds, second_worlds),
        without_score=tuple(_by_task([pair for pair in pairs if pair.lacks_score])),
        counted_as_0=tuple(_by_task([pair for pair in scored if pair.lacks_score])),
        lost_scores=tuple(_by_task([pair for pair in pairs if pair.lost_score])),
        sides=(
            _side(
                [task.first.mean for task in tasks],
                _trials_of("first", over),
                _trials_of("first", scored),
                first.scale,
            ),
            _side(
                [task.second.mean for task in tasks],
                _trials_of("second", over),
                _trials_of("second", scored),
                second.scale,
            ),
        ),
        difference=paired_bootstrap([task.difference for task in tasks]),
        metrics=_metric_comparisons(over),
        agreement=_agreement(pairs),
        is_sealed=_has_sealed_scores(first) or _has_sealed_scores(second),
        notes=tuple(notes),
        settings=tuple(differences),
    )


def _has_sealed_scores(run: ComparedRun) -> bool:
    """Return True if the benchmark still hides the score of a trial with an answer."""
    return any(
        trial.state == "answered" and trial.score is None and not trial.why_unscored
        for trial in run.trials
    )
