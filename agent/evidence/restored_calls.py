"""Adds recorded calls to a trial, without making them again.

A trial whose process was killed in step 3 goes on there: steps 1 and 2 are recorded with all
results, so their scripts need not run. Their calls are only added, as if they had just
happened. From the result of each call, the trial learns which files an answer may cite:

    recorded   0  read("/docs/fees.md")   {"content": "Fee: 7 EUR"}
    added      0  read("/docs/fees.md")   an answer may cite /docs/fees.md from now on
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.calls.call_learner import CallLearner
from controlplane.agent.evidence.calls.step_log import StepLog
from controlplane.agent.evidence.checks.call_checks import CallChecks
from controlplane.agent.evidence.tape import Tape
from controlplane.agent.record.inner_calls import calls_by_function
from controlplane.agent.record.trial_step import TrialStep


@dataclass(frozen=True, slots=True)
class RestoredCalls:
    """Adds recorded calls to the current step of one trial, without making them again."""

    step: StepLog
    """The current step, which gets the calls."""
    tape: Tape
    """The recorded steps."""
    learner: CallLearner
    """Learns from the outcome of each call."""
    checks: CallChecks
    """Remembers what the user and the checks decided about calls."""

    def add(self, call: CallRecord) -> None:
        """Add a recorded call at the end of the current step, and learn from its outcome."""
        place = self.step.add_call(call)  # its position in the current step
        self._add_outcome(place, call)

    def add_step(self, recorded: TrialStep) -> None:
        """Add the recorded calls of a whole step, and the decisions about them.

        A function of the benchmark makes *inner* calls. Its outcome follows theirs:

            0  total_fee()      added first, without its outcome
            1  read("/a.md")    an inner call of number 0: added next, with its outcome
            0  total_fee()      then gets its outcome
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
        recorded = self.tape.step(self.step.number)
        # If the step has repeated two calls, the third on the tape is the next.
        for call in recorded.calls[self.step.call_count :]:
            if not call.in_verify:
                break
            self.add(call)

    def _add_outcome(self, place: int, call: CallRecord) -> None:
        """Add the outcome of the call at a position of the current step, and learn from it."""
        self.step.add_outcome(place, call)
        self.learner.learn(call)

    def _add_decisions_before(self, number: int, recorded: TrialStep) -> None:
        """Add what the user and the checks decided before the call with this number was sent.

        If they stopped a call after two others were sent, it has the number 2, and so has the
        call that was sent next.
        """
        for approval in recorded.approvals:
            if approval.number == number:
                self.checks.remember_approval(approval)
        for stopped in recorded.stopped:
            if stopped.number == number:
                self.checks.remember_stop(stopped)
