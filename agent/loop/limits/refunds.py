"""The refunds of a trial: those of its steps that do not count towards the limit of steps.

A step counts if it has run a script. Another one may be *refunded*, a few times in a trial:

| the reply of the model | setting |
|---|---|
| a script that was refused before it ran, for example for its syntax | `script_refunds`: 3 |
| an unusable reply: it had no script | `reply_refunds`: 2 |
| a refusal to do what is asked | none: that is a reply, too |
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from controlplane.agent.events import StepDone
from controlplane.agent.loop.limits.budget_limits import BudgetLimits
from controlplane.agent.loop.script_endings import was_refused
from controlplane.agent.reply.fault import Fault


@dataclass(frozen=True, slots=True)
class Refunds:
    """The refunded steps of a trial so far, and whether there may be more.

    The solver decides, while a step is under way, if it is refunded. It says so in the step's
    summary: `StepDone(refunded=True)`.
    """

    limits: BudgetLimits
    """The greatest numbers of refunds."""
    scripts: int = 0
    """Steps that were refunded because their scripts were refused."""
    replies: int = 0
    """Steps that were refunded because their replies were unusable."""

    @property
    def can_refund_script(self) -> bool:
        """True if one more step may be refunded because its script was refused."""
        return self.scripts < self.limits.script_refunds

    @property
    def can_refund_reply(self) -> bool:
        """True if one more step may be refunded because its reply was unusable."""
        return self.replies < self.limits.reply_refunds

    def may_refund(self, summary: StepDone) -> bool:
        """Return True if a step with this summary, in which a script was due, may be refunded."""
        if summary.code:
            return was_refused(summary.ending) and self.can_refund_script
        has_declined = summary.fault == Fault.REFUSED
        return not has_declined and self.can_refund_reply

    def with_refunded(self, summary: StepDone) -> Refunds:
        """Return the refunds with one more step, which was refunded."""
        has_script = bool(summary.code)
        if has_script:
            return replace(self, scripts=self.scripts + 1)
        return replace(self, replies=self.replies + 1)
