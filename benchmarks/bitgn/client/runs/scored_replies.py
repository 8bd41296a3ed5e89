"""The platform's replies that have scores: of a trial, or of a run with its trials.

The reply of GetTrial: `{"state": "TRIAL_STATE_DONE", "score": 0.5, "scoreAvailable": true}`.
While a score is hidden, `scoreAvailable` is false, whatever number is sent.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Annotated, Final

from pydantic import BeforeValidator

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


def _number_or_nan(value: object) -> object:
    """Return a score as a number. In proto3 JSON it may be a text, such as `"0.5"` or `"NaN"`."""
    try:
        return float(value)  # type: ignore[arg-type]
    except (ValueError, TypeError, OverflowError):
        return math.nan


class Scored(WireMessage):
    """The score of a trial or a run, which several replies have."""

    score: Annotated[float | None, BeforeValidator(_number_or_nan)] = None
    """NaN for what is no number: then the trial has no score, and the reply counts all the same."""
    score_available: bool = False

    @property
    def known_score(self) -> float | None:
        """The score if it is available; None while it is hidden, even if a number is sent."""
        return self.score if self.score_available else None


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
