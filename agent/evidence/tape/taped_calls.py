"""Looks up the recorded outcome of a call, so that the call is not made again.

The *tape* has the recorded steps of a trial, and is used in two ways. A *resumed* trial,
whose process was killed, repeats the steps, and goes on where they end. A *replay* repeats a
recorded trial to compare the two, without an environment. Example: step 2 is recorded with

    0  read("/a.md")             result: fee 7
    1  write("/b.md", "fee 7")   cut off: the process was killed during the call

The first call of step 2 gets this result. The second is *lost*: it fails, because it may have
happened, and the file must not be written twice. The third call is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.agent.events import CallFailure, CallRecord
from controlplane.agent.evidence.calls.step_log import StepLog
from controlplane.agent.evidence.tape.tape import NextEnvironment, Tape, entry_at
from controlplane.agent.record.inner_calls import calls_by_function
from controlplane.sandbox.interface import CallError, ToolSchema, error_codes

LOST: Final = "the call was cut off; whether it happened is not known"
"""The error of a call during which the process ended."""
OTHER_CALL: Final = "the script made another call than the recorded one"
"""The error of a call in a replay that differs from the recorded call."""
NO_CALL: Final = "no further call"
"""What a message says in place of the recorded call if there is none."""


@dataclass(frozen=True, slots=True)
class TapedCalls:
    """The recorded calls of the step that one trial is at."""

    tape: Tape
    """The recorded steps. Empty in a new trial."""
    step: StepLog
    """The step that the trial is at, with its calls so far."""
    tool_schema: ToolSchema
    """The declared operations, which say if a call may change something."""

    def recorded(self, call: CallRecord) -> CallRecord | None:
        """Return the next call of the step with its recorded outcome; None to make it now.

        | the tape has, at this place of the step | returned |
        |---|---|
        | nothing: the step is new, or was cut off before | None |
        | the same call, with its outcome | the recorded call |
        | the same call, cut off, which may be made again | None |
        | the same call, cut off, which may not | the call, with the error that it is lost |

        If the tape has another call, a resumed trial ends with `RecordDiverged`. A replay goes
        on, and the call fails with `CallError`.
        """
        step = self.step.number
        number = self.step.call_count  # After two calls, the third is the next.
        recorded = entry_at(self.tape.step(step).calls, number)
        if recorded is None and self.tape.may_go_on(step):
            return None
        if recorded is None or recorded.request != call.request:
            self._note_other_call(recorded, call)
            raise CallError(error_codes.INTERNAL, OTHER_CALL)
        if recorded.state != "under_way":
            return recorded
        if not self._may_be_made_again(recorded):
            return _lost_call(recorded)
        # If the call runs a function, the function made the next calls of the step. They are
        # made again with it.
        self.tape.drop_calls_from(step, number + 1)
        return None

    def recorded_or_refused(self, refused: CallRecord) -> CallRecord:
        """Return the recorded call in place of one that is refused now, before it is sent.

        If none is recorded there, return the refused call itself.
        """
        recorded = self.recorded(refused)
        return refused if recorded is None else recorded

    def _note_other_call(self, recorded: CallRecord | None, call: CallRecord) -> None:
        """Note in a replay that a call is not the recorded one; None if none is recorded.

        In a resumed trial, raises `RecordDiverged` instead.
        """
        self.tape.comparison.note_or_raise(
            self.step.number,
            f"calls[{self.step.call_count}]",
            NO_CALL if recorded is None else _text_of(recorded),
            _text_of(call),
        )

    def _may_be_made_again(self, call: CallRecord) -> bool:
        """Return True if a call that was cut off may be made again.

        It may not if it could change something twice, or in a replay, which has no environment.
        """
        if self.tape.is_replay:
            return False
        if not self.tool_schema.may_change(call.operation, call.arguments):
            return True
        if call.is_of_mcp_server:
            return False  # What it may have changed is outside of the environment.
        # A rebuilt environment has lost the change, if there was one.
        return self.tape.next_environment is NextEnvironment.REBUILT

    def reads_of_function(self, number: int) -> Sequence[CallRecord]:
        """Return the recorded calls that a function made, because it does not run again.

        `number` is the position of the function's own call in the step.
        """
        recorded = self.tape.step(self.step.number)
        return calls_by_function(recorded.calls).get(number, [])


def _lost_call(call: CallRecord) -> CallRecord:
    """Return a call that was cut off with the error that its outcome is not known."""
    failure = CallFailure(code=error_codes.UNKNOWN, message=LOST)
    return call.model_copy(update={"state": "lost", "error": failure})


def _text_of(call: CallRecord) -> str:
    """Return a call as messages show it: `read({'path': '/a.md'})`."""
    return f"{call.operation}({call.arguments})"
