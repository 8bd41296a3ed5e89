"""Asks the environment's own check about a call that may change something.

An environment may have a function that knows its rules. Asked about `delete("/r4.json")`, it
objects: "this record may not be deleted". The call is then *stopped*: it is not sent, and the model
reads the objection. If the model makes the same call again, it insists, and the call is sent.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.evidence.calls.pre_call_check import PreCallCheck
from controlplane.agent.evidence.calls.stop_key import ENVIRONMENT_CHECK
from controlplane.agent.evidence.checks.changing_call import ChangingCall
from controlplane.agent.evidence.sending.trial_calls import TrialCalls
from controlplane.agent.evidence.tape.call_stops import CallStops
from controlplane.sandbox.interface import CallError, Plain


@dataclass(slots=True)
class EnvironmentCheck:
    """Asks the check of one trial's environment, if it has one."""

    pre_call_check: PreCallCheck
    """Which operation is the check."""
    calls: TrialCalls
    """Makes the call of the check, which is recorded like other calls."""
    stops: CallStops
    """Has the last word, if the step is one that an earlier process of the trial has recorded:
    what was stopped then is stopped again, and what was sent then is sent again."""
    is_on: bool = True
    """False if the user has switched the check off. The session says so before the first call."""

    def objection(self, call: ChangingCall, *, in_verify: bool) -> str:
        """Return the objection for which a call is stopped; empty if it may be sent.

        `in_verify` is true if a script's `verify`, its check of its own answer, makes the call.
        """
        if not self.is_on:
            return ""
        objection_now = ""
        # If the check has stopped the same call before, the model insists, and it is not asked.
        if self.pre_call_check.exists and not self._has_stopped(call):
            objection_now = self._ask(call, in_verify=in_verify)
        return self.stops.decide(
            ENVIRONMENT_CHECK, call.operation, call.arguments, objection_now
        )

    def _has_stopped(self, call: ChangingCall) -> bool:
        """Return True if the check has stopped the same call before."""
        return self.stops.stopped_calls.has(
            ENVIRONMENT_CHECK, call.operation, call.arguments
        )

    def _ask(self, call: ChangingCall, *, in_verify: bool) -> str:
        """Return what the check says against a call; empty if it does not object."""
        question: dict[str, Plain] = {
            "operation": call.operation,
            "arguments": call.arguments,
        }
        try:
            result = self.calls.make(
                self.pre_call_check.name, question, in_verify=in_verify
            )
        except CallError:
            return ""  # The check itself has failed, so it does not object.
        objection = result.get("value")  # what the function returned
        return objection if isinstance(objection, str) else ""
