"""The figures of scores: by task, world and family, means with intervals, and how often repeats pass.

A task may be played in several worlds (the data generated from a number), and several times in each. A family
is the beginning of tasks' names: `loans` for `loans.1` and `loans.2`.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean, pvariance
from typing import Final

from controlplane.journal.totals.trial_summary import (
    TrialSummary,
    own_scores_of,
    scores_by_task,
)
from controlplane.quantity_texts import score_text
from controlplane.score_scale import mean_over_tasks

PASSED: Final = 1.0
"""A try with at least this score has passed."""

# Scores in groups.


def tasks_without_score(trials: Iterable[TrialSummary]) -> tuple[str, ...]:
    """Return the tasks whose trials all have no score: they did not start, or were interrupted."""
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
    """The mean of the known scores over the family's tasks; None if there are none."""
    unscored: int
    """The number of trials that are over and have no score for good."""


def scores_by_family(trials: Iterable[TrialSummary]) -> tuple[FamilyScore, ...]:
    """Return the scores of each family of tasks, the worst first. Those without one are last."""
    members: dict[str, list[TrialSummary]] = {}
    for trial in trials:
        members.setdefault(trial.family, []).append(trial)
    families = []
    for name, own_trials in members.items():
        scores = [score for _, score in own_scores_of(own_trials) if score is not None]
        families.append(
            FamilyScore(
                name,
                trials=len(own_trials),
                scored=len(scores),
                right=sum(score >= PASSED for score in scores),
                mean=mean_over_tasks(own_scores_of(own_trials)),
                unscored=sum(bool(trial.why_unscored) for trial in own_trials),
            )
        )
    return tuple(sorted(families, key=_worst_family_first))


def _worst_family_first(family: FamilyScore) -> tuple[bool, float, str]:
    return family.mean is None, family.mean or 0.0, family.name


# Intervals around a mean score: how far the mean of other trials may be from it.
#
# The mean of a few trials is uncertain. For scores of 0 and 1 the interval is Wilson's; for
# others it is found by drawing trials again at random (bootstrap). All have a confidence of 95 %.

_CONFIDENCE: Final = 0.95
Z: Final = NormalDist().inv_cdf(0.5 + _CONFIDENCE / 2)
"""In a normal distribution, 95 % of values are at most this
many standard deviations from the mean. It is about 1.96."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its 95 % interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        mean, low, high = (
            score_text(value, 3) for value in (self.mean, self.low, self.high)
        )
        return f"{mean} [{low}, {high}]"


def mean_interval(values: Sequence[float]) -> Interval | None:
    """Return the mean of values with its 95 % interval; None if there are no values.

    Values from 0 to 1, as most scores are, have Wilson's interval. It is right for few
    values, too, and has a width even if all values are equal. Other values have a
    bootstrap interval, which needs no scale.
    """
    if values and min(values) >= 0 and max(values) <= 1:
        return _wilson_interval(values)
    return bootstrap_interval(values)


def _wilson_interval(values: Sequence[float]) -> Interval:
    """Return the mean of values from 0 to 1 with its score interval.

    For a proportion p of n, this is the interval of Wilson (1927):

        centre = (p + z²/2n) / (1 + z²/n)
        half width = z / (1 + z²/n) · sqrt(p (1 - p) / n + z²/4n²)

    p is the mean of zeros and ones, and p (1 - p) is their variance. Scores may also lie
    between 0 and 1. So here their own mean and variance replace p and p (1 - p).
    """
    n = len(values)
    mean = fmean(values)
    variance = pvariance(values)
    z2_per_n = Z * Z / n
    centre = (mean + z2_per_n / 2) / (1 + z2_per_n)
    half_width = Z / (1 + z2_per_n) * math.sqrt(variance / n + z2_per_n / (4 * n))
    low = centre - half_width
    high = centre + half_width

    # In exact arithmetic, the interval is within 0 and 1. It ends at 0 if the mean is 0,
    # and at 1 if the mean is 1. Rounding errors could change that.
    low = 0.0 if mean == 0 else max(low, 0.0)
    high = 1.0 if mean == 1 else min(high, 1.0)
    return Interval(mean, low, high)


_RESAMPLES: Final = 4_000
"""The number of resamples. The interval's ends then vary by about a hundredth of its width."""
_MOST_RESAMPLED: Final = 1_000
"""The largest number of values that are resampled. The time grows with their number."""
_SEED: Final = 20_260
"""An arbitrary number. A fixed seed gives equal values equal intervals."""


