"""Sends the calls of a trial to its environment, of which several may run at a time.

Two files are read side by side, if the environment allows it:

    first = sender.send(read_a, runs_beside_others=True)     starts to run
    second = sender.send(read_b, runs_beside_others=True)    runs beside it
    sender.receive(first)      waits for it -> {"content": "fee: 7"}
    sender.receive(second)     waits for it, and raises its error: there is no such file

If an earlier process of the trial has recorded a call, it is not made again: `receive` returns the
recorded result.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.calls.call_runs import RecordedRun
from controlplane.agent.evidence.calls.call_under_way import CallUnderWay
from controlplane.agent.evidence.calls.live_calls import LiveCalls
from controlplane.agent.evidence.sending.call_journal import CallJournal
from controlplane.sandbox.interface import Plain


@dataclass(frozen=True, slots=True)
class CallSender:
    """Sends the calls of one trial. Used by one thread at a time.

    Calls may run at the same time, but are received in the order in which they were sent, each once.
    """

    journal: CallJournal
    """Writes calls to the journal, and knows which are recorded already."""
    live: LiveCalls
    """Makes calls in the environment."""

    def send(
        self, call: CallRecord, *, runs_beside_others: bool = False
    ) -> CallUnderWay:
        """Send a call to the environment. `receive` waits for its outcome.

        With `runs_beside_others`, which is only for calls that read, the call starts at
        once if the environment allows several calls at a time. Otherwise it starts when
        its outcome is wanted.

        Raises `CallError` in a replay, if the call differs from the recorded one.
        """
        numbered = self.journal.add_call(call)
        if numbered.recorded_outcome is not None:
            return CallUnderWay(numbered, RecordedRun(numbered.recorded_outcome))
        run = self.live.begin(call, runs_beside_others=runs_beside_others)
        return CallUnderWay(numbered, run)

    def receive(
        self, sent: CallUnderWay, *, shown_chars: int | None = None
    ) -> dict[str, Plain]:
        """Wait for a call, record its outcome, and return its result. Raises `CallError`.

        `shown_chars` is the number of characters of the result that the initial prompt shows;
        None for a call of a script, which gets the whole result.
        """
        outcome = sent.outcome()
        if shown_chars is not None:
            outcome = outcome.changed(shown_chars=shown_chars)
        return self.journal.add_outcome(sent.numbered, outcome)

    def refuse_unless_recorded(self, refused: CallRecord) -> dict[str, Plain]:
        """Write a call to the journal that is not sent, and raise its `CallError`.

        If the process of the trial was killed, the next one may have fewer calls left. If this
        call was sent when its step was recorded, its recorded result is returned instead.
        """
        numbered = self.journal.add_call(refused)
        outcome = numbered.recorded_outcome or refused
        return self.journal.add_outcome(numbered, outcome)  # raises the outcome's error

    def await_end(self, calls: Iterable[CallUnderWay]) -> None:
        """Wait until no call runs: neither these, nor those that were started early."""
        for call in calls:
            call.await_end()
        self.live.await_early_calls()
