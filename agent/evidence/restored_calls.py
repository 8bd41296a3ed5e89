"""Adds recorded calls to a trial, without making them again.

A trial that is resumed or replayed repeats its recorded steps. If the results of a step are
all recorded, its script need not run: the calls are put in the step as they are, and the
trial learns from their results which files it may cite.
"""

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
    """Adds recorded calls to the current step of one trial, without making them again.

    A resumed trial need not run the script of a recorded step: the script's calls are put in
    the step with their results. A call has a number in the recorded step, and a place in the
    current step. They may differ: the current step may have other calls already.
    """

    step: CurrentStep
    """The current step, which gets the calls."""
    learner: CallLearner
    """Learns from the result of each call, such as which files an answer may cite."""
    checks: CallChecks
    """Remembers what the user and the checks decided about calls."""
    recorded_calls: RecordedCalls
    """Knows which recorded calls of the current step are not repeated yet."""

    def add(self, call: CallRecord) -> None:
        """Add a recorded call."""
        place = self.step.add_call(call)
        self._add_outcome(place, call)

    def add_step(self, recorded: TrialStep) -> None:
        """Add the recorded calls of a whole step, and the decisions about them.

        A function of the benchmark makes calls of its own, the *inner* calls. Example: while
        the call of `total_fee` was under way, it made two calls of `read`. So `total_fee`
        gets its place in the step, then each `read` its place and its outcome, and at last
        `total_fee` its outcome.
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

    def _add_outcome(self, place: int, call: CallRecord) -> None:
        """Complete the call at a place of the current step, and learn from its outcome."""
        self.step.add_outcome(place, call)
        self.learner.learn(call)

    def _add_decisions(self, recorded: TrialStep, number: int) -> None:
        """Add what the user and the checks decided about a call of the recorded step."""
        for approval in recorded.approvals:
            if approval.number == number:
                self.checks.remember_approval(approval)
        for stopped in recorded.stopped:
            if stopped.number == number:
                self.checks.remember_stop(stopped)