def bootstrap_interval(values: Sequence[float]) -> Interval | None:
    """Return the mean with its 95 % percentile-bootstrap interval; None if there are no values.

    Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapter 13.
    `_RESAMPLES` samples of the same size as the values are drawn with replacement. The
    interval lies between the percentiles 2.5 and 97.5 of their means. For more than
    `_MOST_RESAMPLED` values, the interval of the normal distribution is used, as it
    hardly differs from the bootstrap's.
    """
    if not values:
        return None
    n = len(values)
    mean = fmean(values)
    if len(set(values)) == 1:
        return Interval(mean, mean, mean)
    if n > _MOST_RESAMPLED:
        half_width = Z * math.sqrt(pvariance(values, mean) / n)
        return Interval(mean, mean - half_width, mean + half_width)

    generator = random.Random(_SEED)
    means = []
    for _ in range(_RESAMPLES):
        sample = generator.choices(values, k=n)
        means.append(math.fsum(sample) / n)
    means.sort()
    tail = round((1 - _CONFIDENCE) / 2 * _RESAMPLES)
    return Interval(mean, means[tail], means[-tail - 1])


def paired_bootstrap(differences: Sequence[float]) -> Interval | None:
    """Return the mean of the differences of pairs with its 95 % interval; None without pairs.

    There are three cases:

    - Different differences have a bootstrap interval.
    - Equal differences, such as 0.5, 0.5, 0.5, would have a bootstrap interval of no
      width, even if there are few of them. So they have Wilson's interval, for which
      the scale from -1 to 1 is moved to that from 0 to 1.
    - If all differences are 0, nothing has changed, and the interval has no width.
    """
    are_equal = len({round(difference, 9) for difference in differences}) == 1
    are_zero = not any(differences)
    if not are_equal or are_zero:
        return bootstrap_interval(differences)
    return interval_of_differences(differences)


def interval_of_differences(differences: Sequence[float]) -> Interval:
    """Return the mean of differences, mostly from -1 to 1, with its `mean_interval` on that scale."""
    from_0_to_1 = [(difference + 1) / 2 for difference in differences]
    scaled = mean_interval(from_0_to_1)
    assert scaled is not None  # It is None only without differences.
    return Interval(fmean(differences), 2 * scaled.low - 1, 2 * scaled.high - 1)


# How often several tries in the same world pass.
#
# *pass@k* (of the HumanEval paper) is the chance that at least one of k tries passes, and *pass^k*
# (of tau-bench) the chance that all k do. Both are estimated from n tries of which c have passed.


@dataclass(frozen=True, slots=True)
class PassRates:
    """The pass rates of k tries in the same world, as means over the worlds."""

    k: int
    at_least_one: Interval
    """pass@k: the chance that at least one of k tries passes."""
    every_one: Interval
    """pass^k: the chance that all k tries pass."""


def pass_rates(scores: Mapping[str, Sequence[float]]) -> tuple[PassRates, ...]:
    """Return pass@k and pass^k with intervals over the worlds, given the scores of each world.

    pass@k is the chance that at least one of k tries passes, pass^k that all of them do. Empty if a world has only one try.
    """
    fewest_tries = min((len(tries) for tries in scores.values()), default=0)
    if fewest_tries < 2:
        return ()
    # No world has rates for more tries than it had, so k goes up to the fewest tries of a world.
    ks = {1, fewest_tries}
    for k in (2, 4, 8, 16):
        if k < fewest_tries:
            ks.add(k)

    rates = []
    for k in sorted(ks):
        at_least_one = []
        every_one = []
        for tries in scores.values():
            n = len(tries)
            c = sum(score >= PASSED for score in tries)
            at_least_one.append(1 - math.comb(n - c, k) / math.comb(n, k))
            every_one.append(math.comb(c, k) / math.comb(n, k))
        rates.append(
            PassRates(k, _wilson_interval(at_least_one), _wilson_interval(every_one))
        )
    return tuple(rates)


def flickering(scores: Mapping[str, Sequence[float]]) -> tuple[str, ...]:
    """Return the worlds in which some tries passed and others failed, given the scores of each."""
    worlds = []
    for world, tries in scores.items():
        passed = [score >= PASSED for score in tries]
        if any(passed) and not all(passed):
            worlds.append(world)
    return tuple(worlds)
