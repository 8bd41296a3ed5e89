"""Restores what a trial knows from the recorded steps of an earlier attempt.

A trial whose process was killed in step 3 goes on with step 3. It first takes the calls,
citations and submissions of steps 1 and 2 from the journal, as if it had just made them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.gated_exit import GatedExit
from controlplane.agent.loop.session.trial_steps import TrialSteps
from controlplane.agent.record.trial_step import TrialStep


@dataclass(frozen=True, slots=True)
class EarlierSteps:
    """The recorded steps of a trial. To restore them, nothing is executed again."""

    recorder: Recorder
    """Has the record of the earlier attempt, and learns from its calls and citations."""
    gated_exit: GatedExit
    """Learns which answers were submitted, and whether one was sent."""
    steps: TrialSteps
    """Counts each step in the limits of the trial."""

    def restore_each(self) -> Iterator[TrialStep]:
        """Restore the recorded steps one by one, and yield each of them.

        A step that was cut off, and so has no recorded end, is left out.
        """
        for step in self.recorder.record.whole_steps:
            self.restore(step)
            yield step

    def restore(self, step: TrialStep) -> None:
        """Make a recorded step the current one, and take all that happened in it."""
        self.recorder.restore(step)  # its script, calls, citations and replies
        self.gated_exit.restore(step)  # its submissions and answers
        self.steps.complete(step.summary)
