"""Records which calls a check stops, unless this is recorded on the trial's tape.

A stopped call is not sent. The model may make it again, or another one instead.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import NOT_DONE, CallStopped, Emit
from controlplane.agent.evidence.tape.tape import Tape, entry_at


@dataclass(frozen=True, slots=True)
class TapedStops:
    """Records the stopped calls of one trial."""

    tape: Tape
    write: Emit
    """Writes an event to the journal."""

    def stop(self, event: CallStopped, stop_number: int) -> CallStopped | None:
        """Record that a call is stopped. Return the event, or None if the call is sent.

        `event` has the objection that a check makes now; empty if it does not object.
        If the step is recorded, the recorded decision is used instead. `stop_number` is
        the position among the step's events about stopped calls, and `event.number` the
        position among its calls.
        """
        step = self.tape.step(event.step)
        comparison = self.tape.comparison
        recorded = entry_at(step.stopped, stop_number)
        if recorded is not None and _stops_call_of(recorded, event):
            new_objection = event.objection or None
            comparison.note_if_different(
                event.step, "stopped", recorded.objection, new_objection
            )
            return recorded

        new_stop = event if event.objection else None
        # The recorded trial sent the call, so it is sent now, too.
        was_sent = event.number < len(step.calls)
        if was_sent:
            comparison.note_if_different(event.step, "stopped", None, new_stop)
            return None
        if new_stop is not None:
            self._write_if_new(event, event.objection)
        return new_stop

    def outcome_of_stop(self, event: CallStopped, stop_number: int) -> None:
        """Record the later outcome of a stopped call (`event.then`).

        `stop_number` counts the earlier events about stopped calls in the step.
        """
        if entry_at(self.tape.step(event.step).stopped, stop_number) is None:
            self._write_if_new(event, event.then)

    def _write_if_new(self, event: CallStopped, new: str) -> None:
        """Write an event that is not recorded, if its step takes new events."""
        if self.tape.takes_new(event.step, "stopped", new):
            self.write(event)


def _stops_call_of(recorded: CallStopped, event: CallStopped) -> bool:
    """Return True if a recorded event says that the call of `event` was stopped.

    `then` is `NOT_DONE` in such an event. In others it is the later outcome.
    """
    return (
        recorded.then == NOT_DONE
        and recorded.by == event.by
        and recorded.number == event.number
        and recorded.operation == event.operation
        and recorded.arguments == event.arguments
    )
