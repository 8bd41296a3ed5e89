"""Asks the environment's pre-call check about a call that may change something.

The check is a function that an environment may have: it knows the environment's rules, such
as that nobody may delete a record of last year, and objects to a call that breaks one.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.evidence.calls.pre_call_check import PreCallCheck
from controlplane.agent.evidence.calls.stop_key import ENVIRONMENT_CHECK
from controlplane.agent.evidence.checks.changing_call import ChangingCall
from controlplane.agent.evidence.sending.trial_calls import TrialCalls
from controlplane.agent.evidence.tape import TapedStops
from controlplane.sandbox.interface import CallError, Plain


@dataclass(frozen=True, slots=True)
class EnvironmentCheck:
    """Asks the pre-call check of one trial's environment, if it has one."""

    pre_call_check: PreCallCheck
    """Which operation is the check."""
    calls: TrialCalls
    """Makes the call of the check, which is recorded like other calls."""
    stops: TapedStops
    """Decides if an objection stops a call. In a recorded step, what happened then counts."""

    def objection(self, call: ChangingCall, *, in_verify: bool) -> str:
        """Return the objection for which a call is stopped; empty if it may be sent.

        `in_verify` is true if the call is made by a script's `verify`, the function with which
        the script checks its own answer.
        """
        if not self.pre_call_check.is_on:
            return ""
        objection = self._answer_of_check(call, in_verify=in_verify)
        return self.stops.decide(
            ENVIRONMENT_CHECK, call.operation, call.arguments, objection
        )

    def _answer_of_check(self, call: ChangingCall, *, in_verify: bool) -> str:
        """Return the objection of the check to a call; empty if there is none.

        | the call | returned |
        |---|---|
        | breaks a rule | `this record may not be deleted` |
        | breaks no rule, or the check itself fails | nothing |
        | was stopped by the check before | nothing, and it is not asked: the model insists |
        """
        if not self.pre_call_check.exists:
            return ""
        model_insists = self.stops.events.stopped_calls.has(
            ENVIRONMENT_CHECK, call.operation, call.arguments
        )
        if model_insists:
            return ""
        question: dict[str, Plain] = {
            "operation": call.operation,
            "arguments": call.arguments,
        }
        try:
            result = self.calls.make(
                self.pre_call_check.name, question, in_verify=in_verify
            )
        except CallError:
            return ""
        objection = result.get("value")  # what the function returned
        return objection if isinstance(objection, str) else ""
