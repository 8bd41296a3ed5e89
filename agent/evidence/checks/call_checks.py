"""Checks a call that may change something, before the call is sent.

Two checks may object. The environment's own check knows its rules: "this record may not be
deleted". The check of origins objects to a value from running text, such as a mail:

    check_change("send_money", {"to": "Ada", "amount": 12})
        -> {"to": "asked", "amount": "asked"}     the origins: both are in the user's request
    check_change("send_money", {"to": "DE12", "amount": 12})
        -> CallError: send_money was not sent. to: 'DE12' is only in the text of /m.md ...
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.agent.events import CallApproval, CallStopped
from controlplane.agent.evidence.checks.changing_call import changing_call
from controlplane.agent.evidence.checks.environment_check import EnvironmentCheck
from controlplane.agent.evidence.checks.listed_arguments import ListedArguments
from controlplane.agent.evidence.checks.origin_check import OriginCheck
from controlplane.agent.evidence.origins.call_origins import CallOrigins
from controlplane.agent.evidence.tape.call_stops import CallStops
from controlplane.sandbox.interface import CallError, Plain, error_codes


@dataclass(frozen=True, slots=True)
class CallChecks:
    """The checks of one trial's calls. A call to which one objects is *stopped*: not sent."""

    listed_arguments: ListedArguments
    """Writes paths in the spelling that listings show."""
    call_origins: CallOrigins
    """Finds where the arguments of a call come from."""
    environment_check: EnvironmentCheck
    origin_check: OriginCheck
    stops: CallStops
    """The stopped calls. Both checks write here that they have stopped a call."""

    def check_change(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        *,
        in_verify: bool = False,
        in_script: bool = False,
    ) -> dict[str, str]:
        """Return the origins of a call's arguments. Raises `CallError` if the call is stopped.

        `in_script` is true if a script makes the call. `in_verify` is true if it does so in its
        function `verify`, which checks the script's own answer.
        """
        listed = self.listed_arguments.of_call(operation, arguments)
        call = changing_call(operation, listed, self.call_origins)
        objections = [self.environment_check.objection(call, in_verify=in_verify)]
        # `verify` may change nothing, wherever its values come from: the sandbox sees to that.
        if not in_verify:
            objections.append(self.origin_check.objection(call, in_script=in_script))
        message = "\n".join(filter(None, objections))
        if message:
            raise CallError(error_codes.FAILED_PRECONDITION, message)
        # The call is sent. If a similar one was stopped before, write what the model did instead.
        self.stops.add_outcomes(call.operation, call.arguments)
        return call.described_origins

    def remember_stop(self, event: CallStopped) -> None:
        """Remember from the journal that a call was stopped, or what became of it later."""
        self.stops.add(event)
        self.origin_check.insistence.remember(event)

    def remember_approval(self, event: CallApproval) -> None:
        """Remember from the journal what the user has decided about a call."""
        self.origin_check.approval.remember(event)
