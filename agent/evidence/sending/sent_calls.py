"""Sends the calls of a trial to its environment, and writes them to the journal.

Each call gets its place in the step when it is sent, and outcomes are received in the same order.
So the journal has the same order in each run, even if calls run side by side:

    number 0  read("/a.md")         made, with its result
    number 1  write("/b.md", ...)   under way: announced, as the process may end during it
    number 1  write("/b.md", ...)   made, with its result

A resumed trial repeats its recorded calls, whose outcomes are on its *tape*. These calls are not
made again.
"""

from __future__ import annotations

from collections.abc import Iterable

from controlplane.agent.events import CallEvent, CallRecord
from controlplane.agent.evidence.calls.call_learner import CallLearner
from controlplane.agent.evidence.calls.call_under_way import CallUnderWay, PlacedCall
from controlplane.agent.evidence.calls.live_calls import LiveCalls
from controlplane.agent.evidence.calls.step_log import StepLog
from controlplane.agent.evidence.tape import Tape, TapedCalls, TapedJournal
from controlplane.sandbox.interface import CallError, Plain


class SentCalls:
    """Sends the calls of one trial, and writes them to the journal. Used by one thread at a time.

        sent = sent_calls.send(call)    the call has its place in the step, and may run already
        sent_calls.receive(sent)        waits for it, and returns its result, or raises its error

    The call of a function is not sent to the environment. For such a call, `announce` and `record`
    do what `send` and `receive` do besides: they write it to the journal, and learn from it.
    """

    def __init__(
        self,
        trial_id: str,
        tape: Tape,
        step: StepLog,
        live: LiveCalls,
        journal: TapedJournal,
        learner: CallLearner,
    ) -> None:
        self.trial_id = trial_id
        self.tool_schema = live.tool_schema
        self.taped_calls = TapedCalls(tape, step, live.tool_schema)
        """Looks up the calls whose outcomes are on the tape."""
        self.live = live
        """Makes all other calls in the environment."""
        self.journal = journal
        """Writes the events of calls, except those that are on the tape."""
        self.step = step
        """The step that the trial is at, with its calls so far."""
        self.learner = learner
        """Learns from the outcome of each call."""

    def send(
        self, call: CallRecord, *, runs_beside_others: bool = False
    ) -> CallUnderWay:
        """Send a call to the environment. `receive` waits for its outcome.

        With `runs_beside_others`, which is only for calls that read, the call starts at
        once if the environment allows several calls at a time. Otherwise it starts when
        its outcome is wanted. A recorded call is not made again.

        Raises `CallError` if this is a replay, and the call differs from the recorded one.
        """
        placed = self.announce(call)
        if placed.known_outcome is not None:
            return CallUnderWay(placed, run=None)
        run = self.live.begin(call, runs_beside_others=runs_beside_others)
        return CallUnderWay(placed, run)

    def receive(
        self, sent: CallUnderWay, *, shown_chars: int | None = None
    ) -> dict[str, Plain]:
        """Wait for a call, record its outcome, and return its result. Raises `CallError`.

        This is called once for each sent call, in the order in which they were sent.
        `shown_chars` is the number of characters of the result that the initial prompt shows.
        """
        outcome = sent.outcome()
        if shown_chars is not None:
            outcome = outcome.changed(shown_chars=shown_chars)
        return self.record(sent.placed, outcome)

    def announce(self, call: CallRecord) -> PlacedCall:
        """Give a call its place in the step, and announce it in the journal.

        If the process ends during the call, the announcement tells the next attempt
        that it may have happened. A plain read needs none: it can be made again.

        The returned call has its outcome already (`known_outcome`) if it is on the tape.
        """
        number = self.step.call_count
        known_outcome = self.taped_calls.recorded(call)
        placed = PlacedCall(number, call, known_outcome=known_outcome)
        if not self.tool_schema.is_plain_read(call.operation, call.arguments):
            self._write(placed, call)
            placed.is_announced = True
        self.step.add_call(call)
        return placed

    def record(self, placed: PlacedCall, outcome: CallRecord) -> dict[str, Plain]:
        """Write the outcome of a call to the journal, learn from it, and return the result.

        `outcome` is the call with its result or its error. Raises `CallError` if the call
        has failed.
        """
        self._write(placed, outcome)
        self.step.add_outcome(placed.number, outcome)
        self.learner.learn(outcome)
        if outcome.error is not None:
            # No variable has this error: its traceback has all variables of this function, so the
            # two would keep each other in memory.
            raise CallError(outcome.error.code, outcome.error.message)
        return outcome.result or {}

    def refuse(self, refused: CallRecord) -> dict[str, Plain]:
        """Record a call that is not sent, and raise its error as `CallError`.

        `refused` has the state `not_made` and the error. But in a repeated step, the tape counts:
        if the call was sent when the step was recorded, its recorded result is returned.
        """
        number = self.step.call_count
        outcome = self.taped_calls.recorded_or_refused(refused)
        self.step.add_call(refused)
        return self.record(PlacedCall(number, refused), outcome)

    def _write(self, placed: PlacedCall, call: CallRecord) -> None:
        """Write a call to the journal: its announcement, or later the call with its outcome."""
        event = CallEvent.of(
            call,
            trial_id=self.trial_id,
            step=self.step.number,
            number=placed.number,
            was_announced=placed.is_announced,
        )
        self.journal.write_call(event)

    def await_end(self, calls: Iterable[CallUnderWay]) -> None:
        """Wait until none of the calls runs any longer, because nobody needs them."""
        for call in calls:
            call.await_end()
        # Calls of the initial prompt may have begun early, before they are needed.
        self.live.await_early_calls()
