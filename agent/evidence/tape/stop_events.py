"""Makes the events that a call was stopped, and what became of it.

A step has sent call 0, and a check objects to the next one. Its events have the number 1, with which
it would have been sent:

    call_stopped  number 1  transfer(amount=500)  objection: over the limit
    call_stopped  number 1  transfer(amount=500)  then: done otherwise
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from controlplane.agent.events import CallStopped
from controlplane.agent.evidence.calls.step_log import StepLog
from controlplane.agent.evidence.calls.stop_key import CheckName


@dataclass(frozen=True, slots=True)
class StopEvents:
    """Makes the events of one trial's stopped calls. They are not written here."""

    trial_id: str
    step: StepLog
    """The current step, with its calls so far."""

    def stopped(
        self,
        check: CheckName,
        operation: str,
        arguments: Mapping[str, Any],
        objection: str,
    ) -> CallStopped:
        """Return the event that a check stops the next call of the step."""
        return CallStopped(
            trial_id=self.trial_id,
            step=self.step.number,
            number=self.step.call_count,
            operation=operation,
            arguments=dict(arguments),
            by=check,
            objection=objection,
        )

    def outcome_of(self, stop: CallStopped, then: str) -> CallStopped:
        """Return the event with what becomes of a stopped call once the next call is sent."""
        stopped_again = self.stopped(stop.by, stop.operation, stop.arguments, "")
        return stopped_again.model_copy(update={"then": then})
