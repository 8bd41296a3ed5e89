"""The platform's replies about benchmarks, runs and trials. Fields that are not known here are ignored."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, model_validator
from pydantic.alias_generators import to_camel

RUN_PENDING: Final = "RUN_STATE_PENDING_EVAL"
RUN_EVALUATED: Final = "RUN_STATE_EVALUATED"
TRIAL_DONE: Final = "TRIAL_STATE_DONE"
TRIAL_ERROR: Final = "TRIAL_STATE_ERROR"
MAX_SCORE: Final = 1e6
"""A larger number is no score that anybody means, and is kept out of journals."""


def _enum(*names: str) -> BeforeValidator:
    """Return a validator of an enum's value, which may be sent as its name or as its number, from 0."""

    def name_of(value: object) -> object:
        if isinstance(value, bool) or not isinstance(value, int):
            return value
        if 0 <= value < len(names):
            return names[value]
        return str(value)

    return BeforeValidator(name_of)


RUN_STATE: Final = _enum("RUN_STATE_UNSPECIFIED", "RUN_STATE_RUNNING", RUN_PENDING, RUN_EVALUATED)
TRIAL_STATE: Final = _enum(
    "TRIAL_STATE_UNSPECIFIED", "TRIAL_STATE_NEW", "TRIAL_STATE_RUNNING", TRIAL_DONE, TRIAL_ERROR
)
EVAL_POLICY: Final = _enum(
    "EVAL_POLICY_UNSPECIFIED", "EVAL_POLICY_BLIND", "EVAL_POLICY_OPEN", "EVAL_POLICY_PRIVATE"
)


class WireMessage(BaseModel):
    """A message in proto3 JSON: camel-case names; a field with its default value is left out or null."""

    model_config = ConfigDict(
        frozen=True, extra="ignore", alias_generator=to_camel, populate_by_name=True
    )

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, message: object) -> object:
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
    policy: Annotated[str, EVAL_POLICY] = ""
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
    """The score of a trial or a run, as several replies hold it."""

    score: float | None = None
    score_available: bool = False

    @property
    def known_score(self) -> float | None:
        """The score once it is out; None while it is sealed or deferred, even if a number is sent."""
        if self.score is None or not self.score_available or abs(self.score) > MAX_SCORE:
            return None
        return self.score


class ScoredTrial(Scored):
    """A trial as EndTrial and GetTrial report it."""

    state: Annotated[str, TRIAL_STATE] = ""
    score_detail: tuple[str, ...] = ()
    error: str = ""


class ListedTrial(ScoredTrial):
    """A trial as SubmitRun and GetRun list it; the latter without the reasons for its score."""

    trial_id: str
    task_id: str = ""


class ScoredRun(Scored):
    """The reply of SubmitRun and GetRun."""

    run_id: str = ""
    state: Annotated[str, RUN_STATE] = ""
    trials: tuple[ListedTrial, ...] = ()
