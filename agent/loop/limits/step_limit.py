"""The limit of a trial's steps: a warning, then the nudge to answer now, then the end."""

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

    First comes a warning, then the nudge to answer now, then the end. The first refused
    scripts and unusable replies are *refunded*: they do not count.
    """

    names_last_fault = True

    limits: BudgetLimits
    _: KW_ONLY
    prompts: Prompts = field(default_factory=default_prompts)
    spent: int = 0
    """Steps that count."""
    refunded_scripts: int = 0
    """Scripts that cost no step, so far."""
    refunded_replies: int = 0
    """Replies that cost no step, so far."""

    def refunds_script(self, *, is_refused: bool) -> bool:
        """Return True if the step of a script does not count."""
        return is_refused and self.refunded_scripts < self.limits.script_refunds

    def refunds_reply(self, *, is_unusable: bool) -> bool:
        """Return True if a step without a script does not count."""
        return is_unusable and self.refunded_replies < self.limits.reply_refunds

    def count(self, step: TrialStep) -> None:
        done = step.summary
        if not done.refunded:
            self.spent += 1
        elif done.code:
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

    def warning(self, message: str) -> str:
        if self.spent == 0:
            return ""
        if self.spent == self._nudged_at:
            return self.prompts.filled("nudge", left=self.remaining_steps)
        if self.spent == self.limits.max_steps - self.limits.warn_before:
            return self.prompts.filled("warning", left=self.remaining_steps)
        return ""

    @property
    def _nudged_at(self) -> int:
        """The step after which the nudge comes. At least one step must be left for the answer."""
        if self.limits.extra_steps:
            return self.limits.max_steps
        return self.limits.max_steps - 1


def count_of(number: int, noun: str) -> str:
    """Return a number with its noun: `1 step`, `2 steps`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
