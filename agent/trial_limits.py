"""The limits of a trial, such as its calls and its cost. A trial that reaches a limit
ends with a fallback.

Each limit is a `TrialLimit`. It counts what each completed step used. In a resumed
trial, recorded steps count like new ones. When most of a limit is used, it may warn the
model. When it is reached, it gives the reason for the end of the trial.

The limits here hold for every solver. `agent/loop/turn_limits.py` has those of the
usual loop, in which a model writes one script each turn.
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
    """One limit of a trial, and how much of it is used."""

    __slots__ = ()

    names_last_fault: ClassVar[bool] = False
    """True if the reason for the trial's end also names the model's last fault, such as
    the gate that rejected its answer."""

    @abstractmethod
    def count(self, step: TrialStep) -> None:
        """Count what a completed step used. It must have its summary (`done`)."""

    @property
    @abstractmethod
    def reason(self) -> str:
        """The reason for the trial's end, such as "no answer within 35 steps"; empty
        below the limit."""

    def warning(self, message: str) -> str:
        """Return the warning for the model after the last counted step; usually empty.

        `message` is what the step adds to the conversation besides: the reply and its
        feedback.
        """
        return ""

    def after(self, step: TrialStep) -> Self:
        """Return a copy in which a step is counted, to warn before the step itself is
        counted."""
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
        # Warn once: after the step that reached the share.
        warned_at = self.max_calls * WARNED_SHARE
        was_reached_in_last_step = self._used_before < warned_at <= self.used
        remaining_calls = self.max_calls - self.used
        if not was_reached_in_last_step or remaining_calls <= 0:
            return ""
        return f"<budget>\nThis trial may make {remaining_calls:,} more calls.\n</budget>\n"

    def refusal(self, step: TrialStep) -> str:
        """Return the reason why the current step may make no further call; empty if it
        may."""
        if self.used + calls_in(step) < self.max_calls:
            return ""
        return (
            f"a trial makes at most {self.max_calls:,} calls (--max-calls), and they are used up: "
            "answer in this script"
        )


def calls_in(step: TrialStep) -> int:
    """Return the number of calls that a step sent to the environment.

    Calls that the environment's functions make (they have an `outer` call) do not
    count, because the solver cannot know how many there are.
    """
    count = 0
    for call in step.calls:
        if call.outer is None and call.state != "not_made":
            count += 1
    return count


@dataclass(slots=True)
class SubmissionLimit(TrialLimit):
    """The number of submissions (proposed answers) that the gates judge in a trial.
    More would only try out what passes."""

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
        """Return the reason why no further submission of the current step is judged;
        empty if it may be."""
        if self.used + len(step.submissions) < self.max_submissions:
            return ""
        return (
            f"{self.max_submissions} submissions of this trial were sent back: "
            "no further one is judged."
        )


@dataclass(slots=True)
class CostLimit(TrialLimit):
    """The dollars that a trial may spend on replies of models (`--trial-cost`).

    All paid replies count: to the solver, the benchmark and the second reader, and
    those that could not be used. Each counts when it arrives, not at the end of a step.
    A resumed trial first counts the recorded replies.
    """

    max_usd: float | None = None
    """None for no limit."""
    has_unpriced_reply: bool = False
    """True if the price of a reply is unknown, so that the limit cannot be enforced."""
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
            return f"the trial {self._cost.explanation('${:.4g}')} (--trial-cost)"
        return ""
