"""How long a run still takes: estimates beside what it takes in the end."""

import heapq
import random
from collections.abc import Callable

import pytest

from controlplane.journal.run_summary import RunSummary, TrialSummary
from controlplane.view.run_progress import time_left_s

LENGTHS: dict[str, Callable[[random.Random], float]] = {
    "all alike": lambda chance: 60.0,
    "from 20 s to 2 min": lambda chance: chance.uniform(20, 120),
    "bell-shaped": lambda chance: chance.lognormvariate(4, 0.5),
    "three quick ones to a slow one": lambda chance: chance.choice([30, 30, 30, 200]) * chance.uniform(0.8, 1.2),
}


def played(lengths: list[float], workers: int) -> tuple[list[float], list[float]]:
    """Return when each trial starts and ends, dealt to workers as they become free."""
    free = [0.0] * workers
    starts, ends = [], []
    for length in lengths:
        starts.append(heapq.heappop(free))
        ends.append(starts[-1] + length)
        heapq.heappush(free, ends[-1])
    return starts, ends


def summary_at(now_s: float, starts: list[float], ends: list[float]) -> RunSummary:
    summary = RunSummary()
    for at, (start, end) in enumerate(zip(starts, ends, strict=True)):
        trial = summary.trials[str(at)] = TrialSummary(str(at))
        if end <= now_s:
            trial.state, trial.elapsed_ms = "answered", (end - start) * 1000
        elif start <= now_s:
            trial.state, trial.started_ms = "running", round(start * 1000)
            summary.running[str(at)] = trial
    return summary


@pytest.mark.parametrize("kind", LENGTHS)
def test_the_time_left_is_right_within_a_factor_of_two_once_a_fifth_is_over(kind: str) -> None:
    right = asked = 0
    for seed in range(6):
        chance = random.Random(seed)
        starts, ends = played([LENGTHS[kind](chance) for _ in range(100)], workers=8)
        fifth, last = sorted(ends)[19], max(ends)
        for part in range(20):
            now_s = fifth + (last - fifth) * part / 20
            left_s = time_left_s(summary_at(now_s, starts, ends), round(now_s * 1000))
            assert left_s is not None
            asked += 1
            right += 1 / 2 <= left_s / (last - now_s) <= 2
    assert right / asked > 0.7


def test_a_trial_that_outlives_all_others_is_not_over_in_a_moment() -> None:
    starts, ends = played([5.0] * 20 + [300.0], workers=8)
    left_s = time_left_s(summary_at(120.0, starts, ends), 120_000)
    assert left_s is not None
    assert left_s > 30


@pytest.mark.parametrize(("ended", "running"), [(0, 0), (0, 2), (3, 0)])
def test_nothing_is_told_before_a_trial_ended_and_when_none_runs(ended: int, running: int) -> None:
    starts, ends = [0.0] * (ended + running), [1.0] * ended + [9.0] * running
    assert time_left_s(summary_at(5.0, starts, ends), 5000) is None
