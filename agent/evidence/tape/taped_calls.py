"""Returns the recorded outcomes of calls and answers, or makes the calls and sends the
answers.

The tape is the record of an earlier attempt at the trial. There are two uses of it:
- a *resumed* trial follows the tape, and goes on where it ends;
- a *replay* only repeats the tape, without an environment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NoReturn

from controlplane.agent.events import AnswerSent, CallFailure, CallRecord
from controlplane.agent.evidence.environment import LiveCalls
from controlplane.agent.evidence.tape.tape import Tape, entry_at
from controlplane.sandbox.interface import CallError, Plain, error_codes

LOST: Final = "the call was cut off; whether it happened is not known"
OTHER_CALL: Final = "the script made another call than the recorded one"


@dataclass(slots=True)
class TapedCalls:
    """Makes calls in the environment, unless their outcomes are recorded on the tape.

    Created by the trial's `Recorder`.
    """

    tape: Tape
    live: LiveCalls

    def clock(self) -> datetime | None:
        """Return the time that scripts see at the start: recorded, or from the
        environment."""
        if self.tape.record.has_begun:
            return self.tape.start_time
        return self.live.clock()

    def begin_ahead(self, operation: str, arguments: Mapping[str, Plain]) -> None:
        """Begin an initial call early, unless the initial prompt with its calls is
        recorded."""
        if self.tape.record.initial_prompt is None:
            self.live.begin_ahead(operation, arguments)

    def recorded(self, step: int, number: int, call: CallRecord) -> CallRecord | None:
        """Return a call with its recorded outcome; None if the call must be made now.

        `number` is the position of the call in its step. If the tape has another call
        there, or if its step ended before, a replay raises `CallError`, and a resumed
        trial `RecordDiverged`.
        """
        # 1. The tape has no call at this position.
        recorded = entry_at(self.tape.step(step).calls, number)
        if recorded is None:
            if not self.tape.may_go_on(step):
                self._refuse_other_call(step, number, "no further call", call)
            return None

        # 2. It has another call.
        if call.request != recorded.request:
            recorded_text = f"{recorded.operation}({recorded.arguments})"
            self._refuse_other_call(step, number, recorded_text, call)

        # 3. It has this call with its outcome.
        was_cut_off = recorded.state == "under_way"
        if not was_cut_off:
            return recorded

        # 4. It has this call without an outcome, and the call may have happened: it is lost.
        if self.tape.is_replay or self._may_have_happened(call):
            failure = CallFailure(code=error_codes.UNKNOWN, message=LOST)
            return recorded.model_copy(update={"state": "lost", "error": failure})

        # 5. The call had no effect, so it is made again. A function then also makes its own calls
        # again. The record has them after the function's call, so drop all that follow
        # it.
        self.tape.drop_calls_from(step, number + 1)
        return None

    def _may_have_happened(self, call: CallRecord) -> bool:
        """Return True if a call that was cut off may have made a change that still
        exists."""
        if not self.live.tool_schema.may_change(call.operation, call.arguments):
            return False
        # A rebuilt environment has lost the change. But the tools of MCP servers, which
        # have names such as `server.tool`, change things outside of the environment.
        is_tool_of_server = "." in call.operation
        return is_tool_of_server or not self.tape.is_rebuilt

    def _refuse_other_call(
        self, step: int, number: int, recorded_text: str, call: CallRecord
    ) -> NoReturn:
        """Raise `RecordDiverged` in a resumed trial. In a replay, note the difference
        and raise `CallError`."""
        call_text = f"{call.operation}({call.arguments})"
        self.tape.diverge(step, f"calls[{number}]", recorded_text, call_text)
        raise CallError(error_codes.INTERNAL, OTHER_CALL)

    def reads_of_function(self, step: int, number: int) -> Sequence[CallRecord]:
        """Return the recorded calls that a function made. `number` is that of its own
        call."""
        return self.tape.step(step).inner_calls.get(number, [])

    def calls_of_verify(self, step: int, number: int) -> list[CallRecord]:
        """Return the recorded calls of a script's `verify`, from the call `number` on.

        `verify` is a function in a script that checks the script's answer, and may make
        calls.
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

        # A new environment has not received the recorded answer. So at the end of the
        # trial it is sent again, as a *late* answer, whatever is recorded.
        recorded = None
        if not event.late:
            recorded = entry_at(self.tape.step(event.step).answers, number)
        if recorded is None:
            self.live.answer(event.message, event.outcome, event.refs)
            return True

        # "Already exists" means that an earlier attempt had sent the answer, so it was
        # accepted.
        error = recorded.error
        if error is not None and error.code != error_codes.ALREADY_EXISTS:
            raise CallError(error.code, error.message)
        return False
