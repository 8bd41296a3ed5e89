"""The limit of unusable replies: those without an action, such as a script.

The *fault* of a reply says why it is unusable: it is empty, or plain text. A trial ends after

- `unusable_replies`, 10 of them in a row (`prose_replies` if the last one is plain text)
- `same_faults`, 5 of them in a row with the same fault

After 3 with the same fault, the model is asked in another *reply mode*, such as text instead of
JSON (see `FormHistory`). Then the second count begins anew, and the first goes on.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from controlplane.agent.limits.trial_limit import TrialLimit
from controlplane.agent.loop.limits.budget_limits import BudgetLimits
from controlplane.agent.loop.limits.form_history import FormHistory
from controlplane.agent.loop.limits.reply_faults import ReplyFaults
from controlplane.agent.record.trial_step import TrialStep
from controlplane.agent.reply.fault import PROSE


@dataclass(slots=True)
class UnusableReplies(TrialLimit):
    """Ends a trial after too many unusable replies."""

    limits: BudgetLimits = field(default_factory=BudgetLimits)
    """The numbers of unusable replies that end a trial."""
    forms: FormHistory = field(default_factory=FormHistory)
    """The form of the next reply, and the same fault in one mode: for `same_faults`."""
    _faults: ReplyFaults = field(default_factory=ReplyFaults)
    """All faults since the last usable reply, in all modes: for `unusable_replies`."""

    def count(self, step: TrialStep) -> None:
        """Count the fault of a step's reply. It is empty if the reply was usable."""
        self._faults = self._faults.followed_by(step.summary.fault)
        self.forms = self.forms.followed_by(step)

    @property
    def warning(self) -> str:
        """The note that asks for scripts between ```, if this form was just chosen; else empty."""
        return self.forms.choice.note_to_model

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

        # This count gets to 5 only in a mode that is not changed after 3: the last mode, or one
        # that the user has chosen.
        same_faults = self.forms.faults.same_fault.times
        if len(faults) >= max_replies or same_faults >= self.limits.same_faults:
            return self.last_fault
        return ""
