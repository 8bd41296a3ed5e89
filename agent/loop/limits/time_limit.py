"""The limit of the wall-clock time of a trial: `no answer within 900 s`.

The model is warned in the last minute.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from controlplane.agent.limits.trial_limit import TrialLimit
from controlplane.agent.loop.prompt_files import default_prompts
from controlplane.agent.loop.prompt_texts import Prompts
from controlplane.agent.loop.session.trial_clock import TrialClock
from controlplane.agent.record.trial_step import TrialStep

LAST_SECONDS: Final = 60.0
"""The model is warned once fewer seconds than this are left."""


@dataclass(slots=True)
class TimeLimit(TrialLimit):
    """Limits the wall-clock time of a trial."""

    # What was wrong with the last reply or answer is told after the reason for the end.
    names_last_fault = True
    # If the last script left an answer without submitting it, it is not submitted when the time
    # ends. At which step that is depends on the computer's speed, and so the answer would, too.
    submits_left_answer = False

    clock: TrialClock
    """Has the time that the trial has used."""
    limit_s: float
    """Seconds that the trial may use."""
    prompts: Prompts = field(default_factory=default_prompts)
    """Has the text of the warning."""

    def count(self, step: TrialStep) -> None:
        """Do nothing: the clock runs by itself."""

    @property
    def remaining_s(self) -> float:
        """Seconds that the trial may still use."""
        return self.limit_s - self.clock.used_s

    @property
    def reason(self) -> str:
        """Why the trial ends; empty while time is left."""
        if self.remaining_s > 0:
            return ""
        return f"no answer within {self.limit_s:g} s"

    @property
    def warning(self) -> str:
        """The warning with the seconds that are left; empty before the last minute."""
        remaining_s = self.remaining_s
        if remaining_s >= LAST_SECONDS:
            return ""
        rounded_s = max(0, round(remaining_s / 10) * 10)
        return self.prompts.filled("time", seconds=rounded_s)
