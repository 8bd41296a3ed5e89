"""The limit of the submissions (answers that the gates judge) of a trial."""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.limits.trial_limit import TrialLimit
from controlplane.agent.record.trial_step import TrialStep
from controlplane.sandbox.interface import bounds


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
