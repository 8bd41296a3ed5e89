"""The limits of a trial that hold for every solver: calls, submissions and cost.

The turn loop has further ones (`agent/loop/limits/turn_limits.py`).
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar, Final, Self

from controlplane.agent.events import ModelReplied
from controlplane.agent.spending import PRICE_REMEDY, UNPRICED, Meter
from controlplane.agent.trial_record import TrialStep
from controlplane.sandbox.interface import bounds


class TrialLimit(ABC):
    """One limit of a trial, and how much of it is used.

    A limit counts each completed step, new or recorded. It may warn the model when most
    of it is used. When all of it is used, it gives the reason for the trial's end.
    """

    __slots__ = ()

    names_last_fault: ClassVar[bool] = False
    """True if the reason is shown with the model's last
    fault, such as the gate that rejected its answer."""

    @abstractmethod
    def count(self, step: TrialStep) -> None:
        """Count what a completed step used. It must have its summary (`done`)."""

    @property
    @abstractmethod
    def reason(self) -> str:
        """Why the trial ends: `no answer within 35 steps`; empty below the limit."""

    def warning(self, message: str) -> str:
        """Return the warning for the model after the last counted step; usually empty.

        `message` is what the step adds to the conversation without the warning.
        """
        return ""

    def after(self, step: TrialStep) -> Self:
        """Return a copy that has counted a step, for a warning before the step is complete."""
        limit = copy.copy(self)
        limit.count(step)
        return limit


DEFAULT_MAX_CALLS: Final = 5_000
"""The default of the setting `max_calls`. Honest trials make a few hundred calls."""
WARNED_SHARE: Final = 0.8
"""The model is told how many calls are left once this share is used."""


@dataclass(slots=True)
class CallLimit(TrialLimit):
    """The number of calls that a trial may make (`--max-calls`)."""

    names_last_fault = True

    max_calls: int = DEFAULT_MAX_CALLS
    used: int = 0
    """Calls of all counted steps."""
    _used_before: int = 0
    """Calls of all counted steps except the last one."""

    def count(self, step: TrialStep) -> None:
        self._used_before = self.used
        self.used += calls_in(step)

    @property
    def reason(self) -> str:
        if self.used < self.max_calls:
            return ""
        return f"no answer within {self.max_calls:,} calls (--max-calls)"

    def warning(self, message: str) -> str:
        remaining = self.max_calls - self.used
        warned_at = self.max_calls * WARNED_SHARE
        is_due = self._used_before < warned_at <= self.used
        if not is_due or remaining <= 0:
            return ""
        return f"<budget>\nThis trial may make {remaining:,} more calls.\n</budget>\n"

    def refusal(self, step: TrialStep) -> str:
        """Return why the current step may make no further call; empty if it may."""
        if self.used + calls_in(step) < self.max_calls:
            return ""
        return (
            f"a trial makes at most {self.max_calls:,} calls (--max-calls), "
            "and they are used up: answer in this script"
        )


def calls_in(step: TrialStep) -> int:
    """Return the number of calls that a step's solver sent to the environment.

    A function of the environment may make further calls. They do not count, because the
    solver cannot know how many there are.
    """
    count = 0
    for call in step.calls:
        is_of_solver = call.outer is None
        if is_of_solver and call.state != "not_made":
            count += 1
    return count


@dataclass(slots=True)
class SubmissionLimit(TrialLimit):
    """The number of submissions that the gates judge in a trial.

    A solver with more of them could guess answers until one passes.
    """

    names_last_fault = True

    max_submissions: int = bounds.MOST_SUBMISSIONS
    used: int = 0
    """Submissions of all counted steps."""

    def count(self, step: TrialStep) -> None:
        self.used += len(step.submissions)

    @property
    def reason(self) -> str:
        if self.used < self.max_submissions:
            return ""
        return f"{self.max_submissions} submissions were sent back"

    def refusal(self, step: TrialStep) -> str:
        """Return why the current step may submit nothing more; empty if it may."""
        if self.used + len(step.submissions) < self.max_submissions:
            return ""
        return (
            f"{self.max_submissions} submissions of this trial were sent back: "
            "no further one is judged."
        )


@dataclass(slots=True)
class CostLimit(TrialLimit):
    """The dollars that a trial may spend on replies of models (`--trial-cost`).

    All paid replies count, even those that could not be used.
    """

    max_usd: float | None = None
    """None for no limit."""
    has_unpriced_reply: bool = False
    """True if the price of a reply is unknown."""
    _cost: Meter = field(init=False)

    def __post_init__(self) -> None:
        self._cost = Meter(self.max_usd)

    def count(self, step: TrialStep) -> None:
        """Do nothing: `count_reply` counts each reply as it arrives."""

    def count_reply(self, replied: ModelReplied) -> None:
        """Count a reply, either new or recorded."""
        if self.max_usd is None:
            return
        cost_usd = replied.known_cost_usd
        if cost_usd is None:
            self.has_unpriced_reply = True
        else:
            self._cost.add(cost_usd)

    @property
    def reason(self) -> str:
        if self.has_unpriced_reply:
            return f"{UNPRICED}, so --trial-cost cannot be kept; {PRICE_REMEDY}"
        if self._cost.is_used_up(requests=1):
            return f"the trial {self._cost.explanation} (--trial-cost)"
        return ""
