"""Intervals by bootstrap and Wilson, sample sizes, and the statistics of repeated tries.

Equal numbers give equal answers. Sources: percentile bootstrap as in Efron and Tibshirani, An Introduction to the
Bootstrap (1993), chapter 13; the score interval of a proportion is Wilson's (1927). pass@k is the chance that at least
one of k tries passes (Chen et al., 2021), pass^k that all of them do (Yao et al., 2024), both without bias from c
passes among n tries: 1 - C(n-c, k)/C(n, k), and C(c, k)/C(n, k).
"""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean, variance
from typing import Final

from controlplane.journal.run_summary import TrialSummary

CONFIDENCE: Final = 0.95
POWER: Final = 0.8
"""The wanted probability of showing a difference of the observed size."""
RESAMPLES: Final = 4_000
"""Resamples of a bootstrap; the interval's ends then vary by about a hundredth of its width."""
_SEED: Final = 20_260
_Z: Final = NormalDist().inv_cdf(0.5 + CONFIDENCE / 2)
_Z_POWER: Final = NormalDist().inv_cdf(POWER)
_EXACT: Final = 1e-9


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

    If all values are 0 or 1, the interval is Wilson's, which stays wide for equal values; else a percentile bootstrap.
    """
    if values and set(values) <= {0.0, 1.0}:
        share, squared = fmean(values), _Z * _Z / len(values)
        middle = (share + squared / 2) / (1 + squared)
        half = _Z * math.sqrt(share * (1 - share) / len(values) + squared / (4 * len(values))) / (1 + squared)
        return Interval(share, max(middle - half, 0.0) if share else 0.0, min(middle + half, 1.0) if share < 1 else 1.0)
    return bootstrap_interval(values)


def bootstrap_interval(values: Sequence[float]) -> Interval | None:
    """Return the mean with its 95 % percentile-bootstrap interval; None if there are no values."""
    if not values:
        return None
    mean = fmean(values)
    if len(set(values)) == 1:
        return Interval(mean, mean, mean)
    return Interval(mean, *_resampled_ends(tuple(values)))


@functools.lru_cache(maxsize=64)
def _resampled_ends(values: tuple[float, ...]) -> tuple[float, float]:
    """Return both ends of the interval. Cached: comparisons and pass rates repeat the same values."""
    chance, count = random.Random(_SEED), len(values)
    means = sorted(math.fsum(chance.choices(values, k=count)) / count for _ in range(RESAMPLES))
    tail = round((1 - CONFIDENCE) / 2 * RESAMPLES)
    return means[tail], means[-tail - 1]


@dataclass(frozen=True, slots=True)
class SampleSize:
    """What would show a mean difference of the observed size with 80 % power at 5 %."""

    tries: int | None
    """Tries of each of the same tasks; None if no number of tries suffices, because the tasks themselves differ."""
    tasks: int
    """Tasks with as many tries as now."""


def sample_size(differences: Sequence[float], tries: float, within: float | None) -> SampleSize | None:
    """Return the needed tries or tasks, by the normal approximation; None if the mean difference is 0.

    `differences` are those of the tasks, each over `tries` tries. `within` is the part of their variance that comes
    from the tries; None, if each task has one try, attributes all of it to the tries.
    """
    if len(differences) < 2 or abs(mean := fmean(differences)) < _EXACT:
        return None
    observed, wanted = variance(differences, mean), (mean / (_Z + _Z_POWER)) ** 2
    of_tries = observed if within is None else min(within, observed)
    room = len(differences) * wanted - (observed - of_tries)
    needed = max(math.ceil(of_tries * tries / room), 1) if room > 0 else None
    return SampleSize(needed, max(math.ceil(observed / wanted), len(differences)))


PASSED: Final = 1.0


@dataclass(frozen=True, slots=True)
class PassRates:
    """The pass rates of k tries, as means over the tasks with k tries."""

    k: int
    at_least_one: Interval
    """pass@k."""
    every_one: Interval
    """pass^k."""


def scores_by_task(trials: Iterable[TrialSummary]) -> dict[str, list[float]]:
    """Return the known scores of each task that has any."""
    found: dict[str, list[float]] = {}
    for trial in trials:
        if trial.own_score is not None:
            found.setdefault(trial.task_id or trial.trial_id, []).append(trial.own_score)
    return found


def pass_rates(tries: Mapping[str, Sequence[float]]) -> tuple[PassRates, ...]:
    """Return pass@k and pass^k with intervals over the tasks, given each task's scores; empty without repeats."""
    most = min((len(scores) for scores in tries.values()), default=0)
    if most < 2:
        return ()
    found = []
    for k in sorted({1, most, *(count for count in (2, 4, 8, 16) if count < most)}):
        counts = [(len(scores), sum(score >= PASSED for score in scores)) for scores in tries.values()]
        one = mean_interval([1 - math.comb(n - c, k) / math.comb(n, k) for n, c in counts])
        every = mean_interval([math.comb(c, k) / math.comb(n, k) for n, c in counts])
        assert one is not None
        assert every is not None
        found.append(PassRates(k, one, every))
    return tuple(found)


def flickering(tries: Mapping[str, Sequence[float]]) -> tuple[str, ...]:
    """Return the tasks of which some tries passed and others failed."""
    return tuple(task for task, scores in tries.items() if len({score >= PASSED for score in scores}) > 1)
