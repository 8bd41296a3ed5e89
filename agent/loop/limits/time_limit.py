"""The limit of the wall-clock time of a trial."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import Final

from controlplane.agent.limits.trial_limit import TrialLimit
from controlplane.agent.loop.prompt_files import default_prompts
from controlplane.agent.loop.prompt_texts import Prompts
from controlplane.agent.loop.session.trial_context import TrialClock
from controlplane.agent.record.trial_step import TrialStep

LAST_SECONDS: Final = 60.0
"""The model is warned once fewer seconds than this are left."""


@dataclass(slots=True)
class TimeLimit(TrialLimit):
    """Limits the wall-clock time of a trial."""

    names_last_fault = True
    leaves_last_answer = (
        False  # A resumed trial takes other times, and might decide otherwise.
    )

    clock: TrialClock
    limit_s: float
    """Seconds that the trial may use."""
    _: KW_ONLY
    prompts: Prompts = field(default_factory=default_prompts)

    def count(self, step: TrialStep) -> None:
        """Do nothing: the clock runs by itself."""

    @property
    def remaining_s(self) -> float:
        """Seconds that the trial may still use."""
        return self.limit_s - self.clock.used_s

    @property
    def reason(self) -> str:
        return f"no answer within {self.limit_s:g} s" if self.remaining_s <= 0 else ""

    def warning(self, message: str) -> str:
        remaining_s = self.remaining_s
        if remaining_s >= LAST_SECONDS:
            return ""
        rounded_s = max(0, round(remaining_s / 10) * 10)
        return self.prompts.filled("time", seconds=rounded_s)
