"""Checks a call that may change something, before the call is sent.

Two checks may object: the environment's pre-call check, a function that the environment
declares, and the rule on origins (`origin_rule.py`). The model reads the objection. If
it makes the same call again, it insists, and the call is sent. In some modes of
`--provenance` the call is never sent, or only if the user approves it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from controlplane.agent.events import NOT_DONE, CallApproval, CallStopped
from controlplane.agent.evidence.checks.origin_rule import ChangingCall, OriginRule
from controlplane.agent.evidence.checks.stopped_calls import CheckName, StoppedCalls
from controlplane.agent.evidence.origins.call_origins import CallOrigins
from controlplane.sandbox.interface import CallError, Plain, error_codes

if TYPE_CHECKING:
    from controlplane.agent.evidence.recorder import Recorder


class CallChecks:
    """Judges the changing calls of one trial, and remembers which of them were stopped.

    A *stopped* call is not sent, and the model reads why. Created by the trial's
    `Recorder`, which also adds the decisions that an earlier attempt recorded.
    """

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        rule = recorder.tool_schema.pre_call_check
        self.check_name = rule.rpartition("/")[2].replace("-", "_")
        """The operation that is the environment's pre-call check; empty if there is none.
        `pre_call_check`, if the environment declares `service/pre-call-check`."""
        self.call_origins = CallOrigins(recorder.tool_schema, recorder.evidence_log)
        """Finds where the arguments of the trial's calls come from."""
        self.origin_rule = OriginRule(recorder, self.call_origins)
        """Objects to values that are only in running text, such as a mail."""
        self.stopped_calls = StoppedCalls()
        """Knows if the model repeats a call that was stopped."""

    # --- Judging a call ---

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
        listed_arguments = self._with_listed_path(operation, arguments)
        # The call with the origins of its arguments.
        call = self.origin_rule.judged_call(operation, listed_arguments)
        objections: list[str] = []
        if has_pre_call_check:
            new_objection = self._objection_of_environment(call, in_verify=in_verify)
            objections += self._final_objection("check", call, new_objection)
        if not in_verify:
            new_objection = self.origin_rule.objection(call, in_script=in_script)
            origin_objections = self._final_objection("provenance", call, new_objection)
            objections += origin_objections
            # The model reads them as notes, too, because a script may catch the error.
            self.recorder.notes += origin_objections
        if objections:
            raise CallError(error_codes.FAILED_PRECONDITION, "\n".join(objections))
        # The call is sent now, perhaps instead of one that was stopped.
        self._settle_stops(call)
        return call.described_origins

    def _with_listed_path(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> dict[str, Plain]:
        """Return the arguments, with the path in the spelling that listings show."""
        changed = dict(arguments)
        declared = self.recorder.tool_schema.operation(operation)
        if declared is not None:
            path = changed.get(declared.subject)
            if isinstance(path, str):
                changed[declared.subject] = self.recorder.evidence_log.right_path(path)
        return changed

    def _objection_of_environment(self, call: ChangingCall, *, in_verify: bool) -> str:
        """Return the objection of the environment's pre-call check; empty if there is none."""
        # The model makes the same call again after it read the objection.
        model_insists = self.stopped_calls.has("check", call.operation, call.arguments)
        if not self.check_name or model_insists:
            return ""
        question: dict[str, Plain] = {
            "operation": call.operation,
            "arguments": call.arguments,
        }
        try:
            result = self.recorder.call(self.check_name, question, in_verify=in_verify)
        except CallError:
            return ""  # The check itself failed, so the call is sent without it.
        objection = result.get("value")
        return objection if isinstance(objection, str) else ""

    # --- New and recorded decisions ---

    def _final_objection(
        self, check: CheckName, call: ChangingCall, new_objection: str
    ) -> list[str]:
        """Record a check's decision, and return its objections: one, or none.

        `new_objection` is what the check says now. If an earlier attempt at the trial
        has recorded a decision about this call, that decision counts instead.
        """
        event = self._stop_event(
            check, call.operation, call.arguments, objection=new_objection
        )
        stop_number = len(self.recorder.trace.stopped)
        # The journal returns the recorded event if there is one, or else the new one.
        final_event = self.recorder.journal.stop(event, stop_number)
        if final_event is None:
            return []
        self.remember_stop(final_event)
        return [final_event.objection] if final_event.objection else []

    def _settle_stops(self, sent: ChangingCall) -> None:
        """Record what became of earlier stopped calls, now that `sent` may be sent.

        `sent` may repeat a stopped call, or make it with other arguments.
        """
        for stop in self.stopped_calls.unsettled:
            outcome = self.stopped_calls.outcome(stop, sent.operation, sent.arguments)
            if outcome == NOT_DONE:
                continue
            event = self._stop_event(
                stop.by, stop.operation, stop.arguments, outcome=outcome
            )
            stop_number = len(self.recorder.trace.stopped)
            self.recorder.journal.outcome_of_stop(event, stop_number)
            self.remember_stop(event)

    def _stop_event(
        self,
        check: CheckName,
        operation: str,
        arguments: Mapping[str, Any],
        *,
        objection: str = "",
        outcome: str = NOT_DONE,
    ) -> CallStopped:
        """Return an event about a stopped call.

        It has the `objection` when the call is stopped, and later its `outcome`: if the
        call was made all the same, or another one instead.
        """
        return CallStopped(
            trial_id=self.recorder.trial_id,
            step=self.recorder.trace.number,
            number=len(self.recorder.calls),  # the next call of the step
            operation=operation,
            arguments=dict(arguments),
            by=check,
            objection=objection,
            then=outcome,
        )

    def remember_stop(self, event: CallStopped) -> None:
        """Remember that a call was stopped, or the outcome of a stopped call (`event.then`)."""
        self.recorder.trace.stopped.append(event)
        self.stopped_calls.add(event)
        if event.then == NOT_DONE and event.by == "provenance":
            self.origin_rule.remember_held(event.operation, event.arguments, event.step)

    def remember_approval(self, event: CallApproval) -> None:
        """Remember the user's decision about a call."""
        self.origin_rule.remember_approval(event)
