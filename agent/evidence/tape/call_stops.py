"""Decides whether an objection stops a call, and writes what became of the stopped calls.

A check, such as the environment's rules, may object to `transfer(amount=500)` before it is sent:
"over the limit". Then the call is *stopped*, and the model may send another instead. The journal:

    call_stopped  number 1  transfer(amount=500)  objection: over the limit
    call_stopped  number 1  transfer(amount=500)  then: done otherwise
    call          number 1  transfer(amount=50)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from controlplane.agent.events import CallRecord, CallStopped
from controlplane.agent.evidence.calls.stop_key import CheckName
from controlplane.agent.evidence.calls.stopped_calls import StoppedCalls
from controlplane.agent.evidence.tape.stop_events import StopEvents
from controlplane.agent.evidence.tape.trial_journal import TrialJournal


@dataclass(frozen=True, slots=True)
class CallStops:
    """Decides which calls of one trial are stopped, and not sent.

    If a process is killed within a step, the next one repeats the step, and each call of it comes
    again. It is then stopped or sent as the journal says, whatever the check says now.
    """

    stop_events: StopEvents
    """Makes the events of stopped calls."""
    journal: TrialJournal
    """Writes them, unless they are recorded."""
    stopped_calls: StoppedCalls = field(default_factory=StoppedCalls)

    def decide(
        self,
        check: CheckName,
        operation: str,
        arguments: Mapping[str, Any],
        objection: str,
    ) -> str:
        """Return the objection with which a check stops a call; empty if it may be sent.

        `objection` is what the check says now; empty if it does not object.
        """
        # What the journal has next of a step that is repeated; None in a new step.
        reader = self.journal.reader
        recorded_stop = reader.next_entry(CallStopped)
        if recorded_stop is None and not objection:
            return ""

        stop = self.stop_events.stopped(check, operation, arguments, objection)
        if recorded_stop is not None and recorded_stop.action == stop.action:
            # The same call was stopped then, so it is now, with the recorded objection.
            return self._write(stop).objection
        was_sent = reader.next_entry(CallRecord) is not None
        if was_sent:
            # That the check objects now is only noted, as a difference.
            reader.compare(stop.name_in_differences, None, stop.compared)
            return ""
        if objection:
            self._write(stop)
        return objection

    def add_outcomes(self, operation: str, arguments: Mapping[str, Any]) -> None:
        """Write what becomes of the stopped calls now that this call is sent."""
        for stop, outcome in self.stopped_calls.closed_by(operation, arguments):
            self._write(self.stop_events.outcome_of(stop, outcome))

    def add(self, event: CallStopped) -> None:
        """Add an event of an earlier, complete step, which is not repeated."""
        self.journal.reader.current_step.stopped.append(event)
        self.stopped_calls.add(event)

    def _write(self, event: CallStopped) -> CallStopped:
        """Write an event, and return it. If it is recorded, return the recorded one."""
        counting = self.journal.write(event, event)
        self.stopped_calls.add(counting)
        return counting
