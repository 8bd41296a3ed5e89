"""The scores of a run's trials in groups: by task, by world and by family of tasks.

A task may be played in several worlds (the data generated from a number), and several times in
each. A family is the beginning of tasks' names: `loans` for `loans.1` and `loans.2`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import fmean

from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.pass_rates import PASSED


def scores_by_task(trials: Iterable[TrialSummary]) -> dict[str, list[float]]:
    """Return the known scores of each task that has any."""
    return _scores_by(_task_of, trials)


def scores_by_world(
    trials: Iterable[TrialSummary], *, counted: bool = False
) -> dict[str, list[float]]:
    """Return the known scores of each task in each world: by `TASK`, `TASK in world 2` …

    If they are `counted`, a trial that is over without a score has the score 0.
    """
    return _scores_by(_task_and_world_of, trials, counted=counted)


def _task_of(trial: TrialSummary) -> str:
    return trial.task


def _task_and_world_of(trial: TrialSummary) -> str:
    if trial.number:  # The number of its world, from 0.
        return f"{trial.task} in world {trial.number + 1}"
    return trial.task


def _scores_by(
    key_of: Callable[[TrialSummary], str],
    trials: Iterable[TrialSummary],
    *,
    counted: bool = False,
) -> dict[str, list[float]]:
    """Return the known scores of the trials that are over, in a list for each key."""
    scores: dict[str, list[float]] = {}
    for trial in trials:
        score = trial.counted_score if counted else trial.own_score
        if score is not None:
            scores.setdefault(key_of(trial), []).append(score)
    return scores


def tasks_without_score(trials: Iterable[TrialSummary]) -> tuple[str, ...]:
    """Return the tasks whose trials all have no score: they did not start, or were cut off."""
    all_trials = list(trials)
    scored = scores_by_task(all_trials)
    missing: dict[str, None] = {}
    for trial in all_trials:
        if trial.task not in scored:
            missing[trial.task] = None
    return tuple(missing)


@dataclass(frozen=True, slots=True)
class FamilyScore:
    """The scores of a family of tasks in one run."""

    name: str
    trials: int
    scored: int
    """The number of trials with a known score."""
    right: int
    """How many of these have passed."""
    mean: float | None
    """The mean of the known scores; None if there are none."""
    unscored: int
    """The number of trials that are over and have no score for good."""


def scores_by_family(trials: Iterable[TrialSummary]) -> tuple[FamilyScore, ...]:
    """Return the scores of each family of tasks, the worst first. Those without one are last."""
    counts = Counter[str]()
    unscored = Counter[str]()
    scores: dict[str, list[float]] = {}
    for trial in trials:
        counts[trial.family] += 1
        if trial.own_score is not None:
            scores.setdefault(trial.family, []).append(trial.own_score)
        elif trial.why_unscored:
            unscored[trial.family] += 1
    families = []
    for name, count in counts.items():
        own_scores = scores.get(name, [])
        right = sum(score >= PASSED for score in own_scores)
        mean = fmean(own_scores) if own_scores else None
        families.append(
            FamilyScore(name, count, len(own_scores), right, mean, unscored[name])
        )
    return tuple(sorted(families, key=_worst_family_first))


def _worst_family_first(family: FamilyScore) -> tuple[bool, float, str]:
    return family.mean is None, family.mean or 0.0, family.name
