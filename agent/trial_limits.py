"""Limits of one trial: how much it may use of something before it ends with the fallback.

Each limit is one `TrialLimit`. It counts what each whole step used, whether the step was just lived
or is read from a journal, so a resumed trial goes on with the same counts. It warns the model before
the limit is reached, and it gives the reason for the end of the trial once it is.

The limits here hold for every solver. Those of the turn loop are in `agent/loop/turn_limits.py`.
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
    """True if the end of the trial also names the last fault of the model, such as the gate that
    sent its answer back."""

    @abstractmethod
    def count(self, step: TrialStep) -> None:
        """Count what a whole step used. Its `done` is set."""

    @property
    @abstractmethod
    def reason(self) -> str:
        """The reason why the trial ends, such as "no answer within 35 steps"; empty below the limit."""

    def warning(self, message: str) -> str:
        """Return what to tell the model after the last counted step; usually an empty string.

        `message` is everything that is added to the conversation with the warning.
        """
        return ""

    def after(self, step: TrialStep) -> Self:
        """Return the limit as it will be once a step is counted, for the step's own warning."""
        limit = copy.copy(self)
        limit.count(step)
        return limit


DEFAULT_MAX_CALLS: Final = 5_000
"""Calls of a trial without the setting `max_calls`: honest trials make a few hundred."""
WARNED_SHARE: Final = 0.8
"""The share of the calls after which the model is told how many are left."""


@dataclass(slots=True)
class CallLimit(TrialLimit):
    """The number of calls that a trial may make (`--max-calls`)."""

    names_last_fault = True

    max_calls: int = DEFAULT_MAX_CALLS
    used: int = 0
    """Calls of the steps that are counted."""
    _used_before: int = 0
    """Calls of the steps before the last one that is counted."""

    def count(self, step: TrialStep) -> None:
        self._used_before = self.used
        self.used += calls_in(step)

    @property
    def reason(self) -> str:
        if self.used < self.max_calls:
            return ""
        return f"no answer within {self.max_calls:,} calls (--max-calls)"

    def warning(self, message: str) -> str:
        warned_at = self.max_calls * WARNED_SHARE
        remaining_calls = self.max_calls - self.used
        if not self._used_before < warned_at <= self.used or remaining_calls <= 0:
            return ""
        return f"<budget>\nThis trial may make {remaining_calls:,} more calls.\n</budget>\n"

    def refusal(self, step: TrialStep) -> str:
        """Return why a further call of the step under way is not made; empty if it may be."""
        if self.used + calls_in(step) < self.max_calls:
            return ""
        return (
            f"a trial makes at most {self.max_calls:,} calls (--max-calls), and they are used up: "
            "answer in this script"
        )


def calls_in(step: TrialStep) -> int:
    """Return the number of calls that a step made; those inside a function's result are not counted."""
    count = 0
    for call in step.calls:
        if call.outer is None and call.state != "not_made":
            count += 1
    return count


@dataclass(slots=True)
class SubmissionLimit(TrialLimit):
    """The number of submissions that the gates judge in a trial: more would only try what passes."""

    names_last_fault = True

    max_submissions: int = bounds.MOST_SUBMISSIONS
    used: int = 0
    """Submissions of the steps that are counted."""

    def count(self, step: TrialStep) -> None:
        self.used += len(step.submissions)

    @property
    def reason(self) -> str:
        if self.used < self.max_submissions:
            return ""
        return f"{self.max_submissions} submissions were sent back"

    def refusal(self, step: TrialStep) -> str:
        """Return why a further submission of the step under way is not judged; empty if it may be."""
        if self.used + len(step.submissions) < self.max_submissions:
            return ""
        return (
            f"{self.max_submissions} submissions of this trial were sent back: "
            "no further one is judged."
        )


@dataclass(slots=True)
class CostLimit(TrialLimit):
    """The dollars that a trial may spend on replies of models (`--trial-cost`).

    Every reply that is paid for counts: those of the solver, those that its benchmark or a second
    reader asks for, and those that could not be used. A reply counts when it arrives, also outside of
    a step. A resumed trial counts the recorded replies first.
    """

    max_usd: float | None = None
    """None: without a limit."""
    has_unpriced_reply: bool = False
    """True if the price of a reply is not known, so that the limit cannot be kept."""
    _cost: Meter = field(init=False)

    def __post_init__(self) -> None:
        self._cost = Meter(self.max_usd)

    def count(self, step: TrialStep) -> None:
        """Do nothing: `count_reply` counts each reply as it arrives."""

    def count_reply(self, replied: ModelReplied) -> None:
        """Count a reply that has just arrived, or that is recorded."""
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
