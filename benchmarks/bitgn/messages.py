"""The control plane's messages as the client reads them: what others send, so unknown fields are ignored."""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class WireMessage(BaseModel):
    """A message in proto3 JSON: camel-case names, and a field with its default value is left out."""

    model_config = ConfigDict(frozen=True, extra="ignore", alias_generator=to_camel, populate_by_name=True)


RUN_PENDING: Final = "RUN_STATE_PENDING_EVAL"
RUN_EVALUATED: Final = "RUN_STATE_EVALUATED"
TRIAL_DONE: Final = "TRIAL_STATE_DONE"
TRIAL_ERROR: Final = "TRIAL_STATE_ERROR"


class WireTask(WireMessage):
    """One task of a benchmark."""

    task_id: str
    preview: str = ""
    hint: str = ""


class BenchmarkReply(WireMessage):
    """The reply of GetBenchmark."""

    benchmark_id: str = ""
    description: str = ""
    policy: str = ""
    tasks: tuple[WireTask, ...] = ()


class StartRunReply(WireMessage):
    """The reply of StartRun."""

    run_id: str
    trial_ids: tuple[str, ...] = ()


class StartTrialReply(WireMessage):
    """The reply of StartTrial."""

    task_id: str = ""
    run_id: str = ""
    instruction: str = ""
    harness_url: str


class Scored(WireMessage):
    """What several replies say of a trial's or a run's score."""

    score: float | None = None
    score_available: bool = False

    @property
    def known_score(self) -> float | None:
        """The score where it is out; None while it is sealed or deferred, even where a number is sent."""
        return self.score if self.score_available else None


class EndTrialReply(Scored):
    """The reply of EndTrial."""

    score_detail: tuple[str, ...] = ()


class WireTrialHead(Scored):
    """A trial as GetRun lists it, without the reasons for its score."""

    trial_id: str
    task_id: str = ""
    state: str = ""
    score_detail: tuple[str, ...] = ()
    error: str = ""


class GetRunReply(Scored):
    """The reply of GetRun."""

    run_id: str = ""
    state: str = ""
    trials: tuple[WireTrialHead, ...] = ()


class ScoredTrial(Scored):
    """A trial as SubmitRun and GetTrial report it."""

    trial_id: str = ""
    state: str = ""
    score_detail: tuple[str, ...] = ()
    error: str = ""


class SubmitRunReply(Scored):
    """The reply of SubmitRun."""

    run_id: str = ""
    state: str = ""
    trials: tuple[ScoredTrial, ...] = ()
