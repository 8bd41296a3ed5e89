"""The figures of a comparison, over pairs of trials."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from controlplane.gate_effects import gate_effects
from controlplane.journal.totals.trial_summary import TrialSummary, family_of, total
from controlplane.pass_rates import flickering, pass_rates
from controlplane.run_comparison.pairs import Pair, TrialPairs
from controlplane.run_comparison.results import (
    ComparedSide,
    ComparedSpending,
    PairAgreement,
)
from controlplane.run_comparison.task_results import (
    FamilyComparison,
    MetricComparison,
    TaskComparison,
)
from controlplane.score_groups import scores_by_world
from controlplane.score_scale import ScoreScale
from controlplane.score_statistics import Interval, bootstrap_interval, mean_interval


def task_comparisons(scored: TrialPairs) -> tuple[TaskComparison, ...]:
    """Return each task with its mean score in both runs. All trials of the pairs count."""
    comparisons = []
    for task, pairs in scored.by_task().items():
        comparisons.append(_task_comparison(task, pairs))
    return tuple(comparisons)


def _task_comparison(task: str, pairs: TrialPairs) -> TaskComparison:
    first = _mean_score(pairs.first)
    second = _mean_score(pairs.second)
    # The worst trial of both runs tells what goes wrong in the task.
    worst = min([*pairs.first, *pairs.second], key=_counted_score)
    return TaskComparison(
        task=task,
        first=first,
        second=second,
        tries=min(len(pairs.first), len(pairs.second)),
        difference=second.mean - first.mean,
        why=worst.details[0] if worst.details else "",
    )


def _mean_score(trials: Sequence[TrialSummary]) -> Interval:
    """Return the mean score of trials that count."""
    mean = mean_interval([_counted_score(trial) for trial in trials])
    assert mean is not None
    return mean


def _counted_score(trial: TrialSummary) -> float:
    """Return the score of a trial that counts: 0 if it is over and has none."""
    assert trial.counted_score is not None
    return trial.counted_score


def family_comparisons(
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


def metric_comparisons(pairs: TrialPairs) -> tuple[MetricComparison, ...]:
    """Compare the grader's further figures, each over the pairs in which both trials have it."""
    by_metric: dict[str, list[Pair]] = {}
    for pair in pairs.pairs:
        for name in pair.first.metrics:
            if name in pair.second.metrics:
                by_metric.setdefault(name, []).append(pair)
    comparisons = []
    for name in sorted(by_metric):
        comparisons.append(_metric_comparison(name, TrialPairs(by_metric[name])))
    return tuple(comparisons)


def _metric_comparison(name: str, pairs: TrialPairs) -> MetricComparison:
    """Compare one figure in the same way as scores: by the means of the tasks."""
    first_means = []
    second_means = []
    for task_pairs in pairs.by_task().values():
        first_means.append(fmean(pair.first.metrics[name] for pair in task_pairs.pairs))
        second_means.append(
            fmean(pair.second.metrics[name] for pair in task_pairs.pairs)
        )
    differences = [
        second - first for first, second in zip(first_means, second_means, strict=True)
    ]
    difference = bootstrap_interval(differences)
    assert difference is not None
    return MetricComparison(name, fmean(first_means), fmean(second_means), difference)


def sides(
    tasks: Sequence[TaskComparison],
    pairs: TrialPairs,
    scales: tuple[ScoreScale, ScoreScale],
) -> tuple[ComparedSide, ComparedSide]:
    """Return the figures of both runs, each over the tasks and trials that both have.

    So a run does not look cheaper because it has played fewer trials.
    """
    over = pairs.over  # The pairs whose trials have both ended.
    scored = pairs.scored  # The pairs whose trials both count.
    first, second = scales
    return (
        _side([task.first.mean for task in tasks], over.first, scored.first, first),
        _side([task.second.mean for task in tasks], over.second, scored.second, second),
    )


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
        gates=gate_effects(ended_trials),
    )


def agreement(pairs: TrialPairs) -> PairAgreement:
    """Count the pairs with equal outcomes, and those of them with equal answers and citations."""
    same_outcome = 0
    same_answer = 0
    # Only the keys count: each task once, in the order of the pairs.
    differing_tasks: dict[str, None] = {}
    for pair in pairs.pairs:
        first = pair.first
        second = pair.second
        if first.outcome != second.outcome:
            differing_tasks[first.task] = None
            continue
        same_outcome += 1
        if first.answer == second.answer and set(first.refs) == set(second.refs):
            same_answer += 1
    return PairAgreement(len(pairs), same_outcome, same_answer, tuple(differing_tasks))
