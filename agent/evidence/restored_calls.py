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
from controlplane.agent.evidence.tape import TapedCalls
from controlplane.agent.record.step_calls import calls_by_function
from controlplane.agent.record.trial_step import TrialStep


@dataclass(frozen=True, slots=True)
class RestoredCalls:
    """Adds recorded calls to the current step of one trial, without making them again.

    A resumed trial need not run the script of a recorded step: the script's calls are put in
    the step with their results, `add_step` for all of them. `number` is the position of a call
    in the recorded step, and `place` in the current one, which may have other calls already.
    """

    step: CurrentStep
    """The current step, which gets the calls."""
    learner: CallLearner
    """Learns from the result of each call, such as which files an answer may cite."""
    checks: CallChecks
    """Remembers what the user and the checks decided about calls."""
    taped_calls: TapedCalls
    """Knows which recorded calls of the current step are not repeated yet."""

    def add(self, call: CallRecord) -> None:
        """Add a recorded call at the end of the current step, and learn from its outcome."""
        place = self.step.add_call(call)
        self._add_outcome(place, call)

    def add_step(self, recorded: TrialStep) -> None:
        """Add the recorded calls of a whole step, and the decisions about them.

        A function of the benchmark makes calls of its own, the *inner* calls: `total_fee` has
        called `read` twice before it returned. So it gets its place in the step first, but its
        outcome is added after those of its inner calls.
        """
        inner_calls = calls_by_function(recorded.calls)
        for number, call in enumerate(recorded.calls):
            self._add_decisions_before(number, recorded)
            is_inner_call = call.outer is not None
            if is_inner_call:
                continue  # It is added with the call of its function.
            place = self.step.add_call(call)
            for inner_call in inner_calls.get(number, []):
                self.add(inner_call)
            self._add_outcome(place, call)
        # A call after the last one may have been stopped, or refused by the user.
        self._add_decisions_before(len(recorded.calls), recorded)

    def add_calls_of_verify(self) -> None:
        """Add the recorded calls of a script's `verify` that the step has not repeated yet.

        `verify` is the script's own check of its answer. In a replay with stricter gates, the
        answer may be rejected before `verify` runs. Its recorded calls are still evidence.
        """
        for call in self.taped_calls.next_calls_of_verify():
            self.add(call)

    def _add_outcome(self, place: int, call: CallRecord) -> None:
        """Add the outcome of the call at a place of the current step, and learn from it."""
        self.step.add_outcome(place, call)
        self.learner.learn(call)

    def _add_decisions_before(self, number: int, recorded: TrialStep) -> None:
        """Add what the user and the checks decided before the call with this number was sent.

        A call that they did not let pass has the number of the next one that was sent.
        """
        for approval in recorded.approvals:
            if approval.number == number:
                self.checks.remember_approval(approval)
        for stopped in recorded.stopped:
            if stopped.number == number:
                self.checks.remember_stop(stopped)
