"""Looks up what the tape has next in a step: that a call was stopped, or that it was sent.

The *tape* has the recorded steps that a trial repeats. A *stopped* call is not sent, because a
check objected to it. A recorded step sent two calls, and before the second, one was stopped:

    read("/a.md")           call 0
    transfer(amount=500)    stopped, with the number 1: one call was sent before
    transfer(amount=50)     call 1

After call 0, `stop_of` finds that the transfer of 500 is stopped here. After that, there is no
further stop, and `has_next_call` is true: the next transfer was sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from controlplane.agent.events import CallStopped
from controlplane.agent.evidence.calls.step_log import StepLog
from controlplane.agent.evidence.calls.stopped_calls import CheckName
from controlplane.agent.evidence.tape.tape import Tape, entry_at
from controlplane.agent.record.trial_step import TrialStep


@dataclass(frozen=True, slots=True)
class RecordedStops:
    """The recorded events of stopped calls, in the step that one trial is at."""

    step: StepLog
    """The step that the trial is at, with what has happened in it so far."""
    tape: Tape
    """The recorded steps. Empty in a new trial."""

    def stop_of(
        self, check: CheckName, operation: str, arguments: Mapping[str, Any]
    ) -> CallStopped | None:
        """Return the next recorded event if it says that the check stopped this call."""
        recorded = self.next_event()
        if recorded is None or recorded.is_outcome:
            return None
        is_this_call = (
            recorded.by == check
            and recorded.number == self.step.call_count
            and recorded.operation == operation
            and recorded.arguments == arguments
        )
        return recorded if is_this_call else None

    def next_event(self) -> CallStopped | None:
        """Return the recorded event after those that the step has had so far; None at the end.

        The events of a step are repeated in order: after two of them, the third is the next.
        It may also be an *outcome*: what became of a stopped call later.
        """
        event_count = len(self.step.trial_step.stopped)
        return entry_at(self._recorded_step.stopped, event_count)

    def has_next_call(self) -> bool:
        """Return True if the recorded step sent a further call after those made so far."""
        return self.step.call_count < len(self._recorded_step.calls)

    @property
    def _recorded_step(self) -> TrialStep:
        """The recorded step with the number of the current one; empty if there is none."""
        return self.tape.step(self.step.number)
