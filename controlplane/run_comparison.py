"""Compares two runs over the tasks that both played: the changes, their size, and whether chance explains them.

Trials of reruns replace those of their run. Equal numbers give equal answers. Sources: percentile bootstrap as in Efron
and Tibshirani, An Introduction to the Bootstrap (1993), chapter 13; the score interval of a proportion is Wilson's
(1927). pass@k is the chance that at least one of k tries passes (Chen et al., 2021), pass^k that all of them do (Yao et
al., 2024), both without bias from c passes among n tries: 1 - C(n-c, k)/C(n, k), and C(c, k)/C(n, k).
"""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from statistics import NormalDist, fmean, pvariance
from typing import Final, Literal, NamedTuple, TypeAlias

from controlplane.agent.events import DONE_OTHERWISE, NOT_DONE
from controlplane.errors import UsageError
from controlplane.journal.journal_lines import journal_id
from controlplane.journal.journal_reader import glance_at
from controlplane.journal.run_events import RunOpened
from controlplane.journal.run_summary import RunSummary, TrialSummary, family_of, total

CONFIDENCE: Final = 0.95
RESAMPLES: Final = 4_000
"""Resamples of a bootstrap; the interval's ends then vary by about a hundredth of its width."""
_Z: Final = NormalDist().inv_cdf(0.5 + CONFIDENCE / 2)
_EXACT: Final = 1e-9
MOST_RESAMPLED: Final = 1_000
"""Values that are resampled; the time grows with their number."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its 95 % interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:.3f} [{self.low:.3f}, {self.high:.3f}]"


def mean_interval(values: Sequence[float]) -> Interval | None:
    """Return the mean of values from 0 to 1 with its 95 % interval over them; None if there are none.

    The interval is Wilson's, with the variance of the values in place of a proportion's, so that few or equal values
    never make it narrow. Values beyond 0 and 1 have a bootstrap.
    """
    if not values or min(values) < 0 or max(values) > 1:
        return bootstrap_interval(values)
    mean, squared = fmean(values), _Z * _Z / len(values)
    middle = (mean + squared / 2) / (1 + squared)
    half = (
        _Z
        * math.sqrt(pvariance(values) / len(values) + squared / (4 * len(values)))
        / (1 + squared)
    )
    return Interval(
        mean, max(middle - half, 0.0) if mean else 0.0, min(middle + half, 1.0) if mean < 1 else 1.0
    )


def bootstrap_interval(values: Sequence[float]) -> Interval | None:
    """Return the mean with its 95 % percentile-bootstrap interval; None if there are no values. With more than
    `MOST_RESAMPLED` values the interval is that of the normal distribution, from which the bootstrap no longer differs.
    """
    if not values:
        return None
    mean = fmean(values)
    if len(set(values)) == 1:
        return Interval(mean, mean, mean)
    if len(values) > MOST_RESAMPLED:
        half = _Z * math.sqrt(pvariance(values, mean) / len(values))
        return Interval(mean, mean - half, mean + half)
    chance, count = random.Random(20_260), len(values)
    means = sorted(math.fsum(chance.choices(values, k=count)) / count for _ in range(RESAMPLES))
    tail = round((1 - CONFIDENCE) / 2 * RESAMPLES)
    return Interval(mean, means[tail], means[-tail - 1])


def _difference_interval(differences: Sequence[float]) -> Interval | None:
    """Return the mean difference with its bootstrap interval; equal ones have Wilson's, on the scale from -1 to 1."""
    if len({round(difference, 9) for difference in differences}) != 1 or not any(differences):
        return bootstrap_interval(differences)
    scaled = mean_interval([(difference + 1) / 2 for difference in differences])
    return scaled and Interval(fmean(differences), 2 * scaled.low - 1, 2 * scaled.high - 1)


PASSED: Final = 1.0


@dataclass(frozen=True, slots=True)
class PassRates:
    """The pass rates of k tries in the same world, as means over the worlds."""

    k: int
    at_least_one: Interval
    """pass@k."""
    every_one: Interval
    """pass^k."""


def _scores_by(
    key: Callable[[TrialSummary], str], trials: Iterable[TrialSummary]
) -> dict[str, list[float]]:
    scores: dict[str, list[float]] = {}
    for trial in trials:
        if trial.own_score is not None:
            scores.setdefault(key(trial), []).append(trial.own_score)
    return scores


def scores_by_task(trials: Iterable[TrialSummary]) -> dict[str, list[float]]:
    """Return the known scores of each task that has any."""
    return _scores_by(lambda trial: trial.task, trials)


