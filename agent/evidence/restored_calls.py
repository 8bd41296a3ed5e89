"""Adds recorded calls to a trial, without making them again."""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.calls.call_learner import CallLearner
from controlplane.agent.evidence.calls.current_step import CurrentStep
from controlplane.agent.evidence.checks.call_checks import CallChecks
from controlplane.agent.evidence.tape import RecordedCalls
from controlplane.agent.record.step_calls import calls_by_function
from controlplane.agent.record.trial_step import TrialStep


@dataclass(frozen=True, slots=True)
class RestoredCalls:
    """Adds recorded calls to the current step of one trial, and to its evidence."""

    step: CurrentStep
    learner: CallLearner
    checks: CallChecks
    """Remembers what the user and the checks decided about calls."""
    recorded_calls: RecordedCalls

    def add(self, call: CallRecord) -> None:
        """Add a recorded call."""
        number = self.step.add_call(call)
        self._add_outcome(number, call)

    def add_step(self, recorded: TrialStep) -> None:
        """Add the recorded calls of a whole step, and the decisions about them.

        A function may have made *inner* calls. They come after its own call in the step,
        but ended before it. So it gets its place first, and its outcome last.
        """
        inner_calls = calls_by_function(recorded.calls)
        for number, call in enumerate(recorded.calls):
            self._add_decisions(recorded, number)
            if call.outer is not None:
                continue  # An inner call. It is added with the function's own call.
            place = self.step.add_call(call)
            for inner_call in inner_calls.get(number, []):
                self.add(inner_call)
            self._add_outcome(place, call)
        # The last call of the step may have been stopped, so it is not in `calls`.
        self._add_decisions(recorded, len(recorded.calls))

    def add_calls_of_verify(self) -> None:
        """Add the recorded calls of a script's `verify`, if the step has them next.

        `verify` is the script's own check of its answer. In a replay with stricter
        gates it may not run, but its recorded calls are still evidence.
        """
        for call in self.recorded_calls.next_calls_of_verify():
            self.add(call)

    def _add_outcome(self, number: int, call: CallRecord) -> None:
        """Complete the call of this number, and learn from its outcome."""
        self.step.add_outcome(number, call)
        self.learner.learn(call)

    def _add_decisions(self, recorded: TrialStep, number: int) -> None:
        """Add the recorded decisions of the user and the checks about the call of this number."""
        for approval in recorded.approvals:
            if approval.number == number:
                self.checks.remember_approval(approval)
        for stopped in recorded.stopped:
            if stopped.number == number:
                self.checks.remember_stop(stopped)
