"""Returns the recorded outcomes of calls, or makes the calls.

The *tape* has the recorded steps of a trial, and is used in two ways. A *resumed* trial,
whose process was killed, repeats the steps, and goes on where they end. If the third
call of step 2 is recorded, it gets this result, and no file is written twice. A
*replay* compares a recorded trial with itself, without an environment.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NoReturn

from controlplane.agent.events import CallFailure, CallRecord
from controlplane.agent.evidence.calls.call_under_way import CallUnderWay
from controlplane.agent.evidence.calls.live_calls import LiveCalls
from controlplane.agent.evidence.tape.tape import Tape, entry_at
from controlplane.sandbox.interface import CallError, error_codes

LOST: Final = "the call was cut off; whether it happened is not known"
"""The error of a call during which the process ended."""
OTHER_CALL: Final = "the script made another call than the recorded one"
"""The error of a call in a replay that differs from the recorded call."""


@dataclass(frozen=True, slots=True)
class TapedCalls:
    """Makes calls in the environment, unless their outcomes are recorded on the tape.

    A *resumed* trial repeats its recorded steps, and then goes on. A *replay* only repeats
    them. A call is found on the tape by its step, and its number in the step. `recorded`
    looks it up. If it returns None, `begin` makes the call.
    """

    tape: Tape
    """The recorded steps. Empty in a new trial."""
    live: LiveCalls
    """Makes calls in the environment."""

    def begin(self, sent: CallUnderWay, *, runs_beside_others: bool) -> None:
        """Begin a call that has no recorded outcome, and give it a way to wait for it.

        With `runs_beside_others` it starts now, if the environment allows several reads at
        a time. Otherwise it is made when `sent.wait` is called.
        """
        sent.wait = self.live.begin(sent.call, runs_beside_others=runs_beside_others)
        allows_several_reads = self.live.tool_schema.reads_side_by_side
        sent.is_running = runs_beside_others and allows_several_reads

    def recorded(self, step: int, number: int, call: CallRecord) -> CallRecord | None:
        """Return a call with its recorded outcome; None if it must be made now.

        The tape may have another call there, or its step may have ended before. Then the
        trial does not go as recorded: a resumed trial raises `RecordDiverged`, and a
        replay `CallError`.
        """
        # 1. Look up the call, and compare it.
        recorded = entry_at(self.tape.step(step).calls, number)
        if recorded is None:
            # A new step, or one that was cut off, may go on after its recorded calls.
            if not self.tape.may_go_on(step):
                self._raise_other_call(step, number, "no further call", call)
            return None
        if call.request != recorded.request:
            self._raise_other_call(step, number, _text_of(recorded), call)

        was_cut_off = recorded.state == "under_way"
        if not was_cut_off:
            return recorded

        # 2. The process ended during the call, so its outcome is not recorded.
        if self.tape.is_replay or self._may_have_changed(call):
            failure = CallFailure(code=error_codes.UNKNOWN, message=LOST)
            return recorded.model_copy(update={"state": "lost", "error": failure})
        # If the call runs a function, the function makes its own calls again. They follow
        # on the tape.
        self.tape.drop_calls_from(step, number + 1)
        return None

    def refused(self, step: int, number: int, refused_call: CallRecord) -> CallRecord:
        """Return the recorded call in place of one that was refused before it was sent.

        If none is recorded there, return the refused call itself.
        """
        recorded = self.recorded(step, number, refused_call)
        return refused_call if recorded is None else recorded

    def _may_have_changed(self, call: CallRecord) -> bool:
        """Return True if a call that was cut off may have made a change that still exists.

        Making it again could then change something twice.
        """
        if not self.live.tool_schema.may_change(call.operation, call.arguments):
            return False
        # A rebuilt environment has lost the change. But the tools of MCP servers, which
        # have names such as `server.tool`, change things outside of the environment.
        is_tool_of_server = "." in call.operation
        return is_tool_of_server or not self.tape.is_rebuilt

    def _raise_other_call(
        self, step: int, number: int, recorded_text: str, call: CallRecord
    ) -> NoReturn:
        """Report that a call is not the recorded one. Raises an error in every case.

        `raise_or_note` raises `RecordDiverged` in a resumed trial. In a replay it only
        notes the difference, and the call fails with a `CallError`.
        """
        self.tape.comparison.raise_or_note(
            step, f"calls[{number}]", recorded_text, _text_of(call)
        )
        raise CallError(error_codes.INTERNAL, OTHER_CALL)


def _text_of(call: CallRecord) -> str:
    """Return a call as messages show it: `read({'path': '/a.md'})`."""
    return f"{call.operation}({call.arguments})"
