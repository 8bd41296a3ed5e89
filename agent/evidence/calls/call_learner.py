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
        if self._is_of_check(call):
            self._learn_objection(call)
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

    def _is_of_check(self, call: CallRecord) -> bool:
        """Return True if a call is the pre-call check, or if the check made it."""
        if not self.check_name:
            return False
        operation = call.operation
        if call.outer is not None:
            # A function made the call. `outer` is the number of its own call.
            operation = self.recorder.calls[call.outer].operation
        return operation == self.check_name

    def _learn_objection(self, call: CallRecord) -> None:
        """Learn the objection of the pre-call check."""
        is_check = call.operation == self.check_name
        if is_check and call.result and call.result.get("value"):
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
