"""The limit of the submissions of a trial: the answers that its gates judge.

The gates send a wrong answer back with objections, and the solver may try again. With no
limit, it could guess until an answer passes.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.limits.trial_limit import TrialLimit
from controlplane.agent.record.trial_step import TrialStep
from controlplane.sandbox.interface import bounds


@dataclass(slots=True)
class SubmissionLimit(TrialLimit):
    """The number of submissions that the gates judge in a trial.

    After each step, `count` adds its submissions. Since an accepted one usually ends the trial,
    messages say of all of them that they were sent back.
    """

    names_last_fault = True  # The end also says which gate sent the last one back.

    max_submissions: int = bounds.MOST_SUBMISSIONS
    used: int = 0
    """Submissions of the completed steps."""

    def count(self, step: TrialStep) -> None:
        """Count the submissions of a completed step."""
        self.used += len(step.submissions)

    @property
    def reason(self) -> str:
        """Why the trial ends; empty while it may submit once more."""
        if self.used < self.max_submissions:
            return ""
        return f"{self.max_submissions} submissions were sent back"

    def refusal(self, step: TrialStep) -> str:
        """Return why the current step may submit nothing more; empty if it may.

        `used` has the submissions of the steps before it, so its own are added.
        """
        if self.used + len(step.submissions) < self.max_submissions:
            return ""
        return (
            f"{self.max_submissions} submissions of this trial were sent back: "
            "no further one is judged."
        )
