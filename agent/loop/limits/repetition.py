"""The limit of repetition: how many times in a row a model may do the same thing in vain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.agent.events import Judged, StepDone
from controlplane.agent.loop.script_feedback import (
    fault_of,
    is_failure,
    repeated_failure_note,
    was_refused,
)
from controlplane.agent.trial_limits import TrialLimit
from controlplane.agent.trial_record import TrialStep


@dataclass(frozen=True, slots=True)
class Streak:
    """How many times in a row the same thing came, such as a script or an error.

    "a", "a" -> Streak(2, "a")
    "a", "a", "b" -> Streak(1, "b")
    """

    times: int = 0
    last: object = None
    """The thing that came last."""

    def followed_by(self, thing: object) -> Streak:
        """Return the streak after one more thing: longer by one, or a new one of length 1.

        An empty thing, such as an empty fault, ends the streak.
        """
        if not thing:
            return NO_STREAK
        if thing == self.last:
            return Streak(self.times + 1, thing)
        return Streak(1, thing)

    @property
    def in_a_row(self) -> str:
        return f"{self.times} times in a row"


NO_STREAK: Final = Streak()
"""The streak before anything came, and after its end."""

RUNS_BEFORE_WARNING: Final = 3
"""The model is warned after this many runs of the same script with the same output."""

SAME_OUTPUT_NOTE: Final = (
    f"<note>\nThis script ran {RUNS_BEFORE_WARNING} times in a row with the same "
    "output: do something else.\n</note>\n"
)


@dataclass(slots=True)
class RepetitionLimit(TrialLimit):
    """Ends a trial whose model repeats the same script or the same submission.

    A script may be refused before it runs, for example because of its syntax. A
    submission is an answer that a script hands in. The gates, which check it, may reject
    it and send it back.
    """

    max_same: int
    """Max refusals of the same script, and rejections of the same submission."""
    max_runs: int = 0
    """Max runs of the same script with the same output; 0 for no limit."""

    _failures: Streak = NO_STREAK
    """Scripts in a row that failed with the same error."""
    _refusals: Streak = NO_STREAK
    """Scripts in a row with the same code, refused before they ran."""
    _runs: Streak = NO_STREAK
    """Scripts in a row with the same code and output, among those that submitted nothing."""
    _rejections: Streak = NO_STREAK
    """Submissions in a row that were the same and were sent back."""
    _sent_back_by: str = ""
    """The gates that sent the last submission back; empty if it was accepted."""
    _warning: str = ""
    """The note about the last step; empty if it repeated nothing."""

    def count(self, step: TrialStep) -> None:
        """Count the step's script and its last submission, and choose the warning."""
        script = step.summary  # Has the script of the step, and what became of it.
        self._count_failure(script)
        self._count_refusal(script)
        if step.submissions:
            self._count_submission(step.submissions[-1])
        elif script.code:
            self._count_run(script)
        self._warning = self._warning_after(step)

    def _count_failure(self, script: StepDone) -> None:
        """Count a script with an error, for example one that was refused."""
        if script.code and is_failure(script.ending):
            # The last line of the error, such as `KeyError: 'fee'`.
            error = fault_of(script.ending, script.error)
            self._failures = self._failures.followed_by(error)
        else:
            self._failures = NO_STREAK

    def _count_refusal(self, script: StepDone) -> None:
        if was_refused(script.ending):
            self._refusals = self._refusals.followed_by(script.code)
        else:
            self._refusals = NO_STREAK

    def _count_run(self, script: StepDone) -> None:
        """Count a script that submitted nothing."""
        printed = script.output + script.error
        self._runs = self._runs.followed_by((script.code, printed))

    def _count_submission(self, judged: Judged) -> None:
        if judged.accepted:
            self._rejections = NO_STREAK
        else:
            rejected = (judged.answer, judged.outcome, judged.refs, judged.message)
            self._rejections = self._rejections.followed_by(rejected)
        self._sent_back_by = rejecting_gates(judged)

    def _warning_after(self, step: TrialStep) -> str:
        """Return the note to the model after a step; empty if it repeated nothing."""
        script = step.summary
        if self.is_same_failure:
            return repeated_failure_note(script.ending, script.error)
        # A script may poll (read until something changes), so a few equal runs are fine.
        is_unsubmitted = bool(script.code) and not step.submissions
        if is_unsubmitted and self._runs.times == RUNS_BEFORE_WARNING:
            return SAME_OUTPUT_NOTE
        return ""

    def warning(self, message: str) -> str:
        return self._warning

    @property
    def is_repeating(self) -> bool:
        """True if an error, a script or a submission has come twice in a row."""
        streaks = (self._failures, self._refusals, self._runs, self._rejections)
        return any(streak.times > 1 for streak in streaks)

    @property
    def is_same_failure(self) -> bool:
        """True if the last two scripts failed with the same error."""
        return self._failures.times > 1

    @property
    def last_fault(self) -> str:
        """What became of the last submission, in words."""
        if not self._sent_back_by:
            return "nothing was submitted"
        return f"the last submission was sent back by {self._sent_back_by}"

    @property
    def reason(self) -> str:
        if self._refusals.times >= self.max_same:
            return (
                f"the model wrote the same script {self._refusals.in_a_row}, "
                "each time refused before it ran"
            )
        if self.max_runs and self._runs.times >= self.max_runs:
            return (
                f"the model ran the same script {self._runs.in_a_row}, "
                "each time with the same output"
            )
        if self._rejections.times >= self.max_same:
            return (
                f"the model submitted the same answer {self._rejections.in_a_row}, "
                f"each time sent back by {self._sent_back_by}"
            )
        return ""


def rejecting_gates(judged: Judged) -> str:
    """Return the gates and rules that reject a submission: `gate 3 (paths), travel/dates`."""
    names: list[str] = []
    for verdict in judged.rejections:
        if verdict.gate:
            names.append(f"gate {verdict.gate} ({verdict.name})")
        else:
            names.append(verdict.name)
    return ", ".join(names)
