"""Looks up the recorded outcome of a call, so that the call is not made again.

The *tape* has the recorded steps of a trial, and is used in two ways. A *resumed* trial,
whose process was killed, repeats the steps, and goes on where they end. If the third call
of step 2 wrote a file, it is recorded, and the file is not written twice. A *replay*
repeats a recorded trial to compare the two, without an environment.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.agent.events import CallFailure, CallRecord
from controlplane.agent.evidence.tape.tape import Tape, entry_at
from controlplane.sandbox.interface import CallError, ToolSchema, error_codes

LOST: Final = "the call was cut off; whether it happened is not known"
"""The error of a call during which the process ended."""
OTHER_CALL: Final = "the script made another call than the recorded one"
"""The error of a call in a replay that differs from the recorded call."""
NO_CALL: Final = "no further call"
"""What a message says in place of the recorded call if there is none."""


@dataclass(frozen=True, slots=True)
class TapedCalls:
    """The recorded calls of the steps that one trial repeats.

    A *resumed* trial, whose process was killed, repeats its recorded steps, and then goes on. A
    *replay* only repeats them. If the third call of step 2 has written a file, its outcome is
    recorded, so the file is not written twice.
    """

    tape: Tape
    """The recorded steps. Empty in a new trial."""
    tool_schema: ToolSchema
    """The declared operations, which say if a call may change something."""

    def recorded(self, step: int, number: int, call: CallRecord) -> CallRecord | None:
        """Return a call with its recorded outcome; None if it must be made now.

        If the call is not the recorded one, the trial has departed from its record: a
        resumed trial ends with `RecordDiverged`. In a replay the call fails with `CallError`.
        """
        recorded = entry_at(self.tape.step(step).calls, number)

        # 1. The step is new, or was cut off before this call.
        if recorded is None and self.tape.may_go_on(step):
            return None

        # 2. The same call is recorded. Its outcome is not, if the process ended during it.
        if recorded is not None and recorded.request == call.request:
            if recorded.state == "under_way":
                return self._lost_call(step, number, recorded)
            return recorded

        # 3. The trial has departed from its record. Only a replay goes on, and its call fails.
        recorded_text = NO_CALL if recorded is None else _text_of(recorded)
        self.tape.comparison.raise_unless_replay(
            step, f"calls[{number}]", recorded_text, _text_of(call)
        )
        raise CallError(error_codes.INTERNAL, OTHER_CALL)

    def _lost_call(
        self, step: int, number: int, recorded: CallRecord
    ) -> CallRecord | None:
        """Return a call with the error that it is lost, or None to make it again.

        The process ended during the call, so its outcome is not recorded. It is only made again
        if that cannot change something twice, and never in a replay, which has no environment.
        """
        if self.tape.is_replay or self._may_have_changed(recorded):
            failure = CallFailure(code=error_codes.UNKNOWN, message=LOST)
            return recorded.model_copy(update={"state": "lost", "error": failure})
        # Further calls of the step were made by the function that this call runs. They are
        # made again with it.
        self.tape.drop_calls_from(step, number + 1)
        return None

    def _may_have_changed(self, call: CallRecord) -> bool:
        """Return True if a call that was cut off may have made a change that still exists."""
        if not self.tool_schema.may_change(call.operation, call.arguments):
            return False
        # A rebuilt environment has lost the change. But the tools of MCP servers change things
        # outside of the environment.
        return call.is_of_mcp_server or not self.tape.is_rebuilt


def _text_of(call: CallRecord) -> str:
    """Return a call as messages show it: `read({'path': '/a.md'})`."""
    return f"{call.operation}({call.arguments})"
