"""What several tries of a task tell: pass@k, pass^k, and the tasks that flicker.

pass@k is the chance that at least one of k tries passes (Chen et al., 2021), pass^k that all of them do (Yao et al.,
2024), both without bias from c passes among n tries: 1 - C(n-c, k)/C(n, k), and C(c, k)/C(n, k).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.comparison.resampling import Interval, mean_interval
from controlplane.journal.run_summary import TrialSummary

PASSED: Final = 1.0
"""The score of a try that passed."""


@dataclass(frozen=True, slots=True)
class PassRates:
    """The chances of k tries, as means over the tasks that had k tries."""

    k: int
    at_least_one: Interval
    """pass@k."""
    every_one: Interval
    """pass^k."""


def scores_by_task(trials: Iterable[TrialSummary]) -> dict[str, list[float]]:
    """Return the known scores of each task that has one."""
    found: dict[str, list[float]] = {}
    for each in trials:
        if each.score is not None:
            found.setdefault(each.task_id or each.trial_id, []).append(each.score)
    return found


def pass_rates(tries: Mapping[str, Sequence[float]]) -> tuple[PassRates, ...]:
    """Return pass@k and pass^k with intervals over the tasks, given each task's scores; none without repeats."""
    most = min((len(each) for each in tries.values()), default=0)
    if most < 2:
        return ()
    found = []
    for k in sorted({1, most, *(each for each in (2, 4, 8, 16) if each < most)}):
        counts = [(len(each), sum(score >= PASSED for score in each)) for each in tries.values()]
        one = mean_interval([1 - math.comb(n - c, k) / math.comb(n, k) for n, c in counts])
        every = mean_interval([math.comb(c, k) / math.comb(n, k) for n, c in counts])
        assert one is not None
        assert every is not None
        found.append(PassRates(k, one, every))
    return tuple(found)


def flickering(tries: Mapping[str, Sequence[float]]) -> tuple[str, ...]:
    """Return the tasks of which some tries passed and some did not."""
    return tuple(task for task, each in tries.items() if len({score >= PASSED for score in each}) > 1)
