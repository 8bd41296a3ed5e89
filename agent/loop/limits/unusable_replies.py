"""The limit of unusable replies: those without an action, such as a script.

After a few of them, the model is asked for another form of reply (see `FormChoice`).
After more, the trial ends.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from controlplane.agent.limits.trial_limit import TrialLimit
from controlplane.agent.loop.limits.budget_limits import BudgetLimits
from controlplane.agent.loop.limits.form_choice import FormChoice
from controlplane.agent.loop.limits.reply_faults import ReplyFaults
from controlplane.agent.loop.reply_form import ReplyForm
from controlplane.agent.record.trial_step import TrialStep
from controlplane.agent.reply.unusable_reply import PROSE


@dataclass(slots=True)
class UnusableReplies(TrialLimit):
    """Ends a trial after too many unusable replies, and chooses the form of the next reply."""

    limits: BudgetLimits = field(default_factory=BudgetLimits)
    _choice: FormChoice = field(default_factory=FormChoice)
    _replies: ReplyFaults = field(default_factory=ReplyFaults)
    """The unusable replies since the last usable one."""

    def count(self, step: TrialStep) -> None:
        self._choice = self._choice.followed_by(step)
        self._replies = self._replies.followed_by(step.summary.fault)

    def warning(self, message: str) -> str:
        return self._choice.note

    @property
    def form(self) -> ReplyForm:
        """The form of the next reply."""
        return self._choice.form

    @property
    def last_fault(self) -> str:
        """What was wrong with the last replies, in words; empty if the last one was usable."""
        return self._replies.in_words

    @property
    def reason(self) -> str:
        faults = self._replies.faults
        if not faults:
            return ""
        max_replies = self.limits.unusable_replies
        if faults[-1] in PROSE:
            max_replies = self.limits.prose_replies
        has_too_many = len(faults) >= max_replies
        is_stuck = self._choice.same_fault.times >= self.limits.same_faults
        return self.last_fault if has_too_many or is_stuck else ""
