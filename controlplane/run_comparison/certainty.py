"""Whether the difference between two runs is more than chance.

Each task has a difference: its mean score in the second run minus that in the first. The
difference of the runs is the mean of these, with a bootstrap interval over the tasks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import pvariance
from typing import Final

from controlplane.score_statistics import Interval, Z

LEAST_CHANGED: Final = 6
"""The fewest changed tasks that can show a difference.

If chance alone decides, all of 5 changed tasks change in the same direction in 2 ·
(1/2)⁵ = 6 % of cases, and all of 6 in 3 %.
"""
ROUNDING: Final = 1e-9
"""Smaller differences of means are rounding errors."""


def changed_count(differences: Sequence[float]) -> int:
    """Return how many tasks have changed."""
    return sum(1 for difference in differences if abs(difference) >= ROUNDING)


def is_beyond_chance(mean: Interval, differences: Sequence[float]) -> bool:
    """Return True if chance would rarely give these differences of tasks.

    Then the interval of their mean excludes 0, and enough tasks have changed.
    """
    if changed_count(differences) < LEAST_CHANGED:
        return False
    return mean.low > 0 or mean.high < 0


def needed_tasks(mean: Interval, differences: Sequence[float]) -> int | None:
    """Return about how many such tasks would show the measured difference.

    None if the difference is already shown, or is zero. With n tasks, the interval
    reaches z · sqrt(variance / n) to both sides of the difference. It excludes 0 if
    that is less than the difference itself, so

        n > z² · variance / difference²

    Also, at least `LEAST_CHANGED` of the tasks have to change.
    """
    if is_beyond_chance(mean, differences) or abs(mean.mean) < ROUNDING:
        return None
    tasks = len(differences)
    variance = pvariance(differences)
    for_interval = math.ceil(Z**2 * variance / mean.mean**2)
    for_changes = math.ceil(LEAST_CHANGED * tasks / changed_count(differences))
    return max(for_interval, for_changes, tasks + 1)
