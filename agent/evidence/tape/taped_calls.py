"""Returns the recorded outcomes of calls and answers, or makes the calls and sends the answers.

The *tape* has the recorded steps of a trial. A *resumed* trial repeats them, and goes on
where they end. A *replay* only repeats them, without an environment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NoReturn

from controlplane.agent.events import AnswerDone, AnswerSent, CallFailure, CallRecord
from controlplane.agent.evidence.calls.call_under_way import CallUnderWay
from controlplane.agent.evidence.calls.live_calls import LiveCalls
from controlplane.agent.evidence.tape.tape import Tape, entry_at
from controlplane.agent.record.step_calls import calls_by_function
from controlplane.sandbox.interface import CallError, Plain, error_codes

LOST: Final = "the call was cut off; whether it happened is not known"
"""The error of a call during which the process ended."""
OTHER_CALL: Final = "the script made another call than the recorded one"
"""The error of a call in a replay that differs from the recorded call."""


@dataclass(slots=True)
class TapedCalls:
    """Makes calls in the environment, unless their outcomes are recorded on the tape.

    The tape has the steps that an earlier attempt recorded. A resumed trial repeats them
    and goes on. A replay only repeats them. Created by the trial's `Recorder`.
    """

    tape: Tape
    live: LiveCalls

    def clock(self) -> datetime | None:
        """Return the time that scripts see at the start: recorded, or from the environment."""
        if self.tape.record.has_begun:
            return self.tape.start_time
        return self.live.clock()

    def begin_ahead(self, operation: str, arguments: Mapping[str, Plain]) -> None:
        """Begin an initial call early, unless the initial prompt with its calls is recorded."""
        if self.tape.record.initial_prompt is None:
            self.live.begin_ahead(operation, arguments)

    def await_ahead(self) -> None:
        """Wait for calls that `begin_ahead` started and no step took, because the trial ends."""
        self.live.await_ahead()

    def is_plain_read(self, call: CallRecord) -> bool:
        """Return True if a call only reads, so that it can be made again at any time."""
        return self.live.tool_schema.is_plain_read(call.operation, call.arguments)

    def begin(self, sent: CallUnderWay, *, runs_beside_others: bool) -> None:
        """Begin a call that has no recorded outcome, as `LiveCalls.begin` does."""
        sent.wait = self.live.begin(sent.call, runs_beside_others=runs_beside_others)
        reads_side_by_side = self.live.tool_schema.reads_side_by_side
        sent.is_running = runs_beside_others and reads_side_by_side

    def recorded(self, step: int, number: int, call: CallRecord) -> CallRecord | None:
        """Return a call with its recorded outcome; None if it must be made now.

        `number` is its position in the step. If the tape has another call there,
        or if its step ended before, a replay raises `CallError`, and a resumed
        trial `RecordDiverged`.
        """
        recorded = entry_at(self.tape.step(step).calls, number)
        if recorded is None:
            # Only a step that was cut off may go on after its recorded calls.
            if not self.tape.may_go_on(step):
                self._diverge(step, number, "no further call", call)
            return None
        if call.request != recorded.request:
            self._diverge(step, number, _text_of(recorded), call)

        # The process ended during the call, so its outcome is not recorded.
        was_cut_off = recorded.state == "under_way"
        if not was_cut_off:
            return recorded
        if self.tape.is_replay or self._may_have_changed(call):
            failure = CallFailure(code=error_codes.UNKNOWN, message=LOST)
            return recorded.model_copy(update={"state": "lost", "error": failure})
        # If the call runs a function, the function makes its own calls again. They follow
        # on the tape.
        self.tape.drop_calls_from(step, number + 1)
        return None

    def _may_have_changed(self, call: CallRecord) -> bool:
        """Return True if a call that was cut off may have made a change that still exists."""
        if not self.live.tool_schema.may_change(call.operation, call.arguments):
            return False
        # A rebuilt environment has lost the change. But the tools of MCP servers, which
        # have names such as `server.tool`, change things outside of the environment.
        is_tool_of_server = "." in call.operation
        return is_tool_of_server or not self.tape.is_rebuilt

    def _diverge(
        self, step: int, number: int, recorded_text: str, call: CallRecord
    ) -> NoReturn:
        """Raise `RecordDiverged` in a resumed trial.

        In a replay, note the difference and raise `CallError`.
        """
        self.tape.diverge(step, f"calls[{number}]", recorded_text, _text_of(call))
        raise CallError(error_codes.INTERNAL, OTHER_CALL)

    def refused(self, step: int, number: int, refused_call: CallRecord) -> CallRecord:
        """Return the recorded call at this position; the refused one if none is recorded."""
        recorded = self.recorded(step, number, refused_call)
        return refused_call if recorded is None else recorded

    def reads_of_function(self, step: int, number: int) -> Sequence[CallRecord]:
        """Return the recorded calls that a function made. `number` is that of its own call."""
        return calls_by_function(self.tape.step(step).calls).get(number, [])

    def calls_of_verify(self, step: int, number: int) -> list[CallRecord]:
        """Return the recorded calls of a script's `verify`, from the call `number` on.

        `verify` is a function in a script that checks
        the script's answer, and may make calls.
        """
        calls: list[CallRecord] = []
        for call in self.tape.step(step).calls[number:]:
            if not call.in_verify:
                break
            calls.append(call)
        return calls

    def answer(self, event: AnswerSent, number: int) -> bool:
        """Send an answer to the environment, unless its outcome is recorded.

        Return True if the answer was sent now. `number` is the position of the answer
        in its step. Raises `CallError` if the answer is not accepted.
        """
        if self.tape.is_replay:
            return False
        recorded = self._recorded_answer(event, number)
        if recorded is None:
            self.live.answer(event.message, event.outcome, event.refs)
            return True

        error = recorded.error
        # "Already exists" means that an earlier attempt had sent it.
        if error is not None and error.code != error_codes.ALREADY_EXISTS:
            raise CallError(error.code, error.message)
        return False

    def _recorded_answer(self, event: AnswerSent, number: int) -> AnswerDone | None:
        """Return the recorded outcome of an answer; None if it must be sent now.

        A late answer is sent at the end of a trial, to a new environment, which has not
        received the recorded one.
        """
        if event.late:
            return None
        return entry_at(self.tape.step(event.step).answers, number)


def _text_of(call: CallRecord) -> str:
    """Return a call as messages show it: `read({'path': '/a.md'})`."""
    return f"{call.operation}({call.arguments})"
