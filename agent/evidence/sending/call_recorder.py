"""Records the calls of a trial: in its current step, and in the journal.

A call is recorded twice: when it is sent, and when it has an outcome. It gets its place in the
step when it is sent, so the order does not depend on which call returns first:

    place(write)              number 1  write("/b.md", ...)   under way
    record(placed, outcome)   number 1  write("/b.md", ...)   made, with its result

A trial that goes on after its process was killed repeats its recorded steps, the *tape*. What is
on the tape is not written again.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import CallEvent, CallRecord
from controlplane.agent.evidence.calls.call_learner import CallLearner
from controlplane.agent.evidence.calls.placed_call import PlacedCall
from controlplane.agent.evidence.calls.step_log import StepLog
from controlplane.agent.evidence.tape import TapedCalls, TapedJournal
from controlplane.sandbox.interface import CallError, Plain, ToolSchema


@dataclass(frozen=True, slots=True)
class CallRecorder:
    """Records the calls of one trial. First `place` each call, and later `record` its outcome."""

    trial_id: str
    tool_schema: ToolSchema
    """The declared operations, which say if a call only reads."""
    step: StepLog
    """The step that the trial is at, with its calls so far."""
    taped_calls: TapedCalls
    """Looks up the outcomes of calls on the tape."""
    journal: TapedJournal
    """Writes the events of calls, except those that are on the tape."""
    learner: CallLearner
    """Learns from the outcome of each call, such as which files an answer may cite."""

    def place(self, call: CallRecord) -> PlacedCall:
        """Give a call its place in the step. If it is on the tape, return it with its outcome.

        A call that may change something is also announced in the journal. If the process ends
        during it, the next attempt knows that it may have happened.

        Raises `CallError` in a replay if the tape has another call here.
        """
        known_outcome = self.taped_calls.recorded(call)
        # A plain read can be made again, so it needs no announcement.
        is_plain_read = self.tool_schema.is_plain_read(call.operation, call.arguments)
        placed = PlacedCall(
            number=self.step.call_count,
            call=call,
            is_announced=not is_plain_read,
            known_outcome=known_outcome,
        )
        if placed.is_announced:
            self._write(call, placed.number, was_announced=False)
        self.step.add_call(call)
        return placed

    def record(self, placed: PlacedCall, outcome: CallRecord) -> dict[str, Plain]:
        """Record the outcome of a call, learn from it, and return the result.

        `outcome` is the call with its result or its error. Raises `CallError` if the call
        has failed.
        """
        self._write(outcome, placed.number, was_announced=placed.is_announced)
        self.step.add_outcome(placed.number, outcome)
        self.learner.learn(outcome)
        if outcome.error is not None:
            # No variable has the error: with its traceback, it would make a reference cycle.
            raise CallError(outcome.error.code, outcome.error.message)
        return outcome.result or {}

    def record_refused(self, refused: CallRecord) -> dict[str, Plain]:
        """Record a call that is refused before it is sent, and raise its error as `CallError`.

        If the step is on the tape, what happened then counts: a call that was sent then, and
        is refused only now, has its result from the tape.
        """
        outcome = self.taped_calls.recorded_or_refused(refused)
        placed = PlacedCall(self.step.call_count, refused)
        self.step.add_call(refused)
        return self.record(placed, outcome)

    def _write(self, call: CallRecord, number: int, *, was_announced: bool) -> None:
        """Write a call to the journal: its announcement, or later the call with its outcome."""
        event = CallEvent.of(
            call,
            trial_id=self.trial_id,
            step=self.step.number,
            number=number,
            was_announced=was_announced,
        )
        self.journal.write_call(event)
