"""Runs the scripts of a trial in its sandbox, and records how much memory they take.

For a script that prints 12, `run` returns its result, and the message to the model about it:

    ScriptRun(StepResult(output="12\\n", ending="finished", ...), feedback=('<output step="3">', ...))
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import ScriptMeasured
from controlplane.agent.loop.script.run_feedback import run_feedback
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
        step = self.session.recorder.current_step.number
        result = self.box.run(code, step=step)
        self._write_memory(step)
        feedback = run_feedback(self.session, code, result, other_actions)
        return ScriptRun(result, feedback)

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
