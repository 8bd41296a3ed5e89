"""Records the calls of a trial: in its current step, and in the journal.

A call is recorded twice: when it is sent, and when it has an outcome. It gets its number in the
step when it is sent, so that the order does not depend on which call returns first:

    place(write)              number 1  write("/b.md", ...)   under way
    record(placed, outcome)   number 1  write("/b.md", ...)   made, with its result

If the process of the trial was killed, the next one repeats the recorded steps. Of a recorded
call, `place` also returns the outcome, so that it need not be sent again.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.calls.call_learner import CallLearner
from controlplane.agent.evidence.calls.placed_call import PlacedCall
from controlplane.agent.evidence.calls.step_log import StepLog
from controlplane.agent.evidence.tape import TapedCallEvents, TapedCalls
from controlplane.sandbox.interface import CallError, Plain, ToolSchema


@dataclass(frozen=True, slots=True)
class CallRecorder:
    """Records the calls of one trial. First `place` each call, and later `record` its outcome."""

    tool_schema: ToolSchema
    """The declared operations, which say if a call only reads."""
    step: StepLog
    """The step that the trial is at, with its calls so far."""
    taped_calls: TapedCalls
    """Has the recorded outcomes of calls."""
    events: TapedCallEvents
    """Writes the events of calls to the journal, except those that are recorded."""
    learner: CallLearner
    """Learns from the outcome of each call, such as which files an answer may cite."""

    def place(self, call: CallRecord) -> PlacedCall:
        """Give a call its number in the step. If it is recorded, return it with its outcome.

        Raises `CallError` if a recorded trial is replayed, and has another call here.
        """
        known_outcome = self.taped_calls.take(call)
        number = self.step.call_count
        # If the process is killed during a call that may change something, the next process has
        # to know that it may have happened. A plain read can be made again.
        is_read = self.tool_schema.is_plain_read(call.operation, call.arguments)
        if not is_read:
            self.events.write(call, number, was_announced=False)
        self.step.add_call(call)
        return PlacedCall(
            number=number,
            call=call,
            is_announced=not is_read,
            known_outcome=known_outcome,
        )

    def record(self, placed: PlacedCall, outcome: CallRecord) -> dict[str, Plain]:
        """Record the outcome of a call, learn from it, and return the result.

        `outcome` is the call with its result or its error. Raises `CallError` if it has failed.
        """
        self.events.write(outcome, placed.number, was_announced=placed.is_announced)
        self.step.add_outcome(placed.number, outcome)
        self.learner.learn(outcome)
        if outcome.error is not None:
            # The error is raised at once, as a variable with its traceback would be a cycle.
            raise CallError(outcome.error.code, outcome.error.message)
        return outcome.result or {}
