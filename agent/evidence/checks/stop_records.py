"""Records which calls a check has stopped, and what became of them later.

A *stopped* call is not sent, and the model reads why. It may make the same call again, or
another one instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from controlplane.agent.events import NOT_DONE, CallStopped
from controlplane.agent.evidence.calls.current_step import CurrentStep
from controlplane.agent.evidence.checks.changing_call import ChangingCall
from controlplane.agent.evidence.checks.stopped_calls import CheckName, StoppedCalls
from controlplane.agent.evidence.tape import TapedStops


class StopRecords:
    """Records the stopped calls of one trial."""

    def __init__(self, trial_id: str, step: CurrentStep, stops: TapedStops) -> None:
        self._trial_id = trial_id
        self._step = step
        self._stops = stops
        self.stopped_calls = StoppedCalls()
        """Knows if the model repeats a call that was stopped."""

    def record_decision(
        self, check: CheckName, call: ChangingCall, objection: str
    ) -> CallStopped | None:
        """Record a check's decision on a call. Return the event if the call is stopped.

        `objection` is what the check says now; empty if it does not object. If an earlier
        attempt at the trial has recorded a decision, that decision counts instead.
        """
        event = self._event(check, call.operation, call.arguments, objection=objection)
        stop_number = len(self._step.trace.stopped)
        # `stop` returns the recorded event if there is one, or else the new one.
        final_event = self._stops.stop(event, stop_number)
        if final_event is not None:
            self.add(final_event)
        return final_event

    def record_outcomes(self, sent: ChangingCall) -> None:
        """Record what becomes of earlier stopped calls if a call is sent now.

        It may repeat a stopped call, or take its place with other arguments.
        """
        for stop in self.stopped_calls.unsettled:
            outcome = self.stopped_calls.outcome(stop, sent.operation, sent.arguments)
            if outcome == NOT_DONE:
                continue
            event = self._event(
                stop.by, stop.operation, stop.arguments, outcome=outcome
            )
            self._stops.outcome_of_stop(event, len(self._step.trace.stopped))
            self.add(event)

    def add(self, event: CallStopped) -> None:
        """Add the event that a call was stopped, or the event with its outcome."""
        self._step.trace.stopped.append(event)
        self.stopped_calls.add(event)

    def _event(
        self,
        check: CheckName,
        operation: str,
        arguments: Mapping[str, Any],
        *,
        objection: str = "",
        outcome: str = NOT_DONE,
    ) -> CallStopped:
        """Return an event about a call that a check has stopped."""
        return CallStopped(
            trial_id=self._trial_id,
            step=self._step.number,
            number=self._step.call_count,  # the next call of the step
            operation=operation,
            arguments=dict(arguments),
            by=check,
            objection=objection,
            then=outcome,
        )
