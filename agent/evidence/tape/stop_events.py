"""Writes to the journal which calls were stopped, and what became of them.

A *stopped* call is not sent, because a check objected to it. The model may send another instead.
Example: a step has sent call 0. Then the journal has

    call_stopped  number 1  transfer(amount=500)  objection: over the limit
    call_stopped  number 1  transfer(amount=500)  then: done otherwise
    call          number 1  transfer(amount=50)

If the process is killed after the first of these lines, the next process repeats the step: it
does not write this line again, only the two that are missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from controlplane.agent.events import CallStopped, Emit
from controlplane.agent.evidence.calls.step_log import StepLog
from controlplane.agent.evidence.calls.stop_key import CheckName
from controlplane.agent.evidence.calls.stopped_calls import StoppedCalls
from controlplane.agent.evidence.tape.recorded_stops import RecordedStops


@dataclass(frozen=True, slots=True)
class StopEvents:
    """The events about the stopped calls of one trial. Recorded ones are not written again."""

    trial_id: str
    step: StepLog
    """The step that the trial is at, with what has happened in it so far."""
    emit: Emit
    """Writes an event to the journal."""
    recorded: RecordedStops
    """Tells if the step repeats a recorded one, and which event it has next."""
    stopped_calls: StoppedCalls = field(default_factory=StoppedCalls)

    def add(self, event: CallStopped) -> None:
        """Add an event, new or recorded, to the step and to the stopped calls."""
        self.step.trial_step.stopped.append(event)
        self.stopped_calls.add(event)

    def add_new_stop(
        self,
        check: CheckName,
        operation: str,
        arguments: Mapping[str, Any],
        objection: str,
    ) -> None:
        """Write and add that a check has stopped the call that would be the next of the step.

        Only for a stop that is not recorded. A recorded one goes to `add` as it is.
        """
        event = CallStopped(
            trial_id=self.trial_id,
            step=self.step.number,
            number=self.step.call_count,
            operation=operation,
            arguments=dict(arguments),
            by=check,
            objection=objection,
        )
        self._write_new(event, objection)
        self.add(event)

    def add_outcomes(self, operation: str, arguments: Mapping[str, Any]) -> None:
        """Add what becomes of the stopped calls now that this call is sent. Write what is new.

        A call that a resumed trial repeats has the same outcomes as before, in the same order. So
        as long as the record has a next event of the step, it is the outcome in question.
        """
        for stop, outcome in self.stopped_calls.closed_by(operation, arguments):
            event = CallStopped(
                trial_id=self.trial_id,
                step=self.step.number,
                number=self.step.call_count,
                operation=stop.operation,
                arguments=dict(stop.arguments),
                by=stop.by,
                then=outcome,
            )
            is_recorded = self.recorded.next_event() is not None
            if not is_recorded:
                self._write_new(event, outcome)
            self.add(event)

    def _write_new(self, event: CallStopped, text: str) -> None:
        """Write an event that is not recorded, if the step may have one.

        If it may not, a resumed trial ends with `RecordDiverged`. A replay notes the `text`, an
        objection or an outcome, as a difference, and writes nothing.
        """
        if self.recorded.is_complete():
            self.recorded.note_or_raise(text)
        else:
            self.emit(event)
