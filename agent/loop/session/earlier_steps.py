"""Restores what a trial knows from the recorded steps of an earlier attempt.

A resumed trial goes on after its last recorded step. It first takes the calls, citations
and submissions of these steps from the journal, as if it had just made them.
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
        for step in self.recorder.tape.record.all_steps.whole:
            self.restore(step)
            yield step

    def restore(self, step: TrialStep) -> None:
        """Make a recorded step the current one, and take all that happened in it.

        The order is that of the step: what a citation may name was read by calls, and a
        submission is judged by both.
        """
        summary = step.summary
        recorder = self.recorder
        recorder.step.begin(step.number)

        # 1. The script and its calls, which say what the trial has read. One of them may
        #    have told that the environment has ended the trial.
        output = summary.output if summary.code else ""
        recorder.evidence_log.record_script(summary.code, output)
        recorder.restored_calls.add_step(step)
        for call in step.calls:
            self.gated_exit.outlet.close_if_environment_ended(
                call.operation, call.result or {}
            )

        # 2. What the script cited and submitted, and whether the environment took the answer.
        for citation in step.citations:
            recorder.add_citation(citation)
        for judged in step.submissions:
            self.gated_exit.add_judged(judged)
        for answered in step.answer_results:
            self.gated_exit.outlet.learn_result(answered)

        # 3. The model's replies, and the summary, which the limits count.
        recorder.current_step.replies.extend(step.replies)
        self.steps.complete(summary)