def scores_by_world(trials: Iterable[TrialSummary]) -> dict[str, list[float]]:
    """Return the known scores of each task in each world, by the task and, but for its first world, the world."""
    return _scores_by(
        lambda trial: f"{trial.task} in world {trial.number + 1}" if trial.number else trial.task,
        trials,
    )


def tasks_without_score(trials: Iterable[TrialSummary]) -> tuple[str, ...]:
    """Return the tasks of which no trial has a score: they did not start, or were cut off."""
    trials = list(trials)
    scored = scores_by_task(trials)
    return tuple(dict.fromkeys(trial.task for trial in trials if trial.task not in scored))


class FamilyScore(NamedTuple):
    """A family of tasks in one run."""

    name: str
    trials: int
    scored: int
    """Trials with a known score."""
    mean: float | None
    """The mean of the known scores; None if there are none."""


def scores_by_family(trials: Iterable[TrialSummary]) -> tuple[FamilyScore, ...]:
    """Return each family of the trials' tasks, the worst first, families without a score last."""
    trials = list(trials)
    scores = _scores_by(lambda trial: trial.family, trials)
    families = []
    for name, count in Counter(trial.family for trial in trials).items():
        own = scores.get(name, [])
        families.append(FamilyScore(name, count, len(own), fmean(own) if own else None))
    return tuple(
        sorted(
            families, key=lambda family: (2.0 if family.mean is None else family.mean, family.name)
        )
    )


def pass_rates(tries: Mapping[str, Sequence[float]]) -> tuple[PassRates, ...]:
    """Return pass@k and pass^k with intervals over the worlds, given each world's scores; empty without repeats."""
    most = min((len(scores) for scores in tries.values()), default=0)
    if most < 2:
        return ()
    rates = []
    for k in sorted({1, most, *(count for count in (2, 4, 8, 16) if count < most)}):
        counts = [
            (len(scores), sum(score >= PASSED for score in scores)) for scores in tries.values()
        ]
        one = mean_interval([1 - math.comb(n - c, k) / math.comb(n, k) for n, c in counts])
        every = mean_interval([math.comb(c, k) / math.comb(n, k) for n, c in counts])
        assert one is not None
        assert every is not None
        rates.append(PassRates(k, one, every))
    return tuple(rates)


def flickering(tries: Mapping[str, Sequence[float]]) -> tuple[str, ...]:
    """Return the worlds in which some tries passed and others failed."""
    return tuple(
        task for task, scores in tries.items() if len({score >= PASSED for score in scores}) > 1
    )


LEAST_CHANGED: Final = 6
"""Fewest changed tasks that can show a difference: five all change in one direction by chance in 6 % of cases."""
Pairing: TypeAlias = Literal["task and world", "task"]
Change: TypeAlias = Literal["better", "worse", "same"]


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """One run, with the reruns named together with it."""

    name: str
    """The user's name for the run, or its id."""
    path: Path
    """The journal of the run itself."""
    opened: RunOpened
    trials: tuple[TrialSummary, ...]


def numbered(summary: RunSummary) -> list[TrialSummary]:
    """Return the trials of a journal, each with the number of its world: the recorded number, else by order."""
    seen, trials = Counter[str](), []
    for trial in summary.trials.values():
        trials.append(
            replace(trial, number=seen[trial.task] if trial.number is None else trial.number)
        )
        seen[trial.task] += 1
    return trials


def compared_run(paths: Sequence[Path]) -> ComparedRun:
    """Read the run of the first path; the others are reruns whose trials replace its own, the last rerun winning.
    Raises `NotAJournal`, `JournalDamaged`, and `UsageError` for a path that is not a rerun of those before it."""
    return run_with_reruns([(path, glance_at(path)) for path in paths])


def run_with_reruns(journals: Sequence[tuple[Path, RunSummary]]) -> ComparedRun:
    """Return the run of the first journal with its reruns, as `compared_run` does, from their totals."""
    first, *others = journals
    path, summary = first
    assert summary.opened is not None
    own, parent = numbered(summary), summary.opened.parent
    if parent is not None and parent.how == "fork" and not any(trial.repeat for trial in own):
        own = [replace(trial, number=own[0].number, repeat=at) for at, trial in enumerate(own)]
    trials = {(*trial.world, trial.repeat): trial for trial in own}
    names = {summary.opened.run, journal_id(path)}
    for rerun_path, rerun in others:
        assert rerun.opened is not None
        parent = rerun.opened.parent
        if parent is None or parent.how != "rerun" or parent.run not in names:
            msg = f"{journal_id(rerun_path)} is not a rerun of {journal_id(path)}, so the two cannot be taken as one run"
            raise UsageError(msg)
        names |= {rerun.opened.run, journal_id(rerun_path)}
        trials |= {(*trial.world, trial.repeat): trial for trial in numbered(rerun)}
    name = "+".join(
        run.opened.name or journal_id(where) for where, run in (first, *others) if run.opened
    )
    return ComparedRun(name, path, summary.opened, tuple(trials.values()))


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
        if abs(self.difference) < _EXACT:
            return "same"
        return "better" if self.difference > 0 else "worse"


