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
        """Return the streak after one more thing. Nothing (`""`, `()`) ends it."""
        if not thing:
            return Streak()
        if thing == self.last:
            return Streak(self.times + 1, thing)
        return Streak(1, thing)

    @property
    def in_a_row(self) -> str:
        return f"{self.times} times in a row"


NO_STREAK: Final = Streak()

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
        done = step.summary
        self._warning = ""
        self._count_ending(done)
        if step.submissions:
            self._count_submission(step.submissions[-1])
        elif done.code:
            self._count_run(done)

    def _count_ending(self, done: StepDone) -> None:
        """Count a script that failed or was refused. Any other step ends these two streaks."""
        is_failed = bool(done.code) and is_failure(done.ending)
        error = fault_of(done.ending, done.error) if is_failed else ""
        self._failures = self._failures.followed_by(error)

        refused_code = done.code if was_refused(done.ending) else ""
        self._refusals = self._refusals.followed_by(refused_code)

        if self.is_same_failure:
            self._warning = repeated_failure_note(done.ending, done.error)

    def _count_run(self, done: StepDone) -> None:
        """Count a script that submitted nothing.

        It may be polling (reading until something changes), so the warning comes only
        after `RUNS_BEFORE_WARNING` equal runs.
        """
        self._runs = self._runs.followed_by((done.code, done.output + done.error))
        if self._runs.times == RUNS_BEFORE_WARNING and not self.is_same_failure:
            self._warning = SAME_OUTPUT_NOTE

    def _count_submission(self, judged: Judged) -> None:
        """Count a submission. An accepted one ends the streak."""
        rejected: tuple[object, ...] = ()
        if not judged.accepted:
            rejected = (judged.answer, judged.outcome, judged.refs, judged.message)
        self._rejections = self._rejections.followed_by(rejected)
        self._sent_back_by = rejecting_gates(judged)

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
