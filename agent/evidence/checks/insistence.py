"""Lets the model insist on a call that was stopped because of its values (the mode `ask`).

Only a mail has the account DE12, so its author may want to trick the model:

    step 1   send_money(to="DE12", amount=30)     is stopped: it is not sent
             the model reads why when the script of the step has ended
    step 2   send_money(to="DE12", amount=30)     is sent: the model insists

So the values for which a call was stopped are accepted, once the model has read why.
"""

from __future__ import annotations

from controlplane.agent.events import CallStopped
from controlplane.agent.evidence.calls.stop_key import ORIGIN_RULE
from controlplane.agent.evidence.checks.accepted_uses import AcceptedUses
from controlplane.agent.evidence.checks.call_messages import (
    REPEAT,
    REPEAT_IN_LATER_STEP,
    objection_text,
    reasons_to_stop,
)
from controlplane.agent.evidence.checks.changing_call import ChangingCall, changing_call
from controlplane.agent.evidence.checks.stopping_values import stopping_values
from controlplane.agent.evidence.origins.call_origins import CallOrigins


class Insistence:
    """The calls of one trial on which the model may insist, by making them again."""

    def __init__(self, call_origins: CallOrigins) -> None:
        self._call_origins = call_origins
        """Finds the values of a call that were only in a mail."""
        self._accepted = AcceptedUses()
        """The values for which calls were stopped, with the steps of these calls."""

    def objection(self, call: ChangingCall, step: int, *, in_script: bool) -> str:
        """Return the objection to a call in a step; empty if the call may be sent.

        It may be sent if the model has read the objection before. The model reads what stopped
        the calls of a script when the script has ended, so a script must wait for the next step.
        """
        last_read_step = step - 1 if in_script else step
        # The untrusted values of the call, without those that were accepted up to this step.
        untrusted = stopping_values(call, self._accepted, last_read_step)
        if not untrusted:
            return ""
        remedy = REPEAT_IN_LATER_STEP if in_script else REPEAT
        return objection_text(call.operation, reasons_to_stop(untrusted), remedy)

    def add_stopped(self, call: ChangingCall, step: int) -> None:
        """Add a call that was stopped in a step. The model may insist on its values."""
        self._accepted.add(call.uses_to_accept(), step)

    def remember(self, event: CallStopped) -> None:
        """Add a call that the journal of a resumed trial has as stopped, if it was for its values.

        A second event on the same call, which tells what became of it, is passed over.
        """
        was_stopped_for_values = event.by == ORIGIN_RULE and not event.is_outcome
        if was_stopped_for_values:
            call = changing_call(event.operation, event.arguments, self._call_origins)
            self.add_stopped(call, event.step)