@dataclass(frozen=True, slots=True)
class Spent:
    """Cost, tokens, time and steps of one run's compared trials."""

    cost_usd: float | None
    tokens: int
    elapsed_ms: float
    """The sum over its trials."""
    steps: int


@dataclass(frozen=True, slots=True)
class GateEffect:
    """What a gate or rule rejected in one run, and how those trials ended."""

    key: str
    sent_back: int
    """Answers that it rejected, or calls that it held."""
    mended: int
    """Of these, answers whose next one it did not object to; of held calls, those that were not repeated."""
    trials: int
    """Trials in which it rejected an answer."""
    accepted: int
    """Of these, trials whose last answer was accepted."""
    right: int | None
    """Of these, trials that scored 1 in the end; None if no score is known."""
    fallback: int
    """Of these, trials that ended by the fallback."""


HOLDING: Final = {"check": "pre-call check", "provenance": "provenance"}
"""What holds calls, by its name in the journal."""


def gate_effects(trials: Iterable[TrialSummary]) -> tuple[GateEffect, ...]:
    """Return the effect of all that rejected an answer or held a call, most rejections first."""
    rejected: dict[str, dict[str, TrialSummary]] = defaultdict(dict)
    sent_back, mended = Counter[str](), Counter[str]()
    for trial in trials:
        for one, following in zip_longest(trial.submissions, trial.submissions[1:]):
            for key in one.rejected:
                rejected[key][trial.trial_id] = trial
                sent_back[key] += 1
                mended[key] += following is not None and key not in (
                    *following.rejected,
                    *following.overridden,
                )
        for (by, *_), then in trial.stopped.items():
            key = HOLDING[by]
            rejected[key][trial.trial_id] = trial
            sent_back[key] += 1
            mended[key] += then in (NOT_DONE, DONE_OTHERWISE)
    effects = [
        _effect(key, sent_back[key], mended[key], own.values()) for key, own in rejected.items()
    ]
    return tuple(sorted(effects, key=lambda effect: (-effect.sent_back, effect.key)))


def _effect(key: str, sent_back: int, mended: int, own: Collection[TrialSummary]) -> GateEffect:
    scores = [one.own_score >= PASSED for one in own if one.own_score is not None]
    accepted = sum(bool(one.submissions) and not one.submissions[-1].rejected for one in own)
    fallback = sum(one.state == "fallback" for one in own)
    return GateEffect(
        key, sent_back, mended, len(own), accepted, sum(scores) if scores else None, fallback
    )


@dataclass(frozen=True, slots=True)
class FamilyComparison:
    """The compared tasks of one family."""

    name: str
    tasks: int
    first: float
    """The mean of its tasks' scores in the first run."""
    second: float


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
    """Difference of the means over tasks, second minus first, with a bootstrap interval over tasks."""
    agreement: Agreement
    is_sealed: bool
    """Scores of a run are not out."""
    notes: tuple[str, ...]
    settings: tuple[SettingDifference, ...]
    metrics: tuple[MetricComparison, ...]
    """The further figures that graders gave in both runs."""

    @property
    def needed_tasks(self) -> int | None:
        """About how many such tasks would show the measured difference; None if it is shown, or zero."""
        mean = self.difference.mean if self.difference is not None else 0.0
        if self.is_shown or abs(mean) < _EXACT:
            return None
        changed = len(self.better) + len(self.worse)
        by_spread = (_Z / mean) ** 2 * pvariance([task.difference for task in self.tasks])
        return max(
            math.ceil(by_spread),
            math.ceil(LEAST_CHANGED * len(self.tasks) / changed),
            len(self.tasks) + 1,
        )

    @property
    def better(self) -> tuple[TaskComparison, ...]:
        """Tasks on which the second run did better, the largest change first."""
        return tuple(
            sorted(
                (t for t in self.tasks if t.change == "better"), key=lambda task: -task.difference
            )
        )

    @property
    def worse(self) -> tuple[TaskComparison, ...]:
        """Tasks on which the second run did worse, the largest change first."""
        return tuple(
            sorted((t for t in self.tasks if t.change == "worse"), key=lambda task: task.difference)
        )

    @property
    def is_shown(self) -> bool:
        """The interval of the difference excludes 0, and enough tasks changed for it to be trusted."""
        excludes_zero = self.difference is not None and (
            self.difference.low > 0 or self.difference.high < 0
        )
        return excludes_zero and len(self.better) + len(self.worse) >= LEAST_CHANGED

    @property
    def is_worse(self) -> bool:
        return self.is_shown and self.difference is not None and self.difference.mean < 0


