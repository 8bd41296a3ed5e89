"""The limit of the calls that a trial makes to its environment (`--max-calls`).

| calls made, with `--max-calls 100` | what happens |
|---|---|
| 80 or more, at the end of a step | the model is told once: `This trial may make 20 more calls.` |
| 100, within a step | further calls are refused |
| 100, at the end of a step | the trial ends: `no answer within 100 calls (--max-calls)` |
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.agent.limits.trial_limit import TrialLimit
from controlplane.agent.record.inner_calls import solver_call_count
from controlplane.agent.record.trial_step import TrialStep

DEFAULT_MAX_CALLS: Final = 5_000
"""The default of the setting `max_calls`. Honest trials make a few hundred calls."""
WARNED_SHARE: Final = 0.8
"""The model is told how many calls are left once this share is used."""


@dataclass(slots=True)
class CallLimit(TrialLimit):
    """Counts the calls of a trial."""

    names_last_fault = True  # The end also says what was wrong with the last answer.

    max_calls: int = DEFAULT_MAX_CALLS
    used: int = 0
    """Calls of all counted steps."""
    _used_before: int = 0
    """Calls of all counted steps except the last one."""

    def count(self, step: TrialStep) -> None:
        """Count the calls of a completed step."""
        self._used_before = self.used
        self.used += solver_call_count(step.calls)

    @property
    def reason(self) -> str:
        """Why the trial ends; empty while it has calls left."""
        if self.used < self.max_calls:
            return ""
        return f"no answer within {self.max_calls:,} calls (--max-calls)"

    @property
    def warning(self) -> str:
        """How many calls are left, told once: after the step that has reached the share."""
        remaining = self.max_calls - self.used
        warned_at = self.max_calls * WARNED_SHARE
        is_due = self._used_before < warned_at <= self.used
        if not is_due or remaining <= 0:
            return ""
        return f"<budget>\nThis trial may make {remaining:,} more calls.\n</budget>\n"

    def refusal(self, step: TrialStep) -> str:
        """Return why the current step may make no further call; empty if it may.

        `used` has the calls of the steps before it, so its own are added.
        """
        if self.used + solver_call_count(step.calls) < self.max_calls:
            return ""
        return (
            f"a trial makes at most {self.max_calls:,} calls (--max-calls), "
            "and they are used up: answer in this script"
        )
