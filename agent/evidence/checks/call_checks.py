"""Checks a call that may change something, before the call is sent.

Two checks may object: the environment's pre-call check, a function that the environment
declares, and the rule on origins (`origin_rule.py`). The model reads the objection. If
it makes the same call again, it insists, and the call is sent. In some modes of
`--provenance` the call is never sent, or only if the user approves it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.agent.events import NOT_DONE, CallApproval, CallStopped
from controlplane.agent.evidence.calls.current_step import CurrentStep
from controlplane.agent.evidence.checks.changing_call import ChangingCall, changing_call
from controlplane.agent.evidence.checks.environment_check import EnvironmentCheck
from controlplane.agent.evidence.checks.origin_rule import OriginRule
from controlplane.agent.evidence.checks.stop_records import StopRecords
from controlplane.agent.evidence.checks.stopped_calls import CheckName
from controlplane.agent.evidence.origins.call_origins import CallOrigins
from controlplane.sandbox.interface import CallError, Plain, error_codes


@dataclass(frozen=True, slots=True)
class CallChecks:
    """Judges the changing calls of one trial."""

    step: CurrentStep
    call_origins: CallOrigins
    environment_check: EnvironmentCheck
    origin_rule: OriginRule
    stops: StopRecords
    """Records the calls that a check stops."""

    def check_change(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        *,
        has_pre_call_check: bool,
        in_verify: bool = False,
        in_script: bool = False,
    ) -> dict[str, str]:
        """Judge a call that may change something, and return its arguments' origins.

        The origins are as in the journal: `{"amount": "asked"}`. Raises `CallError` with
        all objections if the call is stopped. `in_verify` is true for a call of a
        script's `verify`, its check of the answer. It may only read, so origins do not
        matter. If a script makes the call (`in_script`), the model reads an objection
        only after the step.
        """
        listed_arguments = self.call_origins.with_listed_path(operation, arguments)
        call = changing_call(operation, listed_arguments, self.call_origins)
        objections: list[str] = []
        if has_pre_call_check:
            objection = self.environment_check.objection(call, in_verify=in_verify)
            objections += self._final_objection("check", call, objection)
        if not in_verify:
            objection = self.origin_rule.objection(
                call, self.step.number, in_script=in_script
            )
            origin_objections = self._final_objection("provenance", call, objection)
            objections += origin_objections
            # The model reads them as notes, too, because a script may catch the error.
            self.step.notes += origin_objections
        if objections:
            raise CallError(error_codes.FAILED_PRECONDITION, "\n".join(objections))
        self.stops.record_outcomes(call)
        return call.described_origins

    def _final_objection(
        self, check: CheckName, call: ChangingCall, objection: str
    ) -> list[str]:
        """Record a check's decision, and return its final objections: one, or none.

        If an earlier attempt at the trial has recorded its decision, that one counts.
        """
        stop = self.stops.record_decision(check, call, objection)
        if stop is None:
            return []
        self._remember_held(stop)
        return [stop.objection] if stop.objection else []

    # --- Recorded decisions ---

    def remember_stop(self, event: CallStopped) -> None:
        """Remember that a call was stopped, or the outcome of a stopped call (`event.then`)."""
        self.stops.add(event)
        self._remember_held(event)

    def remember_approval(self, event: CallApproval) -> None:
        """Remember the user's decision about a call."""
        self.origin_rule.remember_approval(event)

    def _remember_held(self, event: CallStopped) -> None:
        """Remember the values of a call that the rule on origins has stopped."""
        if event.then == NOT_DONE and event.by == "provenance":
            self.origin_rule.remember_held(event.operation, event.arguments, event.step)
