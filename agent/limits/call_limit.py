"""The limit of the calls that a trial makes to its environment (`--max-calls`).

| calls made, with `--max-calls 100` | what happens |
|---|---|
| 80 or more, at the end of a step | the model is told once: `This trial may make 20 more calls.` |
| 100, within a step | further calls are refused |
| 100, at the end of a step | the trial ends: `no answer within 100 calls (--max-calls)` |
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Final, Self

from controlplane.agent.record.step_calls import solver_call_count
from controlplane.agent.record.trial_step import TrialStep

# What a limit of a trial does: it counts steps, warns the model, and ends the trial.
#
# For example, the limit of steps warns the model that 4 steps are left. Later it ends the trial for
# the reason `no answer within 12 steps`.


class TrialLimit(ABC):
    """One limit of a trial, and how much of it is used.

    A step counts when it is complete. But the message to the model about the step is written
    before, and has the limit's warning. With 12 steps, in the 8th one:

        limit.after(step).warning    "4 steps are left", for the message
        limit.count(step)            the step is complete: 8 steps are used
        limit.reason                 "": the trial goes on

    A resumed trial also counts the steps of its record. Their messages are written already.
    """

    __slots__ = ()

    names_last_fault: ClassVar[bool] = False
    """True if the caller adds to the `reason` what went wrong last in the trial:
    `no answer within 35 steps: the last submission was sent back by gate 3 (paths)`."""

    submits_left_answer: ClassVar[bool] = True
    """True if the trial, before this limit ends it, submits an answer that a script has only kept
    in its data, for the next script to submit. There is no next script."""

    @abstractmethod
    def count(self, step: TrialStep) -> None:
        """Count what a completed step used. The summary of the step is in `step.done`."""

    @property
    @abstractmethod
    def reason(self) -> str:
        """Why the trial ends: `no answer within 35 steps`; empty below the limit."""

    @property
    def warning(self) -> str:
        """The warning for the model, `4 steps are left`; usually empty."""
        return ""

    def after(self, step: TrialStep) -> Self:
        """Return a copy of this limit that has counted a step; the limit itself has not."""
        limit = copy.copy(self)
        limit.count(step)
        return limit


DEFAULT_MAX_CALLS: Final = 5_000
"""The default of the setting `max_calls`. Honest trials make a few hundred calls."""
_WARNED_SHARE: Final = 0.8
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
        warned_at = self.max_calls * _WARNED_SHARE
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
