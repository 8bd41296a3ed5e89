"""Adds the outcomes of calls to what a trial knows: its evidence, and its origins.

The *evidence* says what an answer may cite. The *origins* say which texts have which
values, so that values in the arguments of later calls can be traced.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.calls.current_step import CurrentStep
from controlplane.agent.evidence.calls.pre_call_check import PreCallCheck
from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.call_origins import CallOrigins
from controlplane.sandbox.interface import CallError, ToolSchema, argument_notes


@dataclass(frozen=True, slots=True)
class CallLearner:
    """Learns from the calls of one trial."""

    tool_schema: ToolSchema
    step: CurrentStep
    evidence_log: EvidenceLog
    call_origins: CallOrigins
    pre_call_check: PreCallCheck

    def learn(self, call: CallRecord) -> None:
        """Learn from the outcome of a call, which is one of the current step.

        A refused call and the reads of the pre-call check are not evidence: the model
        does not see what they return.
        """
        if call.state == "not_made" or self._is_read_of_pre_call_check(call):
            return
        if call.outer is None and self.pre_call_check.is_operation(call.operation):
            self._learn_objection(call)
            return
        if self.pre_call_check.exists:
            self.pre_call_check.shown_files.learn(
                call, is_of_initial_prompt=self.step.number == 0
            )
        # The origins come first: they ask the evidence which files the trial wrote before
        # this call.
        self.call_origins.learn(call)
        self.step.notes += self._add_to_evidence(call)
        self.step.add_new_notes(self._argument_notes(call))

    def _is_read_of_pre_call_check(self, call: CallRecord) -> bool:
        """Return True if the pre-call check made a call while it ran."""
        if call.outer is None:
            return False
        function_call = self.step.trace.calls[call.outer]
        return self.pre_call_check.is_operation(function_call.operation)

    def _learn_objection(self, call: CallRecord) -> None:
        """Learn the answer of the pre-call check, if it objects: `{"value": "is not due"}`."""
        if call.result and call.result.get("value"):
            self.evidence_log.record_function_result(
                call.operation, call.arguments, call.result
            )

    def _add_to_evidence(self, call: CallRecord) -> tuple[str, ...]:
        """Add a call to the evidence, and return the notes on it for the model."""
        error = None
        if call.error is not None:
            error = CallError(call.error.code, call.error.message)
        return self.evidence_log.record(
            call.operation,
            call.arguments,
            call.result,
            error,
            shown_chars=call.shown_chars,
        )

    def _argument_notes(self, call: CallRecord) -> tuple[str, ...]:
        """Return which arguments do not fit their schema, if the tool itself validates them."""
        declared = self.tool_schema.operation(call.operation)
        if declared is None:
            return ()
        return tuple(argument_notes(declared, call.arguments))
