"""Compares two runs."""

from __future__ import annotations

from controlplane.compared_run import ComparedRun
from controlplane.journal.run_events import RunOpened
from controlplane.run_comparison import comparability, figures
from controlplane.run_comparison.pairs import pairs_of, unpaired, worlds_of
from controlplane.run_comparison.results import Comparison
from controlplane.score_statistics import paired_bootstrap


def compare_runs(first: ComparedRun, second: ComparedRun) -> Comparison:
    """Compare `second` with `first`, over the tasks and worlds that both played.

    If the seeds differ, the worlds do, too, and trials are paired by task alone. If one run
    has fewer tries in a world, some of them are in several pairs. Raises `UsageError` for runs
    of different benchmarks or of different versions of the worlds, because their scores
    mean different things.
    """
    comparability.check_same_worlds(first, second)
    pairing = comparability.pairing_of(first, second)
    first_worlds = worlds_of(first.trials, pairing)
    second_worlds = worlds_of(second.trials, pairing)
    pairs = pairs_of(first_worlds, second_worlds)

    # Scores are compared over the pairs whose trials both count, costs and steps over the pairs
    # whose trials are both over.
    tasks = figures.task_comparisons(pairs.scored)
    return Comparison(
        first=first.name,
        second=second.name,
        played=_played(first.opened, second.opened),
        pairing=pairing,
        tasks=tasks,
        families=figures.family_comparisons(tasks),
        unpaired=unpaired(first_worlds, second_worlds),
        without_score=pairs.without_score.tasks,
        counted_as_0=pairs.counted_as_0.tasks,
        lost_scores=pairs.lost_scores.tasks,
        sides=figures.sides(tasks, pairs, (first.scale, second.scale)),
        difference=paired_bootstrap([task.difference for task in tasks]),
        metrics=figures.metric_comparisons(pairs.over),
        agreement=figures.agreement(pairs),
        is_sealed=_has_sealed_scores(first) or _has_sealed_scores(second),
        notes=tuple(comparability.comparison_notes(first, second, pairing)),
        settings=comparability.setting_differences(first.opened, second.opened),
    )


def _played(first: RunOpened, second: RunOpened) -> tuple[str, ...]:
    """Return the benchmark with its options, and the model (both models if they differ)."""
    if first.model == second.model:
        return (first.played, first.model)
    return (first.played, first.model, second.model)


def _has_sealed_scores(run: ComparedRun) -> bool:
    """Return True if the benchmark still hides the score of a trial with an answer."""
    return any(
        trial.state == "answered" and trial.score is None and not trial.why_unscored
        for trial in run.trials
    )
