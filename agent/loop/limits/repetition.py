"""The limit of repetition: how many times in a row a model may do the same thing in vain.

| what comes again | in vain, because | the trial ends after |
|---|---|---|
| a script | it is refused before it runs, for its syntax | `max_same` |
| a script | it prints the same each time | `max_runs` |
| a submission | the gates, rules for answers, reject it | `max_same` |
"""

from __future__ import annotations

from dataclasses import dataclass, field

from controlplane.agent.limits.trial_limit import TrialLimit
from controlplane.agent.loop.limits.rejected_submissions import RejectedSubmissions
from controlplane.agent.loop.limits.repeated_scripts import RepeatedScripts
from controlplane.agent.record.trial_step import TrialStep


@dataclass(slots=True)
class RepetitionLimit(TrialLimit):
    """Ends a trial whose model does the same thing in vain, again and again.

    Before that, the next request is changed: see `is_repeating` and `is_same_failure`.
    """

    max_same: int
    """Max refusals of the same script, and rejections of the same submission."""
    max_runs: int = 0
    """Max runs of the same script with the same output; 0 for no limit."""
    _scripts: RepeatedScripts = field(default_factory=RepeatedScripts)
    """How many times in a row scripts were refused, ran in the same way, or failed. Different
    scripts that fail with the same error change the next request, but do not end the trial."""
    submissions: RejectedSubmissions = field(default_factory=RejectedSubmissions)
    """How many times in a row the same answer was rejected."""

    def count(self, step: TrialStep) -> None:
        """Count the step's script and its last submission."""
        self._scripts = self._scripts.followed_by(step)
        if step.submissions:
            self.submissions = self.submissions.followed_by(step.submissions[-1])

    @property
    def warning(self) -> str:
        """The note about the script of the last step; empty if it repeated nothing."""
        return self._scripts.note

    @property
    def is_repeating(self) -> bool:
        """True if an error, a script or a submission has come twice in a row.

        The next request then has a higher temperature, so that the model writes something else.
        """
        return self._scripts.is_repeating or self.submissions.repeats.is_repetition

    @property
    def is_same_failure(self) -> bool:
        """True if the last two scripts failed with the same error.

        The next request then leaves out the last reply, so that the model does not copy it.
        """
        return self._scripts.failures.is_repetition

    @property
    def reason(self) -> str:
        """Why the trial ends: `the model wrote the same script 5 times in a row, ...`."""
        refusals = self._scripts.refusals
        if refusals.times >= self.max_same:
            return (
                f"the model wrote the same script {refusals.in_a_row}, "
                "each time refused before it ran"
            )
        runs = self._scripts.runs
        if self.max_runs and runs.times >= self.max_runs:
            return (
                f"the model ran the same script {runs.in_a_row}, "
                "each time with the same output"
            )
        rejections = self.submissions.repeats
        if rejections.times >= self.max_same:
            return (
                f"the model submitted the same answer {rejections.in_a_row}, "
                f"each time sent back by {self.submissions.rejected_by}"
            )
        return ""
