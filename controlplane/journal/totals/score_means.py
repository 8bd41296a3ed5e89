"""Means of scores and of graders' other figures, of which some may be unknown."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping


def mean(scores: Iterable[float | None]) -> float | None:
    """Return the mean of the scores that are known; None if there are none."""
    known_scores = [score for score in scores if score is not None]
    if not known_scores:
        return None
    return sum(known_scores) / len(known_scores)


def mean_metrics(metrics_of_trials: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """Return the mean of each figure over the trials that have it, sorted by name.

    `{"calls": 2.0}` and `{"calls": 4.0, "turns": 1.0}` -> `{"calls": 3.0, "turns": 1.0}`
    """
    values_by_name = defaultdict[str, list[float]](list)
    for metrics in metrics_of_trials:
        for name, value in metrics.items():
            values_by_name[name].append(value)
    return {
        name: sum(values) / len(values)
        for name, values in sorted(values_by_name.items())
    }
