"""Intervals of mean scores: how far chance may have moved the mean of so few trials.

    mean_interval([1.0] * 8 + [0.0] * 2) -> 0.49 to 0.94

The true share of passed trials is in the interval with a probability of 95 %. Wilson's interval is
for scores of 0 and 1, and the *bootstrap* for any values: it draws many random samples of them,
and looks how far the means of the samples differ.
"""

import math
import random

import pytest

from controlplane.score_statistics import bootstrap_interval, mean_interval


@pytest.mark.parametrize(
    ("passed", "count", "low", "high"),
    # Values from a table of Wilson's intervals.
    [(8, 10, 0.4902, 0.9433), (10, 10, 0.7225, 1.0), (0, 10, 0.0, 0.2775)],
)
def test_a_share_of_passed_trials_has_wilsons_interval(
    passed: int, count: int, low: float, high: float
) -> None:
    """Wilson's interval of a share is right for few trials, and has a width even if all passed."""
    failed = count - passed
    scores = [1.0] * passed + [0.0] * failed

    interval = mean_interval(scores)

    assert interval is not None
    assert interval.low == pytest.approx(low, abs=0.00005)
    assert interval.high == pytest.approx(high, abs=0.00005)


def test_a_bootstrap_interval_is_as_wide_as_theory_says() -> None:
    """The mean of 400 normal values has the standard error deviation / sqrt(400), and its 95 %
    interval is 1.96 standard errors wide on each side."""
    deviation = 0.1
    random_numbers = random.Random(1)
    values = [random_numbers.gauss(0.5, deviation) for _ in range(400)]

    interval = bootstrap_interval(values)

    assert interval is not None
    standard_error = deviation / math.sqrt(len(values))
    width = interval.high - interval.low
    assert width == pytest.approx(2 * 1.96 * standard_error, rel=0.15)
    assert interval.low < interval.mean < interval.high


def test_a_bootstrap_interval_is_the_same_every_time() -> None:
    """It draws samples at random, always with the same seed."""
    values = [0.1, 0.4, 0.7, 2.0]

    assert bootstrap_interval(values) == bootstrap_interval(values)


def test_no_values_have_no_interval() -> None:
    """A run may have no scores yet."""
    assert bootstrap_interval([]) is None
