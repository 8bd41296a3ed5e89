"""The phase of a run, and an estimate of how long it still takes.

Quick trials end first, so the mean of those that ended is too low, and says nothing of a trial that has outlived it.
The durations of all trials that began are therefore taken together, those that still run as "at least so long"
(Kaplan and Meier, 1958), and the trials left are dealt to the workers as the run will deal them.
"""

from __future__ import annotations

import heapq
import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from controlplane.journal.run_summary import WAITING, RunSummary

if TYPE_CHECKING:
    from controlplane.lifecycle.run_lifecycle import Run


class RunPhase(StrEnum):
    """A phase of a run; its value is what the display's last line says."""

    STARTING = "starting the run"
    WORKING = "Ctrl-C: stop after the running steps; what is left can be resumed"
    STOPPING = "stopping after the running steps · Ctrl-C: now"
    STOPPING_WITH_KEYS = "stopping after the running steps · f: after the running trials · Ctrl-C: now"
    FINISHING = "stopping after the running trials · Ctrl-C: now"
    PAUSING = "pausing after the running steps: the run cannot continue for now"
    FAILING = "stopping: the run cannot continue"
    SUBMITTING = "submitting the run"
    SCORING = "submitted; waiting for the scores"
    OVER = "the scores are in"


def phase_of(run: Run, *, has_keys: bool = False) -> RunPhase:
    """Return the phase of `run`; `has_keys` says that the user can press keys."""
    summary, controls = run.summary, run.controls
    if not summary.trials:
        return RunPhase.STARTING
    if summary.submitted:
        return RunPhase.OVER if summary.state == "evaluated" else RunPhase.SCORING
    if run.paused:
        return RunPhase.PAUSING
    if controls.no_new.is_set() and not controls.interrupted.is_set():
        return RunPhase.FAILING
    if controls.no_new.is_set():
        if not controls.stop.is_set():
            return RunPhase.FINISHING
        return RunPhase.STOPPING_WITH_KEYS if has_keys else RunPhase.STOPPING
    if not summary.left:
        return RunPhase.SUBMITTING
    return RunPhase.WORKING


GOLDEN: Final = 0.6180339887498949
"""Multiples of it, without their whole parts, spread evenly over 0 to 1 in any number."""
OUTLIVED: Final = 0.5
"""The share of its age that a trial is expected to go on for at least, if it has outlived all that ended."""


def time_left_s(summary: RunSummary, now_ms: int) -> float | None:
    """Estimate the remaining seconds of the run; None until a trial has ended."""
    ended = [trial.elapsed_ms / 1000 for trial in list(summary.trials.values()) if trial.elapsed_ms]
    ages = [max(now_ms - each.started_ms, 0) / 1000 for each in list(summary.running.values())]
    if not ended or not ages:
        return None
    durations = Durations.of(ended, ages)
    spread = [(number * GOLDEN) % 1 for number in range(1, len(ages) + summary.count(WAITING) + 1)]
    free_at = [durations.at(share, age) - age for share, age in zip(spread, ages, strict=False)]
    heapq.heapify(free_at)
    last = max(free_at)
    for share in spread[len(ages) :]:
        over_at = free_at[0] + durations.at(share)
        heapq.heapreplace(free_at, over_at)
        last = max(last, over_at)
    return last


@dataclass(frozen=True, slots=True)
class Durations:
    """How long trials take, in seconds, as a distribution."""

    ended: Sequence[float]
    """The durations of those that ended, ascending."""
    begun: Sequence[float]
    """The share of trials that take longer than each of them, descending."""
    mean: float
    """Seconds that trials ran for, for each that ended."""

    @classmethod
    def of(cls, ended: Sequence[float], ages: Sequence[float]) -> Durations:
        """Return the distribution that fits durations of `ended` trials and `ages` of running ones best."""
        known, running = sorted(ended), sorted(ages)
        lasting, longer = 1.0, []
        for place, each in enumerate(known):
            at_risk = len(known) - place + len(running) - bisect_left(running, each)
            lasting *= 1 - 1 / at_risk
            longer.append(lasting)
        return cls(known, longer, (sum(known) + sum(running)) / len(known))

    def at(self, share: float, age: float = 0.0) -> float:
        """Return the duration that `share` of the trials that reach `age` do not exceed."""
        reached = bisect_right(self.ended, age)
        lasting = (self.begun[reached - 1] if reached else 1.0) * (1 - share)
        # Negated, because `bisect` wants an ascending order.
        place = bisect_left(self.begun, -lasting, key=lambda each: -each)
        if place < len(self.ended) and self.begun[-1] < lasting:
            return max(self.ended[place], age)
        beyond = max(self.ended[-1], age)
        scale = max(self.mean, OUTLIVED * beyond) if age > self.ended[-1] else self.mean
        still = 1 - share if age > self.ended[-1] else lasting / self.begun[-1]
        return beyond - scale * math.log(max(still, 0.01))
