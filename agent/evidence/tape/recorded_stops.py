"""Looks up what the tape has next in a step: that a call was stopped, or that it was sent.

A *stopped* call is not sent, because a check objected to it. A process repeats the recorded steps
of a trial, its *tape*. Of a step that sent two calls, it has two lists:

    calls     number 0  read("/a.md")
              number 1  transfer(amount=50)
    stopped   number 1  transfer(amount=500)   objection: over the limit
              number 1  transfer(amount=500)   an *outcome*: the call was done otherwise

The number of a stopped call says how many calls were sent before. So after call 0, the transfer
of 500 is stopped here. It has an outcome once a later call shows what became of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from controlplane.agent.events import CallStopped
from controlplane.agent.evidence.calls.step_log import StepLog
from controlplane.agent.evidence.calls.stop_key import CheckName
from controlplane.agent.evidence.tape.comparison import NOTHING
from controlplane.agent.evidence.tape.tape import Tape
from controlplane.agent.evidence.tape.taped_steps import entry_at


@dataclass(frozen=True, slots=True)
class RecordedStops:
    """The recorded events of stopped calls, in the step that one trial is at."""

    step: StepLog
    """The step that the trial is at, with what has happened in it so far."""
    tape: Tape
    """The recorded steps. Empty in a new trial."""

    def next_event(self) -> CallStopped | None:
        """Return the recorded event after those that the step has had so far; None at the end.

        The events of a step are repeated in order: after two of them, the third is the next.
        """
        event_count = len(self.step.trial_step.stopped)
        return entry_at(self.tape.steps[self.step.number].stopped, event_count)

    def stop_of(
        self, check: CheckName, operation: str, arguments: Mapping[str, Any]
    ) -> CallStopped | None:
        """Return the next recorded event if it says that the check stopped this call."""
        recorded = self.next_event()
        if recorded is None or recorded.is_outcome:
            return None
        if recorded.number != self.step.call_count:
            return None  # A call has to be sent first.
        recorded_stop = (recorded.by, recorded.operation, recorded.arguments)
        return recorded if recorded_stop == (check, operation, arguments) else None

    def has_next_call(self) -> bool:
        """Return True if the recorded step sent a further call after those made so far."""
        return self.step.call_count < len(self.tape.steps[self.step.number].calls)

    def is_complete(self) -> bool:
        """Return True if the step may have no event beside those that are recorded."""
        return self.tape.steps.is_complete(self.step.number)

    def note_or_raise(self, text: str) -> None:
        """Note in a replay that the step has an event, with this text, that is not recorded.

        In a resumed trial, raises `RecordDiverged` instead.
        """
        self.tape.comparison.note_or_raise(self.step.number, "stopped", NOTHING, text)
