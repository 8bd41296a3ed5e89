"""Finds the recorded outcomes of calls, so that no call is made twice.

If the process of a trial was killed, the next one *resumes* the trial: it runs the same scripts
again, and takes the outcomes of their calls from the record of the steps, the *tape*:

    the tape has                                       the same call now
    read("/a.md")             result: fee 7            gets this result
    write("/b.md", "fee 7")   under way: the process   is *lost*: it fails, because the file may
                              was killed then          have been written already
    nothing more                                       is made

A *replay* runs the scripts of a finished trial again, to compare them. It makes no calls.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from controlplane.agent.events import CallFailure, CallRecord
from controlplane.agent.evidence.tape.tape_reader import TapeReader
from controlplane.agent.record.step_calls import StepCalls
from controlplane.sandbox.interface import CallError, ToolSchema, error_codes

LOST: Final = "the call was cut off; whether it happened is not known"
"""The error of a call during which the process ended."""
OTHER_CALL: Final = "the script made another call than the recorded one"
"""The error of a call in a replay that differs from the recorded call."""


@dataclass(frozen=True, slots=True)
class RecordedCalls:
    """The recorded calls of one trial, which are taken from the tape in order."""

    reader: TapeReader
    tool_schema: ToolSchema
    """The declared operations, which say if a call may change something."""

    def take(self, call: CallRecord) -> CallRecord | None:
        """Return the next call of the step with its recorded outcome; None to make it now.

        If another call is recorded, the reader raises `RecordDiverged`. In a replay, it only notes
        the difference, and this raises `CallError`.
        """
        recorded = self.reader.take(call)
        if recorded is None:
            return None
        # The reader of a replay returns a call that is not on the tape as it is.
        is_other_call = recorded is call
        if is_other_call:
            raise CallError(error_codes.INTERNAL, OTHER_CALL)
        if recorded.state != "under_way":
            return recorded

        # The process was killed during this call.
        if self.reader.tape.may_repeat(recorded, self.tool_schema):
            self._drop_calls_after()
            return None
        failure = CallFailure(code=error_codes.UNKNOWN, message=LOST)
        return recorded.model_copy(update={"state": "lost", "error": failure})

    def asked_for_by(self, function_number: int) -> list[CallRecord]:
        """Return the recorded calls that a function of the benchmark, the call of this number, made."""
        recorded_calls = self.reader.recorded_step.calls
        return [call for call in recorded_calls if call.outer == function_number]

    def _drop_calls_after(self) -> None:
        """Drop the recorded calls after the cut-off one. This one is made again, and they, too."""
        recorded_step = self.reader.recorded_step
        number_of_cut_off = self.reader.step_log.call_count  # the next call of the step
        kept = recorded_step.calls[: number_of_cut_off + 1]
        self.reader.tape.steps[recorded_step.number] = replace(
            recorded_step, step_calls=StepCalls(kept)
        )
