"""Adds the calls of a trial to its current step, and to the journal.

If the process is killed while a call deletes a file, the next one has to know that the file may be
gone. So a call that may change something is *announced*, that is, written before it is made, and
written again with its outcome:

    add_call(delete)             number 1  delete("/b.md")   under way
    add_outcome(1, outcome)      number 1  delete("/b.md")   made, with its result

A call that only reads is written once, with its outcome: the next process may make it again.
"""

from __future__ import annotations

from controlplane.agent.events import CallRecord, Emit
from controlplane.agent.evidence.calls.call_learner import CallLearner
from controlplane.agent.evidence.calls.numbered_call import NumberedCall
from controlplane.agent.evidence.tape import TapeReader
from controlplane.agent.evidence.tape.call_events import CallEvents
from controlplane.agent.evidence.tape.recorded_calls import RecordedCalls
from controlplane.sandbox.interface import CallError, Plain


class CallJournal:
    """Adds the calls of one trial. First `add_call`, and later `add_outcome` for the same call."""

    def __init__(
        self, trial_id: str, reader: TapeReader, emit: Emit, learner: CallLearner
    ) -> None:
        self.recorded_calls = RecordedCalls(reader, learner.tool_schema)
        """Has the calls that an earlier process of the trial has recorded, with their outcomes."""
        self._events = CallEvents(trial_id, reader, emit)
        """Writes the events of calls to the journal, except those that are recorded."""
        self._step = learner.step
        """The current step of the trial, with its calls so far."""
        self._learner = learner
        """Learns from the outcome of each call, such as which files an answer may cite."""

    def add_call(self, call: CallRecord) -> NumberedCall:
        """Add a call to the step, and return it with its number, and its outcome if it is recorded.

        Raises `CallError` if a recorded trial is replayed, and has another call here.
        """
        recorded_outcome = self.recorded_calls.take(call)
        is_announced = self._may_change(call)
        if is_announced:
            self._events.write_call(call, self._step.call_count)
        number = self._step.add_call(call)
        return NumberedCall(
            number=number,
            call=call,
            was_announced=is_announced,
            recorded_outcome=recorded_outcome,
        )

    def add_outcome(
        self, numbered: NumberedCall, outcome: CallRecord
    ) -> dict[str, Plain]:
        """Add `outcome`, the call with its result or error; return the one, or raise the other."""
        self._events.write_outcome(numbered, outcome)
        self._step.add_outcome(numbered.number, outcome)
        self._learner.learn(outcome)
        if outcome.error is not None:
            # It is not kept in a variable: by its traceback, the error refers to this frame, and
            # the frame would refer to the error, so that neither is freed at once.
            raise CallError(outcome.error.code, outcome.error.message)
        return outcome.result or {}

    def _may_change(self, call: CallRecord) -> bool:
        """Return True unless a call only reads, or is refused before it is sent."""
        if call.state == "not_made":
            return False
        tool_schema = self._learner.tool_schema
        return not tool_schema.is_plain_read(call.operation, call.arguments)
