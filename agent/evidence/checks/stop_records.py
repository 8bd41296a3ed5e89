"""Writes to the journal which calls a check has stopped, and what became of them later.

A *stopped* call is not sent, and the model reads why. Example: a check objects to a
transfer of 500. The model may insist and make the same call again (`repeated and sent`),
transfer 50 instead (`done otherwise`), or give up (`not done`). Each of these is an event.
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
    """Writes the stopped calls of one trial to the journal, and what became of them later.

    A *stopped* call is not sent, because a check objects, such as to a transfer of 500. If the
    model then transfers 50, the stopped call has the outcome `done otherwise`. A resumed trial
    repeats recorded steps: there, the recorded decisions count, and are not written again.
    """

    def __init__(
        self, trial_id: str, step: CurrentStep, taped_stops: TapedStops
    ) -> None:
        self._trial_id = trial_id
        self._step = step
        self._taped_stops = taped_stops
        """Has the recorded decisions of an earlier attempt at the trial, and writes new events
        to the journal."""
        self.stopped_calls = StoppedCalls()
        """Knows if the model repeats a call that was stopped."""

    def decide(
        self, check: CheckName, call: ChangingCall, objection: str
    ) -> CallStopped | None:
        """Decide if a check stops a call. Return the event, or None if the call may be sent.

        `objection` is what the check says now; empty if it does not object. A recorded
        decision takes precedence.
        """
        decision_now = self._event(
            check, call.operation, call.arguments, objection=objection
        )
        stop = self._taped_stops.decide(decision_now, self._next_place)
        if stop is not None:
            self.add(stop)
        return stop

    def write_outcomes(self, sent: ChangingCall) -> None:
        """Write what becomes of the stopped calls of the trial now that a call is sent.

        The sent call may repeat a stopped one, or take its place with other arguments.
        """
        for stop in self.stopped_calls.unsettled:
            outcome = self.stopped_calls.outcome(stop, sent.operation, sent.arguments)
            if outcome == NOT_DONE:
                continue  # The sent call has nothing to do with this one.
            event = self._event(
                stop.by, stop.operation, stop.arguments, outcome=outcome
            )
            self._taped_stops.write_outcome(event, self._next_place)
            self.add(event)

    @property
    def _next_place(self) -> int:
        """The position of the next event among the events about stopped calls of the step."""
        return len(self._step.trial_step.stopped)

    def add(self, event: CallStopped) -> None:
        """Add the event that a call was stopped, or the event with its outcome."""
        self._step.trial_step.stopped.append(event)
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
        """Return an event about a call: a check's decision, or the outcome of a stopped call.

        A decision has an objection, and the outcome `NOT_DONE`, because none is known yet. A
        later event about the same call has an outcome, and no objection.
        """
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
