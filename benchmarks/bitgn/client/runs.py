"""Runs on the platform: their start, their trials, their scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Annotated, Final, TypeAlias, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    ValidationError,
    model_validator,
)
from pydantic.alias_generators import to_camel

from controlplane.benchmark import (
    RunResult,
    RunState,
    TrialScore,
)
from controlplane.benchmarks.bitgn.client.calls import Call, CallPolicy, PlatformRequest
from controlplane.benchmarks.bitgn.client.client_settings import ClientSettings
from controlplane.benchmarks.bitgn.client.connection import (
    Message,
    PlatformClient,
    Service,
    WireError,
    foreign_reply,
)
from controlplane.benchmarks.bitgn.wire import HARNESS, SERVICES

# Messages of the platform in proto3 JSON, and the names of its states.
#
# Names of fields are in camel case, and unknown fields are ignored. A field with its default
# value may be missing or null, and a name of an enum may arrive as its number: `2` for
# `RUN_STATE_PENDING_EVAL`.

_RUN_PENDING: Final = "RUN_STATE_PENDING_EVAL"
_RUN_EVALUATED: Final = "RUN_STATE_EVALUATED"
_TRIAL_DONE: Final = "TRIAL_STATE_DONE"
_TRIAL_ERROR: Final = "TRIAL_STATE_ERROR"


def _enum(name: str) -> BeforeValidator:
    """Return a validator for a field with a name of an enum, which may arrive as a number.

    It changes the number to its name, by the `.proto` file. A number without a name becomes a
    text, `"7"`, so that a new state of the platform is not an error.
    """
    enum = SERVICES[HARNESS].file.enum_types_by_name[name]
    names = {value.number: value.name for value in enum.values}

    def name_of(value: object) -> object:
        if isinstance(value, bool) or not isinstance(value, int):
            return value
        return names.get(value, str(value))

    return BeforeValidator(name_of)


# The names of an enum. A reply may have the number of a name in its place.
_RunStateName: TypeAlias = Annotated[str, _enum("RunState")]
_TrialStateName: TypeAlias = Annotated[str, _enum("TrialState")]
_PolicyName: TypeAlias = Annotated[str, _enum("EvalPolicy")]


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


# The platform's replies that have scores: of a trial, or of a run with its trials.
#
# The reply of GetTrial: `{"state": "TRIAL_STATE_DONE", "score": 0.5, "scoreAvailable": true}`.
# While a score is hidden, `scoreAvailable` is false, whatever number is sent.

_SUBMITTED_STATES: Final = {
    _RUN_PENDING: RunState.PENDING,
    _RUN_EVALUATED: RunState.EVALUATED,
}
"""The states of a submitted run."""


def _number_or_nan(value: object) -> object:
    """Return a score as a number. In proto3 JSON it may be a text, such as `"0.5"` or `"NaN"`."""
    try:
        return float(value)  # type: ignore[arg-type] # What is no number raises `TypeError`.
    except (ValueError, TypeError, OverflowError):
        return math.nan


class _ScoredReply(WireMessage):
    """The score of a trial or a run, which several replies have."""

    score: Annotated[float | None, BeforeValidator(_number_or_nan)] = None
    """NaN for what is no number: then the trial has no score, and the reply counts all the same."""
    score_available: bool = False

    @property
    def known_score(self) -> float | None:
        """The score if it is available; None while it is hidden, even if a number is sent."""
        return self.score if self.score_available else None


class ScoredTrial(_ScoredReply):
    """A trial as EndTrial and GetTrial report it."""

    state: _TrialStateName = ""
    score_detail: tuple[str, ...] = ()
    error: str = ""

    @property
    def is_over(self) -> bool:
        """True if no more calls can be made in the trial."""
        return self.state in (_TRIAL_DONE, _TRIAL_ERROR)

    def as_score(self, trial_id: str) -> TrialScore:
        """Return the trial's score. Its error is one of the details."""
        details = list(self.score_detail)
        if self.error and self.error not in details:
            details.append(self.error)
        return TrialScore(trial_id, self.known_score, tuple(details))


class _ListedTrial(ScoredTrial):
    """A trial in the replies of SubmitRun and GetRun. GetRun omits the reasons for its score."""

    trial_id: str
    task_id: str = ""