Pair: TypeAlias = tuple[TrialSummary, TrialSummary]


def compare_runs(first: ComparedRun, second: ComparedRun) -> Comparison:
    """Compare `second` with `first`, over the tasks and worlds that both played.

    If their seeds differ, tasks are compared without pairing tries. If a run has several tries in a world (a fork), or
    the worlds differ, each try is paired with one of the other run's, which repeat if they are fewer. Raises
    `UsageError` for runs of different benchmarks, or of different versions of the worlds, whose scores mean different
    things.
    """
    notes = _checked(first, second)
    pairing = _pairing(first, second)
    ones, twos = (_grouped(run.trials, pairing) for run in (first, second))
    pairs = [
        (left[at % len(left)], twos[key][at % len(twos[key])])
        for key, left in ones.items()
        if key in twos
        for at in range(max(len(left), len(twos[key])))
    ]
    alone = sorted(ones.keys() ^ twos.keys())
    if pairing == "task":
        notes.append(
            "their worlds differ (another seed, or none): tasks are compared, not single tries"
        )
    for run in (first, second):
        if unfinished := sum(not trial.is_over for trial in run.trials):
            notes.append(
                f"{unfinished} of the {len(run.trials)} trials of {run.name} are cut off and left out"
            )
    scored = [
        (one, two) for one, two in pairs if one.own_score is not None and two.own_score is not None
    ]
    missing = tuple(
        dict.fromkeys(
            one.task for one, two in pairs if one.own_score is None or two.own_score is None
        )
    )
    tasks = _tasks(scored)
    over = [(one, two) for one, two in pairs if one.is_over and two.is_over]
    values_by_run = [
        {setting.name: setting.value for setting in run.opened.settings}
        | {"model": run.opened.model, "prompt texts": run.opened.versions.prompts}
        for run in (first, second)
    ]
    return Comparison(
        first=first.name,
        second=second.name,
        played=tuple(dict.fromkeys((first.opened.played, first.opened.model, second.opened.model))),
        pairing=pairing,
        tasks=tasks,
        families=_families(tasks),
        unpaired=tuple(f"{task} try {number + 1}" if number else task for task, number in alone),
        without_score=missing,
        lost_scores=tuple(
            dict.fromkeys(
                a.task for a, b in pairs if a.own_score is not None and b.own_score is None
            )
        ),
        sides=(
            _side(
                [task.first.mean for task in tasks],
                *(_distinct(one for one, _ in some) for some in (over, scored)),
            ),
            _side(
                [task.second.mean for task in tasks],
                *(_distinct(two for _, two in some) for some in (over, scored)),
            ),
        ),
        difference=_difference_interval([task.difference for task in tasks]),
        metrics=_metrics(over),
        agreement=_agreement(pairs),
        is_sealed=any(
            one.state == "answered" and one.score is None for one in (*first.trials, *second.trials)
        ),
        notes=tuple(notes),
        settings=tuple(
            SettingDifference(name, *values)
            for name in values_by_run[0] | values_by_run[1]
            if (values := [of.get(name) for of in values_by_run])[0] != values[1]
            and name not in NO_DIFFERENCE
        ),
    )


NO_DIFFERENCE: Final = frozenset(
    {"name", "runs_dir", "tasks", "limit", "concurrency", "workers", "poll_time"}
)
"""Settings that say where and when a run plays, not how."""


def _checked(first: ComparedRun, second: ComparedRun) -> list[str]:
    """Return notes on unknown versions. Raises `UsageError` if the runs cannot be compared."""
    notes = []
    names = [run.opened.benchmark.partition(":")[0] for run in (first, second)]
    if names[0] != names[1]:
        msg = f"{first.name} is a run of {names[0]}, {second.name} one of {names[1]}; compare runs of one benchmark"
        raise UsageError(msg)
    worlds = [run.opened.versions.world for run in (first, second)]
    if all(worlds) and worlds[0] != worlds[1]:
        msg = (
            f"{first.name} and {second.name} ran with other versions of its worlds ({worlds[0]} and {worlds[1]}), "
            "so their scores mean different things; run one of them again"
        )
        raise UsageError(msg)
    if any(worlds) and not all(worlds):
        notes.append("one of the journals does not name the version of its worlds")
    return notes


