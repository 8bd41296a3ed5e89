"""Adds the outcome of each call to what the trial knows.

After `read("/mails/7.txt")` has returned "Pay to DE12", two more things are known:

    evidence_log   an answer may cite /mails/7.txt
    call_origins   "DE12" is from a mail: if a later call has this argument, the user may be asked

Before a call that pays is sent, the *pre-call check* may judge it. It is a function of the environment,
and a call itself. Its objection is shown to the model, so it may support an answer. The function
may read files for this. The model does not see them, so nothing is learnt from these reads.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.calls.pre_call_check import PreCallCheck
from controlplane.agent.evidence.calls.step_log import StepLog
from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.call_origins import CallOrigins
from controlplane.sandbox.interface import ToolSchema, argument_notes


@dataclass(frozen=True, slots=True)
class CallLearner:
    """Adds the outcomes of one trial's calls to what it knows."""

    tool_schema: ToolSchema
    step: StepLog
    """The current step, which also gets notes on its calls for the model."""
    evidence_log: EvidenceLog
    call_origins: CallOrigins
    pre_call_check: PreCallCheck
    """Knows which operation is the check, and whether there is one."""

    def learn(self, call: CallRecord) -> None:
        """Learn from a call of the current step, which has its outcome.

        Nothing is learnt from a call that was refused before it was sent: it has no result.
        """
        was_refused = call.state == "not_made"
        if was_refused:
            return
        asking_function = self.step.function_of(call)  # empty if no function has asked
        is_read_of_check = self.pre_call_check.is_operation(asking_function)
        if is_read_of_check:
            return
        is_check = self.pre_call_check.is_operation(call.operation)
        if is_check:
            self._learn_objection(call)
        else:
            self._learn_outcome(call)

    def _learn_objection(self, check: CallRecord) -> None:
        """Learn the objection `{"value": "is not due"}`. The value is empty if there is none."""
        if check.result and check.result.get("value"):
            self.evidence_log.add_function_result(
                check.operation, check.arguments, check.result
            )

    def _learn_outcome(self, call: CallRecord) -> None:
        """Learn the result or the error of a call, and add notes on it for the model."""
        # The check gets the results of the calls for the initial prompt: those of step 0.
        self.pre_call_check.learn(call, is_of_initial_prompt=self.step.number == 0)
        # The origins come first: they look up which files the trial wrote before this call.
        self.call_origins.learn(call)
        self.step.notes += self.evidence_log.add_call(
            call.operation, call.arguments, call.result, call.error, call.shown_chars
        )
        declared = self.tool_schema.operation(call.operation)
        if declared is not None:
            self.step.add_new_notes(argument_notes(declared, call.arguments))
