"""Adds the outcomes of calls to what a trial knows: its evidence, and its origins.

The *evidence* says what an answer may cite: after `read("/docs/fees.md")`, this file. The
*origins* say which texts have which values. So if a later call has the account `DE12` as
an argument, it is known that the number comes from a mail.
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
    """Adds the outcomes of calls to what one trial knows: its evidence and its origins.

    After `read("/mails/7.txt")`, the *evidence* says that an answer may cite this file. The
    *origins* say that the account `DE12`, an argument of a later call, is from a mail.
    """

    tool_schema: ToolSchema
    """The declared operations."""
    step: StepLog
    """Gets the notes on the calls, which the model reads."""
    evidence_log: EvidenceLog
    """Keeps what was read. An answer may only cite this."""
    call_origins: CallOrigins
    """Keeps which text has which values, to say where the arguments of a later call come
    from."""
    pre_call_check: PreCallCheck
    """The environment's function that may object to a call before it is sent. It is an
    operation, too. So the step has a record of its call, and of each call that it makes."""

    def learn(self, call: CallRecord) -> None:
        """Learn from the outcome of a call of the current step.

        | call | what is learnt |
        |---|---|
        | refused before it was sent | nothing: there is no result |
        | a read that the pre-call check makes | nothing: the model does not see its result |
        | the pre-call check itself | its objection, if it has one |
        | any other | its result, or its error |
        """
        if call.state == "not_made":
            return
        call_by_trial = self._call_by_trial(call)
        if self.pre_call_check.is_operation(call_by_trial.operation):
            is_check_itself = call_by_trial is call  # and not a read that it makes
            if is_check_itself:
                self._learn_objection(call)
            return

        if self.pre_call_check.exists:
            self.pre_call_check.learn(call, is_of_initial_prompt=self.step.number == 0)
        # The origins come first: they look up in the evidence which files the trial wrote
        # before this call.
        self.call_origins.learn(call)
        self.step.notes += self._add_to_evidence(call)
        # Many calls of a step may have the same wrong argument, so these notes are added once.
        self.step.add_new_notes(self._argument_notes(call))

    def _call_by_trial(self, call: CallRecord) -> CallRecord:
        """Return the call that the trial has made: this one, or that of a function.

        A function is code of the benchmark, and makes calls of its own. Their `outer` is the
        number of the function's call in the step.
        """
        if call.outer is None:
            return call
        return self.step.trial_step.calls[call.outer]

    def _learn_objection(self, call: CallRecord) -> None:
        """Learn the answer of the pre-call check, if it objects: `{"value": "is not due"}`."""
        if call.result and call.result.get("value"):
            self.evidence_log.record_function_result(
                call.operation, call.arguments, call.result
            )

    def _add_to_evidence(self, call: CallRecord) -> tuple[str, ...]:
        """Add a call to the evidence, and return the notes on the call for the model."""
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
        """Return notes on arguments that do not fit their schema: `search declares that limit ...`.

        Only tools that check their arguments themselves get such calls. Those of other tools
        were refused before.
        """
        declared = self.tool_schema.operation(call.operation)
        if declared is None:
            return ()
        return tuple(argument_notes(declared, call.arguments))
