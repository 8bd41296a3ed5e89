"""What a limit of a trial does: it counts steps, warns the model, and ends the trial.

For example, the limit of steps warns the model that 4 steps are left. Later it ends the trial for
the reason `no answer within 12 steps`.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from typing import ClassVar, Self

from controlplane.agent.record.trial_step import TrialStep


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
