"""The platform's replies that have scores: of a trial, or of a run with its trials.

The reply of GetTrial: `{"state": "TRIAL_STATE_DONE", "score": 0.5, "scoreAvailable": true}`.
While a score is hidden, `scoreAvailable` is false, whatever number is sent.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from controlplane.benchmark import RunResult, RunState, TrialScore
from controlplane.benchmarks.bitgn.client.runs.wire_message import (
    RUN_EVALUATED,
    RUN_PENDING,
    TRIAL_DONE,
    TRIAL_ERROR,
    RunStateName,
    TrialStateName,
    WireMessage,
)

SUBMITTED_STATES: Final = {
    RUN_PENDING: RunState.PENDING,
    RUN_EVALUATED: RunState.EVALUATED,
}
"""The states of a submitted run."""
MAX_SCORE: Final = 1e6
"""A larger number cannot be a real score. It is treated as unknown."""


class Scored(WireMessage):
    """The score of a trial or a run, which several replies have."""

    score: float | None = None
    score_available: bool = False

    @property
    def known_score(self) -> float | None:
        """The score if it is available; None while it is hidden, even if a number is sent."""
        if self.score is None or not self.score_available:
            return None
        if abs(self.score) > MAX_SCORE:
            return None  # No real score is that large.
        return self.score


class ScoredTrial(Scored):
    """A trial as EndTrial and GetTrial report it."""

    state: TrialStateName = ""
    score_detail: tuple[str, ...] = ()
    error: str = ""

    @property
    def has_ended(self) -> bool:
        """True if no more calls can be made in the trial."""
        return self.state in (TRIAL_DONE, TRIAL_ERROR)

    def as_score(self, trial_id: str) -> TrialScore:
        """Return the trial's score. Its error is one of the details."""
        details = list(self.score_detail)
        if self.error and self.error not in details:
            details.append(self.error)
        return TrialScore(trial_id, self.known_score, tuple(details))


class ListedTrial(ScoredTrial):
    """A trial in the replies of SubmitRun and GetRun. GetRun omits the reasons for its score."""

    trial_id: str
    task_id: str = ""


class ScoredRun(Scored):
    """The reply of SubmitRun and GetRun."""

    run_id: str = ""
    state: RunStateName = ""
    trials: tuple[ListedTrial, ...] = ()

    @property
    def is_submitted(self) -> bool:
        """True if no trial of the run can be played any more."""
        return self.state in SUBMITTED_STATES

    def as_result(self, run_id: str, scores: Iterable[TrialScore]) -> RunResult:
        """Return the run's result, with the scores of its trials."""
        state = SUBMITTED_STATES.get(self.state, RunState.RUNNING)
        return RunResult(run_id, state, self.known_score, tuple(scores))