class ScoredRun(_ScoredReply):
    """The reply of SubmitRun and GetRun."""

    run_id: str = ""
    state: _RunStateName = ""
    trials: tuple[_ListedTrial, ...] = ()

    @property
    def is_over(self) -> bool:
        """True if the run is submitted, so that no trial of it can be played any more."""
        return self.state in _SUBMITTED_STATES

    def as_result(self, run_id: str, scores: Iterable[TrialScore]) -> RunResult:
        """Return the run's result, with the scores of its trials."""
        state = _SUBMITTED_STATES.get(self.state, RunState.RUNNING)
        return RunResult(run_id, state, self.known_score, tuple(scores))


# Calls of the platform's service for runs and trials: StartRun, StartTrial, GetRun, ...
#
# The platform (BitGN) runs benchmarks for agents of others: it provides the trials of a run,
# and grades them when they end.

_MAX_FAULTS_SHOWN: Final = 3
"""The most faults of a malformed reply that an error names."""
_Reply = TypeVar("_Reply", bound=WireMessage)
"""The class of a method's reply."""


class PlatformHarness:
    """Makes calls that start, end and look up runs and trials."""

    def __init__(self, client: PlatformClient, settings: ClientSettings) -> None:
        self._service = Service(client, settings.host, HARNESS)
        deadline_s = settings.lifecycle_timeout_s
        self.patient = CallPolicy(deadline_s, settings.lifecycle_patience_s)
        """Repeats a failed call for minutes: the policy of most calls."""
        self.impatient = CallPolicy(
            deadline_s, settings.contact_patience_s, retries_foreign_replies=False
        )
        """Gives up after seconds, or after a reply that another site has sent.

        It is the policy of the first call, because the address may be wrong, and of calls
        whose result the run can do without.
        """

    def call(
        self,
        method: str,
        request: Message,
        reply_class: type[_Reply],
        policy: CallPolicy | None = None,
        before_repeat: Callable[[], None] | None = None,
    ) -> _Reply:
        """Make a call and return its reply. Raises `WireError`, whose message names the call.

        `call("GetRun", {"runId": "x4T"}, ScoredRun)` -> a `ScoredRun`. The policy is
        `patient` unless set. `before_repeat` is called if a reply was lost, before the call
        is repeated.
        """
        call = self.new_call(method, request, reply_class, policy, before_repeat)
        try:
            return call.finish()
        except WireError as error:
            # The platform's message does not always name the call.
            if method not in error.message:
                error.message = f"{method}: {error.message}"
            raise

    def new_call(
        self,
        method: str,
        request: Message,
        reply_class: type[_Reply],
        policy: CallPolicy | None = None,
        before_repeat: Callable[[], None] | None = None,
    ) -> Call[_Reply]:
        """Return a call that has not been made yet."""

        def parse_reply(fields: Message) -> _Reply:
            try:
                return reply_class.model_validate(fields)
            except ValidationError as error:
                # A proxy may have answered in the platform's place, so the call is retried.
                msg = f"the reply of {method} is not as described: {_faults(error)}"
                raise foreign_reply(msg) from None

        platform_request = PlatformRequest(self._service, method, request)
        return Call(
            platform_request, policy or self.patient, parse_reply, before_repeat
        )

    def run(self, run_id: str, policy: CallPolicy | None = None) -> ScoredRun:
        """Return the state and scores of a run. Raises `WireError`."""
        return self.call("GetRun", {"runId": run_id}, ScoredRun, policy)

    def trial(self, trial_id: str, policy: CallPolicy | None = None) -> ScoredTrial:
        """Return the state and score of a trial. Raises `WireError`."""
        return self.call("GetTrial", {"trialId": trial_id}, ScoredTrial, policy)


def _faults(error: ValidationError) -> str:
    """Return the first faults of a reply in one line: `runId: Field required`."""
    texts = []
    for fault in error.errors()[:_MAX_FAULTS_SHOWN]:
        place = ".".join(str(part) for part in fault["loc"])
        texts.append(f"{place}: {fault['msg']}")
    return "; ".join(texts)


# The platform's replies about benchmarks, and to the start of runs and trials.
#
# The reply of StartRun: `{"runId": "run-1", "trialIds": ["trial-1", "trial-2"]}`. Unknown
# fields are ignored, so a newer platform may add some.


class _WireTask(WireMessage):
    """One task of a benchmark."""

    task_id: str
    preview: str = ""
    hint: str = ""


class BenchmarkReply(WireMessage):
    """The reply of GetBenchmark."""

    description: str = ""
    policy: _PolicyName = ""
    tasks: tuple[_WireTask, ...] = ()


class StartRunReply(WireMessage):
    """The reply of StartRun."""

    run_id: str
    trial_ids: tuple[str, ...] = ()


class StartTrialReply(WireMessage):
    """The reply of StartTrial."""

    task_id: str = ""
    instruction: str = ""
    harness_url: str
