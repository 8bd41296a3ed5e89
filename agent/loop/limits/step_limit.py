"""The limit of a trial's steps: a warning, then the nudge to answer now, then the end.

The *nudge* is a message that tells the model to answer now. It has a few extra steps for that.
With 35 steps and 5 extra ones:

    after step 30   the warning: 10 steps are left
    after step 35   the nudge: 5 steps are left
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
    """Limits the steps of a trial, each of which asks the model once.

    With 35 steps and 5 extra ones, the model is warned after step 30, and told to answer now
    after step 35 (the *nudge*). The trial ends after step 40. A few steps that ran nothing are
    *refunded*: they do not count.
    """

    names_last_fault = True  # The reason for the end also says what was wrong last.

    limits: BudgetLimits
    """The numbers of steps, extra steps and refunds."""
    prompts: Prompts = field(default_factory=default_prompts)
    """The texts of the warning and the nudge."""
    spent: int = 0
    """The steps so far that count."""
    refunds: Refunds = field(init=False)
    """The steps so far that do not count, and whether there may be more."""

    def __post_init__(self) -> None:
        self.refunds = Refunds(self.limits)

    def count(self, step: TrialStep) -> None:
        """Count a step after its end. A resumed trial also counts its recorded steps."""
        summary = step.summary
        if summary.refunded:
            self.refunds = self.refunds.with_refunded(summary)
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
        reason = f"no answer within {count_of(self.limits.max_steps, 'step')}"
        if self.limits.extra_steps:
            reason += f", and {self.limits.extra_steps} more after the nudge"
        return reason

    @property
    def warning(self) -> str:
        """The warning or the nudge if it is due after the last step; else empty."""
        if self.spent == 0:
            return ""  # No step counts yet. Even a trial with a single step is not warned now.
        if self.spent == self.steps_before_nudge:
            return self.prompts.filled("nudge", left=self.remaining_steps)
        if self.spent == self.limits.max_steps - self.limits.warn_before:
            return self.prompts.filled("warning", left=self.remaining_steps)
        return ""

    @property
    def steps_before_nudge(self) -> int:
        """The number of steps after which the nudge comes.

        Usually these are all steps but the extra ones. Without extra steps, the nudge comes
        one step earlier, so that the model still has a step in which to answer.
        """
        if self.limits.extra_steps == 0:
            return self.limits.max_steps - 1
        return self.limits.max_steps


def count_of(number: int, noun: str) -> str:
    """Return a number with its noun: `1 step`, `2 steps`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
