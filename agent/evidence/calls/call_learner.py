"""Adds the outcomes of calls to what a trial knows: its evidence, and its origins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.calls.shown_files import ShownFiles
from controlplane.sandbox.interface import CallError, argument_notes

if TYPE_CHECKING:
    from controlplane.agent.evidence.recorder import Recorder


class CallLearner:
    """Learns from the calls of one trial. Created by its `Recorder`.

    The *evidence* says what an answer may cite. The *origins* say which texts have which
    values, so that values in the arguments of later calls can be traced.
    """

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.check_name = recorder.checks.check_name
        """The pre-call check, a function that judges changing calls; empty if there is none."""
        self.shown_files = ShownFiles(recorder.tool_schema)
        """The whole files that the initial prompt has read. The check gets them."""

    def learn(self, call: CallRecord) -> None:
        """Learn from the outcome of a call.

        A refused call and the reads of the pre-call check are not evidence: the model
        does not see what they return.
        """
        if call.state == "not_made":
            return
        if self._is_pre_call_check(call):
            self._learn_objection(call)
            return
        if self._is_read_of_pre_call_check(call):
            return
        if self.check_name:
            # Step 0 prepares the initial prompt.
            is_of_initial_prompt = self.recorder.trace.number == 0
            self.shown_files.learn(call, is_of_initial_prompt=is_of_initial_prompt)
        # The origins come first: they ask the evidence which files the trial wrote before
        # this call.
        self.recorder.call_origins.learn(call)
        self._add_to_evidence(call)
        self._note_arguments(call)

    def _is_pre_call_check(self, call: CallRecord) -> bool:
        """Return True if a call asks the pre-call check about another call."""
        is_of_trial = call.outer is None
        return is_of_trial and self._is_name_of_check(call.operation)

    def _is_read_of_pre_call_check(self, call: CallRecord) -> bool:
        """Return True if the pre-call check made a call while it ran."""
        if call.outer is None:
            return False
        function_call = self.recorder.calls[call.outer]
        return self._is_name_of_check(function_call.operation)

    def _is_name_of_check(self, operation: str) -> bool:
        """Return True if the pre-call check is an operation of this name."""
        return self.check_name != "" and operation == self.check_name

    def _learn_objection(self, call: CallRecord) -> None:
        """Learn the answer of the pre-call check, if it objects: `{"value": "is not due"}`."""
        if call.result and call.result.get("value"):
            self.recorder.evidence_log.record_function_result(
                call.operation, call.arguments, call.result
            )

    def _add_to_evidence(self, call: CallRecord) -> None:
        """Add a call to the evidence, and keep the notes on it for the model."""
        error = None
        if call.error is not None:
            error = CallError(call.error.code, call.error.message)
        self.recorder.notes += self.recorder.evidence_log.record(
            call.operation,
            call.arguments,
            call.result,
            error,
            shown_chars=call.shown_chars,
        )

    def _note_arguments(self, call: CallRecord) -> None:
        """Note which arguments do not fit their schema, if the tool itself validates arguments."""
        declared = self.recorder.tool_schema.operation(call.operation)
        if declared is None:
            return
        for note in argument_notes(declared, call.arguments):
            if note not in self.recorder.notes:
                self.recorder.notes.append(note)
