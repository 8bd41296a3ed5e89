"""The limit of a trial's steps: a warning, then the nudge to answer now, then the end.

With 35 steps and 5 extra ones, the model is warned after step 30. After step 35 it is told to
answer now (the *nudge*), for which it has the 5 extra steps.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field

from controlplane.agent.limits.trial_limit import TrialLimit
from controlplane.agent.loop.limits.budget_limits import BudgetLimits
from controlplane.agent.loop.prompt_files import default_prompts
from controlplane.agent.loop.prompt_texts import Prompts
from controlplane.agent.record.trial_step import TrialStep


@dataclass(slots=True)
class StepLimit(TrialLimit):
    """Limits the steps of a trial.

    The first steps in which nothing was run are *refunded*: they do not count. Their scripts
    were refused, for example for their syntax, or their replies had no script.
    """

    names_last_fault = True  # The end also says what was wrong with the last answer.

    limits: BudgetLimits
    """The numbers of steps, extra steps and refunds."""
    _: KW_ONLY
    prompts: Prompts = field(default_factory=default_prompts)
    spent: int = 0
    """Steps that count."""
    refunded_scripts: int = 0
    """Scripts that cost no step, so far."""
    refunded_replies: int = 0
    """Replies that cost no step, so far."""

    def refunds_script(self, *, is_refused: bool) -> bool:
        """Return True if a step with a script is refunded: the script was refused.

        Only the first such steps of a trial are refunded. The solver asks before a step
        ends, and sets `refunded` in its summary.
        """
        return is_refused and self.refunded_scripts < self.limits.script_refunds

    def refunds_reply(self, *, is_unusable: bool) -> bool:
        """Return True if a step without a script is refunded: the reply was unusable."""
        return is_unusable and self.refunded_replies < self.limits.reply_refunds

    def count(self, step: TrialStep) -> None:
        summary = step.summary
        if not summary.refunded:
            self.spent += 1
        elif summary.code:
            self.refunded_scripts += 1
        else:
            self.refunded_replies += 1

    @property
    def remaining_steps(self) -> int:
        """Steps that are left, including those after the nudge."""
        return self.limits.max_steps + self.limits.extra_steps - self.spent

    @property
    def reason(self) -> str:
        if self.remaining_steps > 0:
            return ""
        reason = f"no answer within {count_of(self.limits.max_steps, 'step')}"
        if self.limits.extra_steps:
            reason += f", and {self.limits.extra_steps} more after the nudge"
        return reason

    @property
    def warning(self) -> str:
        if self.spent == 0:
            return ""  # All steps so far were refunded.
        if self.spent == self._nudged_at:
            return self.prompts.filled("nudge", left=self.remaining_steps)
        if self.spent == self.limits.max_steps - self.limits.warn_before:
            return self.prompts.filled("warning", left=self.remaining_steps)
        return ""

    @property
    def _nudged_at(self) -> int:
        """The step after which the nudge comes: 35 of 35, if extra steps follow, else 34.

        At least one step must be left for the answer.
        """
        if self.limits.extra_steps:
            return self.limits.max_steps
        return self.limits.max_steps - 1


def count_of(number: int, noun: str) -> str:
    """Return a number with its noun: `1 step`, `2 steps`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
