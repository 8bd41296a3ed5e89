"""What a model did in a task: its replies, how its scripts ran, and the score.

`PlayedTask("count.1", steps=[PlayedStep("print(1)", "", "", "finished")]).first_fault` is `-`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


class PlayedStep(NamedTuple):
    """One reply of the model, and how the script in it ran. A text is empty if there is none."""

    script: str
    reply_fault: str
    """The kind of fault for which the reply could not be used: `empty`, `cut_off`, ..."""
    script_error: str
    """The error that ended the script, as Python prints it."""
    ending: str
    """How the script ended: `finished`, `raised`, ..."""

    @property
    def fault(self) -> str:
        """What went wrong in this step, in one line."""
        if self.reply_fault:
            return f"unusable reply ({self.reply_fault})"
        error_lines = self.script_error.strip().splitlines()
        return error_lines[-1].strip() if error_lines else ""


@dataclass
class PlayedTask:
    """What the journal says of one trial, that is, one attempt at a task."""

    task_id: str
    steps: list[PlayedStep] = field(default_factory=list)
    score: float | None = None
    submissions: int = 0
    """How many answers were judged."""
    end_reason: str = ""
    """Why the trial ended without an answer."""

    @property
    def usable_replies(self) -> int:
        return sum(1 for step in self.steps if step.script and not step.reply_fault)

    @property
    def scripts(self) -> int:
        return sum(1 for step in self.steps if step.script)

    @property
    def finished_scripts(self) -> int:
        return sum(1 for step in self.steps if step.ending == "finished")

    @property
    def first_fault(self) -> str:
        """The first unusable reply or error of a script; else why the trial ended."""
        for number, step in enumerate(self.steps, start=1):
            if step.fault:
                return f"step {number}: {step.fault}"
        return self.end_reason or "-"
