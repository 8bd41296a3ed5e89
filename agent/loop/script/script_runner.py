"""Runs the scripts of a trial, and writes the message to the model about each of them.

For a script that prints 12, the message is `<output step="3">12</output>`.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import ScriptMeasured
from controlplane.agent.loop.script.script_feedback import (
    other_actions_note,
    other_actions_notice,
    step_feedback,
)
from controlplane.agent.loop.script.unsubmitted_notes import note_if_unsubmitted
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.sandbox import Sandbox, StepResult
from controlplane.sandbox.interface import Plain


@dataclass(frozen=True, slots=True)
class ScriptRun:
    """A script that was run, and the message to the model about it."""

    result: StepResult
    """What the script has printed, its error, and the data that it left."""
    feedback: tuple[str, ...]
    """The message, in pieces to be joined; empty if the trial is over."""


@dataclass(frozen=True, slots=True)
class ScriptRunner:
    """Runs scripts in the sandbox of one trial."""

    session: TrialSession
    box: Sandbox

    @property
    def scratchpad(self) -> dict[str, Plain]:
        """The data that the scripts so far have left for the next ones."""
        return self.box.scratchpad

    def run(self, code: str, other_actions: int) -> ScriptRun:
        """Run the script of the current step, and say what the model is told about it.

        `other_actions` is the number of further scripts in the reply, which are not run.
        """
        step = self.session.current_step.number
        result = self.box.run(code, step=step)
        self._write_memory(step)
        return ScriptRun(result, self._feedback(code, result, other_actions))

    def _write_memory(self, step: int) -> None:
        """Write to the journal how much memory the script's process has used, if it is known."""
        peak_memory_bytes = self.box.peak_memory_bytes
        if peak_memory_bytes is None:
            return
        event = ScriptMeasured(
            trial_id=self.session.trial_id,
            step=step,
            peak_memory_bytes=peak_memory_bytes,
        )
        self.session.recorder.journal.write_memory(event)

    def _feedback(
        self, code: str, result: StepResult, other_actions: int
    ) -> tuple[str, ...]:
        """Return the message to the model after a script; empty if the trial is over."""
        session = self.session
        if session.is_over:
            # The model gets no further message. So the user is told of scripts not run.
            if other_actions:
                session.notice(other_actions_notice(other_actions))
            return ()

        # 1. What the script has printed, its error, and what the gates said about its answers
        step = session.current_step
        feedback = step_feedback(step.number, result, step.submissions, session.notes)

        # 2. Notes: it has submitted nothing, or was not the only script of the reply
        if not step.submissions:
            note = note_if_unsubmitted(
                code, self._scratchpad_before(), result, has_calls=bool(step.calls)
            )
            if note:
                feedback.append(note)
        if other_actions:
            feedback.append(other_actions_note(other_actions))
        return tuple(feedback)

    def _scratchpad_before(self) -> dict[str, Plain]:
        """Return the data that the last completed step has left; empty before the first one."""
        last_step = self.session.steps.last
        return last_step.scratchpad if last_step else {}
