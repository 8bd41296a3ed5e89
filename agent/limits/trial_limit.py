"""What a limit of a trial does: it counts steps, warns the model, and ends the trial.

For example, with `--max-steps 35` the limit of steps warns the model after step 30. Later it
ends the trial for the reason `no answer within 35 steps`.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from typing import ClassVar, Self

from controlplane.agent.record.trial_step import TrialStep


class TrialLimit(ABC):
    """One limit of a trial, and how much of it is used.

    It counts each completed step, also those that a resumed trial takes from its record. It
    may warn the model when most of it is used, and ends the trial when all of it is used.
    """

    __slots__ = ()

    names_last_fault: ClassVar[bool] = False
    """True if the reason does not say what went wrong, so the last fault follows it:
    `no answer within 35 steps: the last submission was sent back by gate 3 (paths)`."""

    submits_left_answer: ClassVar[bool] = True
    """True if the end by this limit submits an answer that the last
    script left in its data, but did not submit itself."""

    @abstractmethod
    def count(self, step: TrialStep) -> None:
        """Count what a step used. The step has its summary, `done`."""

    @property
    @abstractmethod
    def reason(self) -> str:
        """Why the trial ends: `no answer within 35 steps`; empty below the limit."""

    @property
    def warning(self) -> str:
        """The warning for the model after the last counted step; usually empty."""
        return ""

    def after(self, step: TrialStep) -> Self:
        """Return a copy of this limit that has counted a step.

        The step is still under way, and only the copy counts it. So its feedback to the
        model can have the warning that comes after it.
        """
        limit = copy.copy(self)
        limit.count(step)
        return limit
