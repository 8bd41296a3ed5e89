"""Adds recorded calls to a trial, without making them again.

Without this, an answer could not cite what these calls have read. There are two uses:

- A trial whose process was killed in step 3 goes on there. The scripts of steps 1 and 2 do not run
  again, so `add` adds each of their calls, in order.
- A recorded step runs again: step 3, or any step of a *replay*, which checks a recorded trial. If
  its answer is rejected now, its own check `verify` does not run, so `add_calls_of_verify` adds
  the recorded calls of that check.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.calls.call_learner import CallLearner
from controlplane.agent.evidence.calls.step_log import StepLog
from controlplane.agent.evidence.tape import TapeReader


@dataclass(frozen=True, slots=True)
class RestoredCalls:
    """Adds recorded calls to the current step of one trial."""

    step: StepLog
    """The current step, which gets the calls."""
    reader: TapeReader
    """Has the recorded step."""
    learner: CallLearner
    """Learns from the outcome of each call."""

    def add(self, call: CallRecord, requested_calls: Sequence[CallRecord] = ()) -> None:
        """Add a recorded call at the end of the current step, and learn from its outcome.

        `requested_calls` are those that a function of the benchmark has asked for. They come
        between its call and its outcome:

            0  total_fee()      is added without its outcome
            1  read("/a.md")    was asked for by number 0: is added with its outcome
            0  total_fee()      gets its outcome
        """
        number = self.step.add_call(call)
        for requested_call in requested_calls:
            self.add(requested_call)
        self.step.add_outcome(number, call)
        self.learner.learn(call)

    def add_calls_of_verify(self) -> None:
        """Add the recorded calls of a script's `verify` that the step has not repeated yet.

        The step repeats its recorded calls in order, so the others follow those that it has:

            recorded          0  read("/a.md")    1  read("/b.md") in verify    2  read("/c.md")
            the step has      0  read("/a.md")
            added             1  read("/b.md")
        """
        recorded_calls = self.reader.recorded_step.calls
        not_repeated = recorded_calls[self.step.call_count :]
        for call in not_repeated:
            if not call.in_verify:
                break
            self.add(call)
