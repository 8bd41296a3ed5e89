"""What a limit of a trial does: it counts steps, warns the model, and ends the trial."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from typing import ClassVar, Self

from controlplane.agent.record.trial_step import TrialStep


class TrialLimit(ABC):
    """One limit of a trial, and how much of it is used.

    A limit counts each completed step, new or recorded. It may warn the model when most
    of it is used. When all of it is used, it gives the reason for the trial's end.
    """

    __slots__ = ()

    names_last_fault: ClassVar[bool] = False
    """True if the reason is shown with the model's last
    fault, such as the gate that rejected its answer."""

    leaves_last_answer: ClassVar[bool] = True
    """True if an answer that the last step left is submitted when this limit ends the trial."""

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
