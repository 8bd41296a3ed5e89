"""Sends the calls of a trial to its environment, and records their outcomes.

Each call gets its place in the step when it is sent, and outcomes are received in the
same order. So the record is the same in each run, even if calls run side by side.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.calls.call_learner import CallLearner
from controlplane.agent.evidence.calls.call_under_way import CallUnderWay
from controlplane.agent.evidence.calls.current_step import CurrentStep
from controlplane.agent.evidence.tape import TapedCalls, TapedJournal
from controlplane.sandbox.interface import CallError, Plain, ToolSchema


@dataclass(frozen=True, slots=True)
class SentCalls:
    """Sends and records the calls of one trial. Used by one thread at a time."""

    trial_id: str
    tool_schema: ToolSchema
    calls_made: TapedCalls
    journal: TapedJournal
    step: CurrentStep
    learner: CallLearner
    """Learns from the outcome of each call."""

    def send(
        self, call: CallRecord, *, runs_beside_others: bool = False
    ) -> CallUnderWay:
        """Send a call to the environment. `receive` waits for its outcome.

        With `runs_beside_others`, which is only for calls that read, the call starts at
        once if the environment allows several calls at a time. Otherwise it starts when
        its outcome is wanted.

        Raises `CallError` if this is a replay, and the call differs from the recorded one.
        """
        sent = self.announce(call)
        if sent.finished is None:  # No outcome is recorded, so the call is made now.
            self.calls_made.begin(sent, runs_beside_others=runs_beside_others)
        return sent

    def announce(self, call: CallRecord) -> CallUnderWay:
        """Give a call its place in the step, and announce it in the journal.

        If the process ends during the call, the announcement tells the next attempt
        that it may have happened. A plain read needs none: it can be made again.
        """
        number = self.step.call_count
        # The same call with its outcome, if the tape has it. It is then not made again.
        recorded = self.calls_made.recorded(self.step.number, number, call)
        sent = CallUnderWay(number, call, finished=recorded)
        if not self.tool_schema.is_plain_read(call.operation, call.arguments):
            self.journal.call(sent.event(call, self.trial_id, self.step.number))
            sent.is_announced = True
        self.step.add_call(call)
        return sent

    def refuse(self, call: CallRecord) -> dict[str, Plain]:
        """Record a call that is not sent, and raise its error (see `TrialCalls.refuse`)."""
        number = self.step.call_count
        outcome = self.calls_made.refused(self.step.number, number, call)
        self.step.add_call(call)
        return self.receive(CallUnderWay(number, call, finished=outcome))

    def receive(
        self, sent: CallUnderWay, *, shown_chars: int | None = None
    ) -> dict[str, Plain]:
        """Wait for a call, record its outcome, and return its result. Raises `CallError`.

        `shown_chars` is the number of characters of the result that the initial prompt
        shows.
        """
        call = sent.outcome()
        if shown_chars is not None:
            call = call.changed(shown_chars=shown_chars)
        self.journal.call(sent.event(call, self.trial_id, self.step.number))
        self.step.add_outcome(sent.number, call)
        self.learner.learn(call)
        # No variable has the error: its traceback would keep all variables in memory.
        if call.error is not None:
            raise CallError(call.error.code, call.error.message)
        return call.result or {}

    def await_end(self, calls: Iterable[CallUnderWay]) -> None:
        """Wait until no call runs any longer, because the trial's work has ended."""
        for call in calls:
            call.await_end()
        # Calls of the initial prompt may have begun early, before they are needed.
        self.calls_made.live.await_ahead()
