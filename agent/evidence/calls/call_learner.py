"""Adds the outcome of each call to what the trial knows.

After `read("/mails/7.txt")` has returned "Pay to DE12", the trial knows two more things:

    evidence_log   an answer may cite /mails/7.txt
    call_origins   "DE12" is from a mail: if a later call has this argument, the user may be asked
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.calls.pre_call_check import PreCallCheck
from controlplane.agent.evidence.calls.step_log import StepLog
from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.call_origins import CallOrigins
from controlplane.sandbox.interface import CallError, ToolSchema, argument_notes


@dataclass(frozen=True, slots=True)
class CallLearner:
    """Adds the outcomes of one trial's calls to what it knows."""

    tool_schema: ToolSchema
    step: StepLog
    """The current step, which also gets notes on its calls for the model."""
    evidence_log: EvidenceLog
    call_origins: CallOrigins
    pre_call_check: PreCallCheck
    """The environment's function that judges changing calls. It may ask for calls of its own."""

    def learn(self, call: CallRecord) -> None:
        """Learn from a call of the current step, which has its outcome.

        | call | what is learnt |
        |---|---|
        | refused before it was sent | nothing: there is no result |
        | a read that the pre-call check asks for | nothing: the model does not see its result |
        | the pre-call check itself | its objection, if it has one: "is not due" |
        | any other | its result, or its error |
        """
        check = self.pre_call_check
        is_asked_for_by_check = check.is_operation(self.step.function_of(call))
        if call.state == "not_made" or is_asked_for_by_check:
            return
        if call.outer is None and check.is_operation(call.operation):
            if call.result and call.result.get("value"):
                self.evidence_log.record_function_result(
                    call.operation, call.arguments, call.result
                )
            return

        if check.exists:
            check.known_calls.learn(call, is_of_initial_prompt=self.step.number == 0)
        # The origins come first: they look up in the evidence which files the trial wrote
        # before this call.
        self.call_origins.learn(call)
        error = None
        if call.error is not None:
            error = CallError(call.error.code, call.error.message)
        self.step.notes += self.evidence_log.record(
            call.operation,
            call.arguments,
            call.result,
            error,
            shown_chars=call.shown_chars,
        )
        # Many calls of a step may have the same wrong argument, so this note is added once:
        # "search declares that limit is int, not str 'all'".
        declared = self.tool_schema.operation(call.operation)
        if declared is not None:
            self.step.add_new_notes(argument_notes(declared, call.arguments))
