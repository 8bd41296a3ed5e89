"""Checks a call that may change something, before the call is sent.

Two checks may object. The environment's pre-call check is a function that knows the rules of
the environment: "this record may not be deleted". The rule on origins objects to a value
from running text: the account to pay is only in a mail. Examples:

    check_change("send_money", {"to": "Ada", "amount": 12}, ...)
        -> {"to": "asked", "amount": "asked"}     the origins: both are in the user's request
    check_change("send_money", {"to": "DE12", "amount": 12}, ...)
        -> CallError: send_money was not sent. to: 'DE12' is only in the text of /m.md ...

After an objection, the call is *stopped*: it is not sent, and the model reads why. If the model
makes the same call again, it insists, and the call is usually sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.agent.events import CallApproval, CallStopped
from controlplane.agent.evidence.calls.step_log import StepLog
from controlplane.agent.evidence.calls.stopped_calls import (
    ENVIRONMENT_CHECK,
    ORIGIN_RULE,
)
from controlplane.agent.evidence.checks.changing_call import ChangingCall, changing_call
from controlplane.agent.evidence.checks.environment_check import EnvironmentCheck
from controlplane.agent.evidence.checks.origin_rule import OriginRule
from controlplane.agent.evidence.origins.call_origins import CallOrigins
from controlplane.agent.evidence.tape import TapedStops
from controlplane.sandbox.interface import CallError, Plain, error_codes


@dataclass(frozen=True, slots=True)
class CallChecks:
    """Judges the calls of one trial that may change something, before they are sent.

    A resumed trial repeats recorded steps. For these, the recorded decisions count, even if the
    checks decide otherwise today.
    """

    step: StepLog
    """The step that makes the calls."""
    call_origins: CallOrigins
    """Finds where the arguments of a call come from."""
    environment_check: EnvironmentCheck
    """Asks the environment's pre-call check."""
    origin_rule: OriginRule
    """The rule on origins."""
    stops: TapedStops
    """Decides if an objection stops a call. In a recorded step, what happened then counts. It
    writes which calls were stopped, and what became of them later."""

    def check_change(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        *,
        in_verify: bool = False,
        in_script: bool = False,
    ) -> dict[str, str]:
        """Judge a call that may change something, and return its arguments' origins.

        The origins are as in the journal: `{"amount": "asked"}`. Raises `CallError` with
        all objections if the call is stopped.

        `in_script` is true if a script makes the call. `in_verify` is true if it does so in its
        function `verify`, which checks the script's own answer.
        """
        listed_arguments = self.call_origins.with_listed_path(operation, arguments)
        call = changing_call(operation, listed_arguments, self.call_origins)
        objections: list[str] = []
        if self.environment_check.pre_call_check.is_on:
            objections.append(self._environment_objection(call, in_verify=in_verify))
        # `verify` may change nothing, wherever its values come from: the sandbox sees to that.
        if not in_verify:
            objections.append(self._origin_objection(call, in_script=in_script))

        if any(objections):
            message = "\n".join(filter(None, objections))
            raise CallError(error_codes.FAILED_PRECONDITION, message)
        # The call is sent. If a similar one was stopped before, this is what became of it.
        self.stops.write_outcomes(call.operation, call.arguments)
        return call.described_origins

    def _environment_objection(self, call: ChangingCall, *, in_verify: bool) -> str:
        """Return the objection of the environment's check to a call; empty if there is none."""
        objection = self.environment_check.objection(call, in_verify=in_verify)
        return self.stops.decide(
            ENVIRONMENT_CHECK, call.operation, call.arguments, objection
        )

    def _origin_objection(self, call: ChangingCall, *, in_script: bool) -> str:
        """Return the objection of the rule on origins to a call; empty if there is none."""
        step = self.step.number
        objection = self.origin_rule.objection(call, step, in_script=in_script)
        objection = self.stops.decide(
            ORIGIN_RULE, call.operation, call.arguments, objection
        )
        if objection:
            # If the model makes the call again, it insists on the values, and it may be sent.
            self.origin_rule.let_insist(call, step)
            # A script may catch the error, so the model also reads the objection after the step.
            self.step.notes.append(objection)
        return objection

    # --- Recorded decisions ---

    def remember_stop(self, event: CallStopped) -> None:
        """Remember a recorded event: that a call was stopped, or what became of it later."""
        self.stops.add(event)
        if event.by == ORIGIN_RULE and not event.is_outcome:
            call = changing_call(event.operation, event.arguments, self.call_origins)
            self.origin_rule.let_insist(call, event.step)

    def remember_approval(self, event: CallApproval) -> None:
        """Remember a recorded decision of the user about a call."""
        self.origin_rule.remember_approval(event)
