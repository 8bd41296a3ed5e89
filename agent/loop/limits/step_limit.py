"""The limit of a trial's steps: a warning, then the nudge to answer now, then the end.

A few steps that ran nothing are *refunded*: they do not count. With 35 steps and 5 extra ones:

    after step 30   the warning: 10 steps are left
    after step 35   the nudge, a message to answer now: 5 steps are left
    after step 40   the end
"""

from __future__ import annotations

from dataclasses import dataclass, field

from controlplane.agent.limits.trial_limit import TrialLimit
from controlplane.agent.loop.limits.budget_limits import BudgetLimits
from controlplane.agent.loop.limits.refunds import Refunds
from controlplane.agent.loop.prompt_files import default_prompts
from controlplane.agent.loop.prompt_texts import Prompts
from controlplane.agent.record.trial_step import TrialStep


@dataclass(slots=True)
class StepLimit(TrialLimit):
    """Limits the steps of a trial, each of which asks the model once."""

    names_last_fault = True  # The reason for the end also says what was wrong last.
    limits: BudgetLimits
    """The numbers of steps, extra steps and refunds."""
    prompts: Prompts = field(default_factory=default_prompts)
    spent: int = 0
    """The steps so far that count."""
    refunds: Refunds = field(init=False)
    """The steps so far that do not count, and whether there may be more."""

    def __post_init__(self) -> None:
        self.refunds = Refunds(self.limits)

    def count(self, step: TrialStep) -> None:
        """Count a step after its end."""
        if step.summary.refunded:
            self.refunds = self.refunds.with_refunded(step.summary)
        else:
            self.spent += 1

    @property
    def remaining_steps(self) -> int:
        """Steps that are left, including those after the nudge."""
        return self.limits.max_steps + self.limits.extra_steps - self.spent

    @property
    def reason(self) -> str:
        """Why the trial ends; empty while steps are left."""
        if self.remaining_steps > 0:
            return ""
        max_steps = self.limits.max_steps
        noun = "step" if max_steps == 1 else "steps"
        reason = f"no answer within {max_steps} {noun}"
        if self.limits.extra_steps:
            reason += f", and {self.limits.extra_steps} more after the nudge"
        return reason

    @property
    def warning(self) -> str:
        """The warning or the nudge if it is due after the last step; else empty."""
        if self.spent == 0:
            return ""  # Even a trial with a single step is not warned now.
        # Without extra steps, the nudge comes one step earlier, to leave a step for the answer.
        steps_before_nudge = self.limits.max_steps
        if self.limits.extra_steps == 0:
            steps_before_nudge -= 1
        if self.spent == steps_before_nudge:
            return self.prompts.filled("nudge", left=self.remaining_steps)
        if self.spent == self.limits.max_steps - self.limits.warn_before:
            return self.prompts.filled("warning", left=self.remaining_steps)
        return ""
