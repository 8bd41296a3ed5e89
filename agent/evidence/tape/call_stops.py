"""Decides whether an objection stops a call, and writes what became of the stopped calls.

A check, such as the environment's rules, may object to `transfer(amount=500)` before it is sent:
"over the limit". Then the call is *stopped*, and the model may send another instead. A step has
sent call 0. Then the journal has

    call_stopped  number 1  transfer(amount=500)  objection: over the limit
    call_stopped  number 1  transfer(amount=500)  then: done otherwise
    call          number 1  transfer(amount=50)

A process that repeats the recorded step checks its calls again. There, what was recorded counts:
a call that was sent then is sent again, even if the check objects to it today.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from controlplane.agent.events import NOT_DONE, CallRecord, CallStopped
from controlplane.agent.evidence.calls.stop_key import CheckName
from controlplane.agent.evidence.calls.stopped_calls import StoppedCalls
from controlplane.agent.evidence.tape.trial_journal import TrialJournal


@dataclass(frozen=True, slots=True)
class CallStops:
    """Decides which calls of one trial are stopped."""

    trial_id: str
    journal: TrialJournal
    """Writes the events of stopped calls, unless they are recorded."""
    stopped_calls: StoppedCalls = field(default_factory=StoppedCalls)

    def decide(
        self,
        check: CheckName,
        operation: str,
        arguments: Mapping[str, Any],
        objection: str,
    ) -> str:
        """Return the objection with which a check stops a call; empty if it may be sent.

        `objection` is what the check says now; empty if it does not object. If the call was stopped
        or sent when its step was recorded, this counts.
        """
        reader = self.journal.reader
        recorded = reader.next_entry(CallStopped)
        if recorded is None and not objection:
            return ""  # It was not stopped then, and is not now.

        stop = self._next_call(check, operation, arguments, objection=objection)
        if recorded is not None and recorded.action == stop.action:
            return self._write(stop).objection  # the recorded one
        if reader.next_entry(CallRecord) is not None:
            # It was sent then.
            reader.compare(stop.name_in_differences, None, stop.compared)
            return ""
        if objection:
            self._write(stop)
        return objection

    def add_outcomes(self, operation: str, arguments: Mapping[str, Any]) -> None:
        """Write what becomes of the stopped calls now that this call is sent."""
        for stop, outcome in self.stopped_calls.closed_by(operation, arguments):
            event = self._next_call(
                stop.by, stop.operation, stop.arguments, then=outcome
            )
            self._write(event)

    def add(self, event: CallStopped) -> None:
        """Add an event of a recorded step that is not done again."""
        self.journal.reader.current_step.stopped.append(event)
        self.stopped_calls.add(event)

    def _write(self, event: CallStopped) -> CallStopped:
        """Write an event, unless it is recorded. Return the one that counts."""
        counting = self.journal.write(event, event)
        self.stopped_calls.add(counting)
        return counting

    def _next_call(
        self,
        check: CheckName,
        operation: str,
        arguments: Mapping[str, Any],
        *,
        objection: str = "",
        then: str = NOT_DONE,
    ) -> CallStopped:
        """Return an event with the number of the next call of the step."""
        step = self.journal.reader.step_log
        return CallStopped(
            trial_id=self.trial_id,
            step=step.number,
            number=step.call_count,
            operation=operation,
            arguments=dict(arguments),
            by=check,
            objection=objection,
            then=then,
        )
