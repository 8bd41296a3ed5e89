"""Lets the user approve a call with untrusted values, such as a transfer to an account from a mail.

Only the mail has the account DE12, so its author may want to trick the model. The user is asked

    send_money(to='DE12', amount=30) is to be sent. to: 'DE12' is only in the text of /m.md ...

and approves. From then on, calls may pay 30 to DE12 without a question.
"""

from __future__ import annotations

from controlplane.agent.events import CallApproval
from controlplane.agent.evidence.checks.accepted_uses import AcceptedUses
from controlplane.agent.evidence.checks.call_messages import (
    DO_WITHOUT,
    objection_text,
    reasons_to_stop,
)
from controlplane.agent.evidence.checks.changing_call import ChangingCall, changing_call
from controlplane.agent.evidence.checks.shown_call import call_text
from controlplane.agent.evidence.checks.stopping_values import stopping_values
from controlplane.agent.evidence.origins.call_origins import CallOrigins
from controlplane.agent.evidence.tape.approvals import Approvals


class UserApproval:
    """Asks the user about calls of one trial, and remembers what the user has approved."""

    def __init__(self, call_origins: CallOrigins, approvals: Approvals) -> None:
        self._call_origins = call_origins
        """Knows where the values of a call come from, and the function `policy.approve`, which shows
        a question to the user and returns True for yes."""
        self._approvals = approvals
        """Asks the user, or takes the answer of an earlier process of the trial."""
        self._approved = AcceptedUses()
        """The untrusted values of the approved calls, each with its *use*: DE12 beside 30."""

    def objection(self, call: ChangingCall, step: int) -> str:
        """Ask the user about a call of the step with this number, if it has untrusted values.

        Values that the user has approved in an earlier call do not count. Returns the objection to
        the call; empty if it may be sent.
        """
        untrusted = stopping_values(call, self._approved, step)
        if not untrusted:
            return ""
        reasons = reasons_to_stop(untrusted)
        # The values about which the user decides are shown in full.
        shown_call = call_text(call.operation, call.arguments, shown_in_full=untrusted)
        is_approved = self._approvals.ask_or_repeat(
            call.operation,
            call.arguments,
            text=f"{shown_call} is to be sent. {reasons}",
            ask=self._call_origins.policy.approve,
        )
        if not is_approved:
            return objection_text(call.operation, reasons, DO_WITHOUT)
        self._approved.add(call.uses_to_accept(), step)
        return ""

    def remember(self, event: CallApproval) -> None:
        """Take over from the journal what the user has decided about a call."""
        self._approvals.add(event)
        if event.answer == "approved":
            call = changing_call(event.operation, event.arguments, self._call_origins)
            self._approved.add(call.uses_to_accept(), event.step)
