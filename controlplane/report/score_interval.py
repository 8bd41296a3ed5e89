"""The mean of a run's scores with an interval: 95 % of what resampling its tasks gives."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from controlplane.report.reported_trial import TrialFacts

RESAMPLES: Final = 2_000
_SEED: Final = 0
"""The same run gives the same interval."""


@dataclass(frozen=True, slots=True)
class MeanScore:
    """A mean and its 95 % interval; the interval is None where it cannot be told: one task, or all alike."""

    mean: float
    interval: tuple[float, float] | None


def mean_score(trials: Iterable[TrialFacts]) -> MeanScore | None:
    """Return the mean over all scored tries, with a bootstrap over tasks; None if nothing is scored."""
    by_task: dict[str, list[float]] = {}
    for each in trials:
        if each.summary.score is not None:
            by_task.setdefault(each.summary.task_id or each.summary.trial_id, []).append(each.summary.score)
    if not by_task:
        return None
    tasks = [(sum(scores), len(scores)) for scores in by_task.values()]
    mean = sum(total for total, _ in tasks) / sum(tries for _, tries in tasks)
    if len({total / tries for total, tries in tasks}) == 1:
        return MeanScore(mean, None)
    draw = random.Random(_SEED)
    means = sorted(_mean(draw.choices(tasks, k=len(tasks))) for _ in range(RESAMPLES))
    return MeanScore(mean, (means[int(RESAMPLES * 0.025)], means[int(RESAMPLES * 0.975) - 1]))


def _mean(tasks: list[tuple[float, int]]) -> float:
    return sum(total for total, _ in tasks) / sum(tries for _, tries in tasks)
