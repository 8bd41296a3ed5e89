"""The limit of unusable replies: those without an action, such as a script.

The *fault* of a reply says why it is unusable: it is empty, or plain text. The *reply mode*
is the form in which the model is asked, such as JSON or text.

| limit of `BudgetLimits` | counts in a row | starts again after |
|---|---|---|
| `unusable_replies`: 10 | unusable replies | a usable reply |
| `prose_replies`: 10 | the same, if the last one is plain text | a usable reply |
| `same_faults`: 5 | replies with the same fault | a usable reply, another fault, a new mode |

After 3 replies with the same fault, the model is asked in another mode, if there is one.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from controlplane.agent.limits.trial_limit import TrialLimit
from controlplane.agent.loop.limits.budget_limits import BudgetLimits
from controlplane.agent.loop.limits.form_choice import FormChoice
from controlplane.agent.loop.limits.reply_faults import ReplyFaults
from controlplane.agent.record.trial_step import TrialStep
from controlplane.agent.reply.fault import PROSE


@dataclass(slots=True)
class UnusableReplies(TrialLimit):
    """Ends a trial after too many unusable replies."""

    limits: BudgetLimits = field(default_factory=BudgetLimits)
    """The numbers of unusable replies that end a trial."""
    form_choice: FormChoice = field(default_factory=FormChoice)
    """Chooses the form of the next reply. For `same_faults`, it counts the replies in a row
    with the same fault in one mode."""
    _faults: ReplyFaults = field(default_factory=ReplyFaults)
    """All faults since the last usable reply, in whatever mode: for `unusable_replies`."""

    def count(self, step: TrialStep) -> None:
        """Count the fault of a step's reply. It is empty if the reply was usable."""
        self.form_choice = self.form_choice.followed_by(step)
        self._faults = self._faults.followed_by(step.summary.fault)

    @property
    def warning(self) -> str:
        """The note that asks for scripts in fences, if this form was just chosen; else empty."""
        return self.form_choice.note_to_model

    @property
    def last_fault(self) -> str:
        """What was wrong with the last replies, in words; empty if the last one was usable."""
        return self._faults.in_words

    @property
    def reason(self) -> str:
        """Why the trial ends: `every reply was empty`; empty below the limits."""
        faults = self._faults.faults  # since the last usable reply
        if not faults:
            return ""
        max_replies = self.limits.unusable_replies
        if faults[-1] in PROSE:
            # The last reply is plain text. A user who asked a question can read it.
            max_replies = self.limits.prose_replies

        # Usually the mode is changed before a fault comes so often. The last mode remains, and
        # so does one that the user has chosen.
        same_faults = self.form_choice.faults.same_fault.times
        if len(faults) >= max_replies or same_faults >= self.limits.same_faults:
            return self.last_fault
        return ""
