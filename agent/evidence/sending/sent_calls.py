"""Sends the calls of a trial to its environment, and writes them to the journal.

A resumed trial repeats its recorded calls, whose outcomes are on its *tape*. These calls are
not made again. Each call gets its place in the step when it is sent, and outcomes are
received in the same order. So the journal has the same order in each run, even if calls run
side by side.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.calls.call_learner import CallLearner
from controlplane.agent.evidence.calls.call_under_way import CallUnderWay
from controlplane.agent.evidence.calls.current_step import CurrentStep
from controlplane.agent.evidence.calls.live_calls import LiveCalls
from controlplane.agent.evidence.tape import TapedCalls, TapedJournal
from controlplane.sandbox.interface import CallError, Plain, ToolSchema


@dataclass(frozen=True, slots=True)
class SentCalls:
    """Sends the calls of one trial, and writes them to the journal. Used by one thread at a time.

    1. `send` gives a call a place in the step, announces it, and begins it. If the trial repeats
       a recorded step, which is on its *tape*, nothing is begun: the outcome is there.
    2. `receive`, called once for each sent call, waits for the outcome, writes it to the
       journal, and learns from it.

    `announce` does the same as `send`, but begins nothing. It is for calls of functions, whose
    results do not come from the environment.
    """

    trial_id: str
    tool_schema: ToolSchema
    taped_calls: TapedCalls
    """Looks up the calls whose outcomes are on the tape."""
    live: LiveCalls
    """Makes all other calls in the environment."""
    journal: TapedJournal
    """Writes the events of calls, except those that are on the tape."""
    step: CurrentStep
    """The step that the trial is at, with its calls so far."""
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
        is_recorded = sent.finished is not None
        if not is_recorded:
            sent.begin(self.live, runs_beside_others=runs_beside_others)
        return sent

    def announce(self, call: CallRecord) -> CallUnderWay:
        """Give a call its place in the step, and announce it in the journal.

        If the process ends during the call, the announcement tells the next attempt
        that it may have happened. A plain read needs none: it can be made again.

        If the tape has the outcome, the returned call has it, as `finished`.
        """
        number = self.step.call_count
        recorded = self.taped_calls.recorded(self.step.number, number, call)
        sent = CallUnderWay(number, call, finished=recorded)
        if not self.tool_schema.is_plain_read(call.operation, call.arguments):
            self.journal.write_call(sent.event(call, self.trial_id, self.step.number))
            sent.is_announced = True
        self.step.add_call(call)
        return sent

    def refuse(self, call: CallRecord) -> dict[str, Plain]:
        """Write a call that is not sent to the journal, and raise its error, which `call` has.

        If the tape has the same call with a result, return that result instead.
        """
        number = self.step.call_count
        recorded_or_refused = self.taped_calls.recorded_or_refused(
            self.step.number, number, call
        )
        self.step.add_call(call)
        # There is nothing to wait for: `receive` only writes the outcome.
        return self.receive(CallUnderWay(number, call, finished=recorded_or_refused))

    def receive(
        self, sent: CallUnderWay, *, shown_chars: int | None = None
    ) -> dict[str, Plain]:
        """Wait for a call, write its outcome, and return its result. Raises `CallError`.

        `shown_chars` is the number of characters of the result that the initial prompt
        shows.
        """
        call = sent.outcome()
        if shown_chars is not None:
            call = call.changed(shown_chars=shown_chars)
        self.journal.write_call(sent.event(call, self.trial_id, self.step.number))
        self.step.add_outcome(sent.number, call)
        self.learner.learn(call)
        # The error is created where it is raised. If a variable had it, the error's
        # traceback and this function would refer to each other, and stay in memory.
        if call.error is not None:
            raise CallError(call.error.code, call.error.message)
        return call.result or {}

    def await_end(self, calls: Iterable[CallUnderWay]) -> None:
        """Wait until none of the calls runs any longer, because nobody needs them."""
        for call in calls:
            call.await_end()
        # Calls of the initial prompt may have begun early, before they are needed.
        self.live.await_early_calls()
