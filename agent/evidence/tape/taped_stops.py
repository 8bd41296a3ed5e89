"""Decides if a call is sent or stopped, by the record of an earlier attempt or by a check.

A check may object to a call that changes something. The call is then *stopped*: it is not
sent, and the model reads why. If the trial repeats recorded steps, which are on its
*tape*, the recorded decision counts. So the trial goes on as recorded even if the
check decides otherwise today.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import CallStopped, Emit
from controlplane.agent.evidence.tape.tape import Tape, entry_at


@dataclass(frozen=True, slots=True)
class TapedStops:
    """Decides about the calls of one trial, and writes what is not recorded to the journal.

    Each step has a list of events about its stopped calls. `place` is the position of an event
    in this list. The event's own `number` says when the call was stopped: `number=2` if two
    calls of the step were sent before it.
    """

    tape: Tape
    """The recorded steps. Empty in a new trial."""
    write: Emit
    """Writes an event to the journal."""

    def decide(self, decision: CallStopped, place: int) -> CallStopped | None:
        """Return the event if a call is stopped, or None if it is sent.

        `decision` is what a check says now about the call. Its objection is empty if the
        call may be sent. If it differs from the record, the difference is noted.
        """
        recorded_step = self.tape.step(decision.step)
        objection_now = decision.objection or None

        # 1. The record has this stop. So the call is stopped with the recorded objection.
        recorded_stop = entry_at(recorded_step.stopped, place)
        if recorded_stop is not None and _stops_same_call(recorded_stop, decision):
            self._compare(decision, recorded_stop.objection, objection_now)
            return recorded_stop

        # 2. The record has no such stop, but a sent call with this number. So it is sent.
        was_sent = decision.number < len(recorded_step.calls)
        if was_sent:
            self._compare(decision, None, objection_now)
            return None

        # 3. The record has neither, so the check decides.
        if objection_now is None:
            return None
        self._write(decision, objection_now)
        return decision

    def write_outcome(self, outcome: CallStopped, place: int) -> None:
        """Write what became of a stopped call later (`then`): the model made it again."""
        if entry_at(self.tape.step(outcome.step).stopped, place) is None:
            self._write(outcome, outcome.then)

    def _compare(
        self, decision: CallStopped, recorded: str | None, now: str | None
    ) -> None:
        """Note a difference if the check has another objection now than the recorded one."""
        self.tape.comparison.note_if_different(decision.step, "stopped", recorded, now)

    def _write(self, event: CallStopped, new: str) -> None:
        """Write an event that is not recorded. `new` is what a message about it shows.

        A complete recorded step has all its stopped calls, so it accepts no further one.
        """
        if self.tape.accepts_new(event.step, "stopped", new):
            self.write(event)


def _stops_same_call(recorded: CallStopped, decision: CallStopped) -> bool:
    """Return True if a recorded event says that the call of `decision` was stopped."""
    return (
        not recorded.is_outcome
        and recorded.by == decision.by
        and recorded.number == decision.number
        and recorded.operation == decision.operation
        and recorded.arguments == decision.arguments
    )
