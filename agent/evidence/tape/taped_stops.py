"""Decides which calls a check stops, and writes to the journal what becomes of them.

A *stopped* call is not sent, and the model reads why. Example: a step has sent call 0, and a
check objects to a transfer of 500, so the model transfers 50 instead. The journal then has

    call_stopped  number 1  transfer(amount=500)  objection: over the limit
    call_stopped  number 1  transfer(amount=500)  then: done otherwise
    call          number 1  transfer(amount=50)

A trial that repeats these recorded lines (its *tape*) decides as they do, and writes none again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from controlplane.agent.events import CallStopped, Emit
from controlplane.agent.evidence.calls.step_log import StepLog
from controlplane.agent.evidence.calls.stopped_calls import CheckName, StoppedCalls
from controlplane.agent.evidence.tape.recorded_stops import RecordedStops
from controlplane.agent.evidence.tape.tape import Tape


class TapedStops:
    """Decides which calls of one trial are stopped, and writes the events about them."""

    def __init__(self, trial_id: str, step: StepLog, tape: Tape, write: Emit) -> None:
        self._trial_id = trial_id
        self._step = step
        self._tape = tape
        """The recorded steps. Empty in a new trial."""
        self._recorded = RecordedStops(step, tape)
        """Finds what is recorded next in the current step."""
        self._write = write
        """Writes an event to the journal."""
        self.stopped_calls = StoppedCalls()
        """Knows which calls were stopped, and what became of them."""

    def decide(
        self,
        check: CheckName,
        operation: str,
        arguments: Mapping[str, Any],
        objection: str,
    ) -> str:
        """Return the objection with which a check stops a call; empty if it may be sent.

        `objection` is what the check says now; empty if it does not object.

        | what the tape has next in this step | the call |
        |---|---|
        | that the check stopped this call | is stopped, with the recorded objection |
        | a call that was sent | is sent |
        | nothing: the step is new, or ends here | is stopped if there is an objection |
        """
        recorded = self._recorded.stop_of(check, operation, arguments)
        if recorded is not None:
            self._note_if_different(recorded.objection, objection)
            self.add(recorded)
            return recorded.objection
        if self._recorded.has_next_call():
            self._note_if_different(None, objection)
            return ""
        if objection:
            stop = CallStopped(
                trial_id=self._trial_id,
                step=self._step.number,
                number=self._step.call_count,
                operation=operation,
                arguments=dict(arguments),
                by=check,
                objection=objection,
            )
            self._write_if_accepted(stop, objection)
            self.add(stop)
        return objection

    def write_outcomes(self, operation: str, arguments: Mapping[str, Any]) -> None:
        """Write what becomes of the stopped calls of the trial now that a call is sent.

        The sent call may repeat a stopped one, or take its place with other arguments.
        """
        for stop, outcome in self.stopped_calls.closed_by(operation, arguments):
            event = CallStopped(
                trial_id=self._trial_id,
                step=self._step.number,
                number=self._step.call_count,
                operation=stop.operation,
                arguments=dict(stop.arguments),
                by=stop.by,
                then=outcome,
            )
            if self._recorded.next_event() is None:
                self._write_if_accepted(event, outcome)
            self.add(event)

    def add(self, event: CallStopped) -> None:
        """Add the event that a call was stopped, or the event with its outcome."""
        self._step.trial_step.stopped.append(event)
        self.stopped_calls.add(event)

    def _write_if_accepted(self, event: CallStopped, text: str) -> None:
        """Write an event that is not recorded. Messages about it show `text`.

        A complete recorded step has all its events, so it accepts no further one: a resumed
        trial ends with `RecordDiverged`, and a replay notes the difference.
        """
        if self._tape.accepts_new(event.step, "stopped", text):
            self._write(event)

    def _note_if_different(self, recorded: str | None, objection: str) -> None:
        """Note a difference if the check objects otherwise than recorded, or only then or now.

        `recorded` is None if no objection is recorded. `objection` is empty if there is none now.
        """
        self._tape.comparison.note_if_different(
            self._step.number, "stopped", recorded, objection or None
        )
