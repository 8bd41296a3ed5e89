"""Counts the completed steps of a trial in its limits, and the time that they have used.

A step is completed when it ends, or when it is restored from an earlier attempt at the trial:

    completed.add(step 1)    with 4 calls and 12 s   -> the trial has used 4 calls and 12 s
    completed.add(step 2)    with 7 calls and 40 s   -> 11 calls and 40 s
"""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.agent.events import StepDone
from controlplane.agent.limits.trial_limit import TrialLimit
from controlplane.agent.loop.session.trial_clock import TrialClock
from controlplane.agent.record.trial_step import TrialStep


class CompletedSteps:
    """What the completed steps of one trial have used."""

    def __init__(self, clock: TrialClock, limits: Sequence[TrialLimit]) -> None:
        """`limits` hold for every solver, such as that of the calls."""
        self.clock = clock
        self.limits = limits
        self.last: StepDone | None = None
        """The last step as the journal has it; None before the first one."""

    def add(self, step: TrialStep, summary: StepDone) -> None:
        """Complete a step with its summary, as the journal has it."""
        step.done = summary
        for limit in self.limits:
            limit.count(step)
        self.last = summary
        # If an earlier attempt has recorded the step, the clock goes on from the time it had used.
        self.clock.continue_from(summary.used_ms / 1000)
