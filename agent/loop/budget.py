"""What a trial may spend, and what it is told when little is left."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent.loop.context_meter import ContextMeter
    from agent.loop.repetition import Repetition
    from agent.loop.unusable_streak import UnusableStreak


@dataclass(frozen=True, slots=True)
class BudgetLimits:
    """The bounds of one trial. Defaults are the design's."""

    max_steps: int = 35
    """Steps before the nudge."""
    extra_steps: int = 5
    """Steps after the nudge."""
    warn_before: int = 5
    """How many steps before the end the warning comes."""
    script_refunds: int = 3
    """Scripts with a syntax error or a refusal of the language wall that cost no step."""
    reply_refunds: int = 2
    """Unusable replies that cost no step."""
    same_refusals: int = 5
    """How often in a row the same script may be refused, or the same submission sent back; then the trial ends."""
    trial_time_s: float = 900.0
    """Wall-clock seconds of the whole trial."""


@dataclass(slots=True)
class Budget:
    """What one trial has spent of its limits."""

    limits: BudgetLimits
    spent: int = 0
    script_refunds: int = 0
    reply_refunds: int = 0
    started: float = field(default_factory=time.monotonic)

    @property
    def left(self) -> int:
        """Steps left, those after the nudge included."""
        return self.limits.max_steps + self.limits.extra_steps - self.spent

    @property
    def exhausted(self) -> str:
        """Return why nothing is left, or an empty string."""
        if self.left <= 0:
            return f"no answer within {self.limits.max_steps} + {self.limits.extra_steps} steps"
        if self.seconds_left <= 0:
            return f"no answer within {self.limits.trial_time_s:g} s"
        return ""

    @property
    def seconds_left(self) -> float:
        """Wall-clock seconds left of the trial."""
        return self.limits.trial_time_s - (time.monotonic() - self.started)

    def excuse(self, seconds: float) -> None:
        """Exclude model-outage time from the trial's limit."""
        self.started += seconds

    def spend(self, *, script_refused: bool = False, reply_unusable: bool = False) -> bool:
        """Count one step, or one refund if the step earns one and one is left; return whether it was refunded."""
        if script_refused and self.script_refunds < self.limits.script_refunds:
            self.script_refunds += 1
        elif reply_unusable and self.reply_refunds < self.limits.reply_refunds:
            self.reply_refunds += 1
        else:
            self.spent += 1
            return False
        return True

    def notice(self) -> str:
        """Return the name of the prompt to add to the next message: `warning`, `nudge`, or an empty string."""
        if self.spent == self.limits.max_steps:
            return "nudge"
        if self.spent == self.limits.max_steps - self.limits.warn_before and self.spent > 0:
            return "warning"
        return ""


def out_of(
    budget: Budget, context: ContextMeter, *, streak: UnusableStreak, repetition: Repetition, spent: str = ""
) -> str:
    """Return why a trial takes no further turn, or an empty string. `spent` says why nothing more is judged, if so."""
    exhausted = spent or budget.exhausted
    if exhausted:
        exhausted += f": {streak.cause or repetition.last_word}"
    return repetition.reason or streak.reason or exhausted or context.exhausted
