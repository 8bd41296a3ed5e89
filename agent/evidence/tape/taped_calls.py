"""Looks up the recorded outcomes of calls, so that no call is made twice.

If the process of a trial was killed, the next one repeats its recorded steps, the *tape*:

    step 2, call 0  read("/a.md")             result: fee 7
    step 2, call 1  write("/b.md", "fee 7")   the process was killed during this call

The first call of step 2 gets this result. The second one is *lost*: it fails, because the file
may have been written already. The third call is made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.agent.events import CallFailure, CallRecord
from controlplane.agent.evidence.calls.step_log import StepLog
from controlplane.agent.evidence.tape.tape import Tape
from controlplane.agent.evidence.tape.taped_steps import entry_at
from controlplane.sandbox.interface import CallError, ToolSchema, error_codes

LOST: Final = "the call was cut off; whether it happened is not known"
"""The error of a call during which the process ended."""
OTHER_CALL: Final = "the script made another call than the recorded one"
"""The error of a call in a replay that differs from the recorded call."""


@dataclass(frozen=True, slots=True)
class TapedCalls:
    """The recorded calls of one trial, which are taken from the tape in order."""

    tape: Tape
    """The recorded steps. Empty in a new trial."""
    step: StepLog
    """The step that the trial is at. After two calls, the third one on the tape is next."""
    tool_schema: ToolSchema
    """The declared operations, which say if a call may change something."""

    def take(self, call: CallRecord) -> CallRecord | None:
        """Take the next call of the step from the tape, if it is there; None to make it now.

        | next on the tape | what happens |
        |---|---|
        | nothing, as the step is new, or was cut off here | None is returned |
        | another call, or nothing in a complete step | the trial ends; a replay: `CallError` |
        | this call, with its outcome | the recorded call is returned |
        | this call without an outcome, and it may be made again | None is returned |
        | this call without an outcome, and it may not | it is returned as lost |
        """
        step, number = self.step.number, self.step.call_count
        recorded = entry_at(self.tape.steps[step].calls, number)
        if recorded is None and not self.tape.steps.is_complete(step):
            return None
        if recorded is None or recorded.request != call.request:
            # A resumed trial ends here with `RecordDiverged`.
            self.tape.comparison.note_or_raise(
                step, f"calls[{number}]", _text_of(recorded), _text_of(call)
            )
            raise CallError(error_codes.INTERNAL, OTHER_CALL)
        if recorded.state != "under_way":
            return recorded
        if self.tape.may_repeat(recorded, self.tool_schema):
            # A function may have made calls before the process was killed. It makes them anew.
            self.tape.steps.drop_calls_from(step, number + 1)
            return None
        failure = CallFailure(code=error_codes.UNKNOWN, message=LOST)
        return recorded.model_copy(update={"state": "lost", "error": failure})


def _text_of(call: CallRecord | None) -> str:
    """Return a call as messages show it: `read({'path': '/a.md'})`."""
    return "no further call" if call is None else f"{call.operation}({call.arguments})"
