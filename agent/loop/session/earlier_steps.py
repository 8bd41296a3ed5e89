"""Restores what a trial knows after the recorded steps of an earlier attempt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.gated_exit import GatedExit
from controlplane.agent.loop.session.trial_steps import TrialSteps
from controlplane.agent.record.trial_step import TrialStep


@dataclass(frozen=True, slots=True)
class EarlierSteps:
    """The recorded steps of a trial. Restoring them executes nothing again."""

    recorder: Recorder
    exit: GatedExit
    steps: TrialSteps

    def restored(self) -> Iterator[TrialStep]:
        """Restore and yield the recorded steps in order.

        A step that was cut off, and so has no recorded end, is not among them.
        """
        for step in self.recorder.tape.record.all_steps.whole:
            self.restore(step)
            yield step

    def restore(self, step: TrialStep) -> None:
        """Restore what the trial knows after a recorded step.

        The order matters: citations depend on the calls before them, and submissions on both.
        """
        done = step.summary
        recorder = self.recorder
        recorder.step.begin(step.number)
        output = done.output if done.code else ""
        recorder.evidence_log.record_script(done.code, output)
        recorder.restored_calls.add_step(step)
        for call in step.calls:
            self.exit.outlet.close_if_environment_ended(
                call.operation, call.result or {}
            )
        for citation in step.citations:
            recorder.add_citation(citation)
        for judged in step.submissions:
            self.exit.take_submission(judged)
        for answered in step.answer_results:
            self.exit.outlet.take_result(answered)
        recorder.trace.replies.extend(step.replies)
        self.steps.finish(done)
