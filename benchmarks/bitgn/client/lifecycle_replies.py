"""The platform's replies about benchmarks, runs and trials. Unknown fields are ignored.

The reply of GetTrial: `{"state": "TRIAL_STATE_DONE", "score": 0.5, "scoreAvailable": true}`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Final, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, model_validator
from pydantic.alias_generators import to_camel

from controlplane.benchmark import RunResult, RunState, TrialScore

RUN_PENDING: Final = "RUN_STATE_PENDING_EVAL"
RUN_EVALUATED: Final = "RUN_STATE_EVALUATED"
SUBMITTED_STATES: Final = {
    RUN_PENDING: RunState.PENDING,
    RUN_EVALUATED: RunState.EVALUATED,
}
"""The states of a submitted run."""
TRIAL_DONE: Final = "TRIAL_STATE_DONE"
TRIAL_ERROR: Final = "TRIAL_STATE_ERROR"
MAX_SCORE: Final = 1e6
"""A larger number cannot be a real score. It is treated as unknown."""


def _enum(*names: str) -> BeforeValidator:
    """Return a validator for a field with a name of an enum, which may arrive as a number.

    It changes the number to its name: 0 to the first of `names`. An unknown number becomes
    a text, `7`, so that a new state of the platform is not an error.
    """

    def name_of(value: object) -> object:
        if isinstance(value, bool) or not isinstance(value, int):
            return value
        if 0 <= value < len(names):
            return names[value]
        return str(value)

    return BeforeValidator(name_of)


# The names of an enum. A reply may have the number of a name in its place.
RunStateName: TypeAlias = Annotated[
    str,
    _enum("RUN_STATE_UNSPECIFIED", "RUN_STATE_RUNNING", RUN_PENDING, RUN_EVALUATED),
]
TrialStateName: TypeAlias = Annotated[
    str,
    _enum(
        "TRIAL_STATE_UNSPECIFIED",
        "TRIAL_STATE_NEW",
        "TRIAL_STATE_RUNNING",
        TRIAL_DONE,
        TRIAL_ERROR,
    ),
]
PolicyName: TypeAlias = Annotated[
    str,
    _enum(
        "EVAL_POLICY_UNSPECIFIED",
        "EVAL_POLICY_BLIND",
        "EVAL_POLICY_OPEN",
        "EVAL_POLICY_PRIVATE",
    ),
]


class WireMessage(BaseModel):
    """A message in proto3 JSON, with names in camel case.

    A field with its default value may be missing or null.
    """

    model_config = ConfigDict(
        frozen=True, extra="ignore", alias_generator=to_camel, populate_by_name=True
    )

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, message: object) -> object:
        """Leave out the fields that are null, so that they get their defaults."""
        if not isinstance(message, dict):
            return message
        return {name: value for name, value in message.items() if value is not None}


class WireTask(WireMessage):
    """One task of a benchmark."""

    task_id: str
    preview: str = ""
    hint: str = ""


class BenchmarkReply(WireMessage):
    """The reply of GetBenchmark."""

    description: str = ""
    policy: PolicyName = ""
    tasks: tuple[WireTask, ...] = ()


class StartRunReply(WireMessage):
    """The reply of StartRun."""

    run_id: str
    trial_ids: tuple[str, ...] = ()


class StartTrialReply(WireMessage):
    """The reply of StartTrial."""

    task_id: str = ""
    instruction: str = ""
    harness_url: str


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