def _pairing(first: ComparedRun, second: ComparedRun) -> Pairing:
    """Return the pairing: by world if equal seeds and instructions show equal worlds, else by task."""
    if first.opened.setting("seed") != second.opened.setting("seed"):
        return "task"
    instructions = {trial.world: trial.instruction for trial in first.trials}
    for trial in second.trials:
        instruction = instructions.get(trial.world, "")
        if instruction and trial.instruction and instruction != trial.instruction:
            return "task"
    return "task and world"


def _grouped(
    trials: Sequence[TrialSummary], pairing: Pairing
) -> dict[tuple[str, int], list[TrialSummary]]:
    groups: dict[tuple[str, int], list[TrialSummary]] = defaultdict(list)
    for trial in trials:
        groups[trial.world if pairing == "task and world" else (trial.task, 0)].append(trial)
    return dict(groups)


def _tasks(scored: Sequence[Pair]) -> tuple[TaskComparison, ...]:
    by_task: dict[str, list[Pair]] = defaultdict(list)
    for one, two in scored:
        by_task[one.task].append((one, two))
    tasks = []
    for task, pairs in by_task.items():
        ones, twos = (
            [trial.own_score or 0.0 for trial in _distinct(pair[side] for pair in pairs)]
            for side in (0, 1)
        )
        first, second = mean_interval(ones), mean_interval(twos)
        assert first is not None
        assert second is not None
        worst = min(
            (trial for pair in pairs for trial in pair), key=lambda trial: trial.own_score or 0.0
        )
        tries, why = min(len(ones), len(twos)), next(iter(worst.details), "")
        tasks.append(TaskComparison(task, first, second, tries, second.mean - first.mean, why))
    return tuple(tasks)


def _families(tasks: Sequence[TaskComparison]) -> tuple[FamilyComparison, ...]:
    members: dict[str, list[TaskComparison]] = defaultdict(list)
    for task in tasks:
        members[family_of(task.task)].append(task)
    families = []
    for name, own in members.items():
        first, second = (
            fmean(task.first.mean for task in own),
            fmean(task.second.mean for task in own),
        )
        families.append(FamilyComparison(name, len(own), first, second))
    return tuple(
        sorted(families, key=lambda family: (-abs(family.second - family.first), family.name))
    )


def _metrics(pairs: Sequence[Pair]) -> tuple[MetricComparison, ...]:
    """Return the further figures that both trials of some pairs have, each compared over its tasks."""
    by_name: dict[str, dict[str, list[tuple[float, float]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for one, two in pairs:
        for name in one.metrics.keys() & two.metrics.keys():
            by_name[name][one.task].append((one.metrics[name], two.metrics[name]))
    compared = []
    for name, tasks in sorted(by_name.items()):
        first, second = (
            [fmean(pair[side] for pair in values) for values in tasks.values()] for side in (0, 1)
        )
        difference = bootstrap_interval([two - one for one, two in zip(first, second, strict=True)])
        assert difference is not None
        compared.append(MetricComparison(name, fmean(first), fmean(second), difference))
    return tuple(compared)


def _distinct(trials: Iterable[TrialSummary]) -> list[TrialSummary]:
    return list({id(trial): trial for trial in trials}.values())


def _side(
    means: Sequence[float], over: Sequence[TrialSummary], scored: Sequence[TrialSummary]
) -> ComparedSide:
    tries, cost_usd = scores_by_world(scored), total(trial.spent for trial in over).cost_usd
    tokens, steps = sum(trial.spent.tokens for trial in over), sum(trial.step for trial in over)
    spent = Spent(cost_usd, tokens, sum(trial.elapsed_ms for trial in over), steps)
    return ComparedSide(
        mean_interval(means), spent, pass_rates(tries), flickering(tries), gate_effects(over)
    )


def _agreement(pairs: Sequence[Pair]) -> Agreement:
    alike = [(one, two) for one, two in pairs if one.outcome == two.outcome]
    same_answer = sum(
        (one.answer, set(one.refs)) == (two.answer, set(two.refs)) for one, two in alike
    )
    differing = dict.fromkeys(one.task for one, two in pairs if one.outcome != two.outcome)
    return Agreement(len(pairs), len(alike), same_answer, tuple(differing))
