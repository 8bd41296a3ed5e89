"""The remote platform as a `Benchmark`: its settings, its messages, and the calls that start, end and submit.

Others send the messages, so unknown fields are ignored.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Annotated, Final, TypeVar
from urllib.parse import urlsplit

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    model_validator,
)
from pydantic.alias_generators import to_camel

from controlplane.agent.model import Model
from controlplane.benchmark import (
    BenchmarkContext,
    BenchmarkError,
    BenchmarkIdentity,
    BenchmarkOption,
    Description,
    OpenedBenchmark,
    RunRequest,
    RunResult,
    RunState,
    StartedRun,
    TaskStub,
    Trial,
    TrialScore,
    TrialStub,
)
from controlplane.benchmarks.bitgn.client.platform_client import (
    SHORTEST_SECRET,
    Call,
    CallPolicy,
    PlatformClient,
    Service,
)
from controlplane.benchmarks.bitgn.client.remote_environment import RemoteEnvironment
from controlplane.benchmarks.bitgn.client.wire_errors import (
    ALREADY_CODES,
    Message,
    WireError,
    foreign_reply,
)
from controlplane.benchmarks.bitgn.remote_runtime import RULE_SETS, TOOL_SCHEMA
from controlplane.benchmarks.shop.declarations import FUNCTION_MODULES, shop_bindings
from controlplane.sandbox.interface import error_codes

INVALID: Final = error_codes.INVALID_ARGUMENT
SERVICE: Final = "bitgn.harness.HarnessService"
POLICIES: Final = {
    "EVAL_POLICY_BLIND": "blind",
    "EVAL_POLICY_OPEN": "open",
    "EVAL_POLICY_PRIVATE": "private",
}
Seconds = Annotated[float, Field(gt=0, le=86_400)]
RUN_PENDING: Final = "RUN_STATE_PENDING_EVAL"
RUN_EVALUATED: Final = "RUN_STATE_EVALUATED"
TRIAL_DONE: Final = "TRIAL_STATE_DONE"
TRIAL_ERROR: Final = "TRIAL_STATE_ERROR"


def _enum(*names: str) -> BeforeValidator:
    """Return a reader of an enum's value, which may be sent as its name or as its number; `names` count from 0."""
    numbered = dict(enumerate(names))
    return BeforeValidator(
        lambda value: numbered.get(value, str(value)) if type(value) is int else value
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
    policy: Annotated[
        str,
        _enum(
            "EVAL_POLICY_UNSPECIFIED",
            "EVAL_POLICY_BLIND",
            "EVAL_POLICY_OPEN",
            "EVAL_POLICY_PRIVATE",
        ),
    ] = ""
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
        # The largest score to believe: a larger number is kept out of journals.
        is_number = self.score is not None and abs(self.score) <= 1e6
        return self.score if self.score_available and is_number else None


class ScoredTrial(Scored):
    """A trial as EndTrial and GetTrial report it."""

    state: Annotated[
        str,
        _enum(
            "TRIAL_STATE_UNSPECIFIED",
            "TRIAL_STATE_NEW",
            "TRIAL_STATE_RUNNING",
            TRIAL_DONE,
            TRIAL_ERROR,
        ),
    ] = ""
    score_detail: tuple[str, ...] = ()
    error: str = ""


class ListedTrial(ScoredTrial):
    """A trial as SubmitRun and GetRun list it; the latter without the reasons for its score."""

    trial_id: str
    task_id: str = ""


class ScoredRun(Scored):
    """The reply of SubmitRun and GetRun."""

    run_id: str = ""
    state: Annotated[
        str, _enum("RUN_STATE_UNSPECIFIED", "RUN_STATE_RUNNING", RUN_PENDING, RUN_EVALUATED)
    ] = ""
    trials: tuple[ListedTrial, ...] = ()


STATES: Final = {RUN_PENDING: RunState.PENDING, RUN_EVALUATED: RunState.EVALUATED}
Reply = TypeVar("Reply", bound=WireMessage)


class ClientSettings(BaseModel):
    """The options of `--set KEY=VALUE` and of the environment, without the API's key."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    host: str = "https://api.bitgn.com"
    """Base URL of the platform; BITGN_HOST sets it too."""
    call_timeout_s: Seconds = 15.0
    """Deadline of one call of a trial's runtime, in seconds."""
    call_patience_s: Seconds = 40.0
    """Seconds for which a call of a trial's runtime is retried."""
    lifecycle_timeout_s: Seconds = 30.0
    """Deadline of one call that starts, ends or submits, in seconds."""
    lifecycle_patience_s: Seconds = 300.0
    """Seconds for which a call that starts, ends or submits is retried."""
    contact_patience_s: Seconds = 15.0
    """Seconds for which a platform that does not answer is tried before a run."""
    connections: Annotated[int, Field(ge=1, le=2_000)] = 256
    """Most connections, and so calls, at once; a trial needs one at a time."""


OPTIONS: Final = (
    *(
        BenchmarkOption(name, field.description or "")
        for name, field in ClientSettings.model_fields.items()
    ),
    BenchmarkOption("api_key", secret_variable="BITGN_API_KEY"),
)


def open_benchmark(
    argument: str, settings: Mapping[str, str], context: BenchmarkContext
) -> OpenedBenchmark:
    """Open the platform's benchmark that `argument` names. Nothing is called yet.

    Raises `BenchmarkError` for a missing id or a value that does not fit.
    """
    remote = RemoteBenchmark(argument, settings, context)
    return OpenedBenchmark(
        remote,
        function_modules=FUNCTION_MODULES,
        bindings=shop_bindings,
        tool_schemas=lambda task_ids: [TOOL_SCHEMA],
        resume_identity=remote.identity,
    )


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except WireError as error:
        raise BenchmarkError(error.code, error.message, retry_after_s=error.retry_after_s) from None


class RemoteBenchmark:
    """One benchmark of the platform. Used from many threads at once; unpickling opens it anew."""

    def __init__(
        self, argument: str, settings: Mapping[str, str], context: BenchmarkContext
    ) -> None:
        """Read the configuration; nothing is called yet. Raises `BenchmarkError` for a fault in it."""
        self._opened_with = (argument, dict(settings))
        self.settings = read_settings(settings)
        self.benchmark_id = argument or os.environ.get("BENCH_ID", "")
        if not self.benchmark_id:
            raise BenchmarkError(
                INVALID, "name the benchmark: bitgn:<benchmark id>, or set BENCH_ID"
            )
        self._notify = context.notify
        self._key = SecretStr(os.environ.get("BITGN_API_KEY", ""))
        secrets = (self._key.get_secret_value(),)
        self._client = PlatformClient(
            self.settings.connections, secrets=secrets, notify=self._notify
        )
        context.stop.listen(self._client.stop_waiting)
        self._service = Service(self.settings.host, SERVICE)
        deadline_s, patience_s = (
            self.settings.lifecycle_timeout_s,
            self.settings.lifecycle_patience_s,
        )
        self._first_contact = CallPolicy(
            deadline_s, self.settings.contact_patience_s, trusts_address=False
        )
        self._lifecycle = CallPolicy(deadline_s, patience_s)
        self._trials: dict[str, RemoteEnvironment] = {}
        self._described: BenchmarkReply | None = None
        self._lock = threading.Lock()

    def __reduce__(
        self,
    ) -> tuple[Callable[[str, dict[str, str]], RemoteBenchmark], tuple[str, dict[str, str]]]:
        """Pickle the arguments of opening without the key, which the other process reads from its environment."""
        return _unpickled, self._opened_with

    @property
    def identity(self) -> BenchmarkIdentity:
        """The name that opens the same benchmark of the same platform, whatever the environment says."""
        return BenchmarkIdentity(
            f"bitgn:{self.benchmark_id}", {**self._opened_with[1], "host": self.settings.host}
        )

    @_translated()
    def describe(self, preview_seed: int | None = None) -> Description:
        """Return name, policy and tasks, asked for once, with the platform's own previews."""
        request: Message = {"benchmarkId": self.benchmark_id}
        with self._lock:
            self._described = described = self._described or self._call(
                "GetBenchmark", request, BenchmarkReply, self._first_contact
            )
        return Description(
            name=f"bitgn:{self.benchmark_id}",
            summary=described.description,
            tasks=tuple(
                TaskStub(task.task_id, task.preview, task.hint) for task in described.tasks
            ),
            policy=POLICIES.get(described.policy, "open"),
            rule_sets=RULE_SETS,
            allots_trials=True,
        )

    @_translated()
    def start_run(self, request: RunRequest) -> StartedRun:
        """Start a run and return all its trials. Those that are not played stay unstarted at the platform."""
        key = self._key.get_secret_value()
        if not key:
            raise BenchmarkError(INVALID, "a run needs a key: set BITGN_API_KEY")
        if request.seed:
            raise BenchmarkError(
                INVALID, f"seed={request.seed}: the platform chooses the seeds of a run"
            )

        def warn() -> None:
            self._notify(
                "the reply to StartRun was lost; it is asked for again, and an empty run may be left over"
            )

        # Most seconds for which the start of a run is retried: nothing is lost yet, and the user waits.
        retry_s = min(self._lifecycle.retry_s, 60.0)
        policy = CallPolicy(self._lifecycle.deadline_s, retry_s, doubts=1, trusts_bare_503=True)
        fields: Message = {"benchmarkId": self.benchmark_id, "name": request.name, "apiKey": key}
        try:
            started = self._call("StartRun", fields, StartRunReply, policy, look=warn)
        except WireError as error:
            if error.code == error_codes.UNAUTHENTICATED:
                error.message += "; set BITGN_API_KEY to one that it accepts"
            elif error.transient or error.in_doubt:
                error.message += "; no trial was started: run it again"
            raise
        task_ids: dict[str, str] = {}
        with suppress(
            WireError
        ):  # the run has been started: without this reply only the task ids are missing
            policy = self._lifecycle if request.tries else self._first_contact
            run = self._call("GetRun", {"runId": started.run_id}, ScoredRun, policy)
            task_ids = {trial.trial_id: trial.task_id for trial in run.trials}
        stubs = tuple(
            TrialStub(trial_id, task_ids.get(trial_id, "")) for trial_id in started.trial_ids
        )
        return StartedRun(started.run_id, stubs)

    @_translated()
    def start_trial(self, trial_id: str) -> Trial:
        """Start one trial, or get it again: a second start of the same id does not make a second trial."""
        try:
            reply = self._call(
                "StartTrial", {"trialId": trial_id}, StartTrialReply, self._lifecycle
            )
        except WireError as error:
            if error.code not in ALREADY_CODES and self._is_done(
                error, self._trial_has_ended, trial_id
            ):
                msg = f"trial {trial_id} has already ended ({error.message})"
                raise WireError(error_codes.FAILED_PRECONDITION, msg) from None
            raise
        policy = CallPolicy(self.settings.call_timeout_s, self.settings.call_patience_s)
        environment = RemoteEnvironment(self._client, reply.harness_url, policy=policy)
        self._trials[trial_id] = environment
        # The platform keeps a trial's environment across its starts.
        return Trial(trial_id, reply.task_id, reply.instruction, environment, is_fresh=False)

    @_translated()
    def end_trial(self, trial_id: str) -> TrialScore | None:
        """End one trial, after which none of its calls leaves; the platform scores it when its run is submitted."""
        if (environment := self._trials.pop(trial_id, None)) is not None:
            environment.close()
        try:
            reply = self._call("EndTrial", {"trialId": trial_id}, ScoredTrial, self._lifecycle)
        except WireError as error:
            if not self._is_done(error, self._trial_has_ended, trial_id):
                raise
            return None
        return None if reply.known_score is None else _score(trial_id, reply)

    @_translated()
    def submit_run(self, run_id: str, *, force: bool) -> RunResult:
        """Submit a run; a run that was submitted before is only looked up."""
        request: Message = {"runId": run_id, "force": True} if force else {"runId": run_id}
        try:
            reply = self._call("SubmitRun", request, ScoredRun, self._lifecycle)
        except WireError as error:
            if not self._is_done(error, self._run_is_submitted, run_id):
                raise
            return self.get_run(run_id)
        return _result(
            run_id, reply, tuple(_score(trial.trial_id, trial) for trial in reply.trials)
        )

    @_translated()
    def get_run(self, run_id: str) -> RunResult:
        """Return the state and scores of a run, with the grader's details once it is evaluated."""
        reply = self._call("GetRun", {"runId": run_id}, ScoredRun, self._lifecycle)
        lost = [trial for trial in reply.trials if trial.known_score not in (None, 1)]
        scores = {trial.trial_id: _score(trial.trial_id, trial) for trial in reply.trials}
        calls = {
            each.trial_id: self._to_call(
                "GetTrial", {"trialId": each.trial_id}, ScoredTrial
            ).begin()
            for each in lost
        }
        for trial_id, call in calls.items():
            try:
                scores[trial_id] = _score(trial_id, call.finish())
            except WireError as error:
                self._notify(f"the details of trial {trial_id} are missing: {error}")
        return _result(run_id, reply, tuple(scores.values()))

    def player(self) -> Model | None:
        """Return None: the platform has no player of its own."""
        return None

    def close(self) -> None:
        """Wake every call that waits and close the connections."""
        self._client.close()

    def _trial_has_ended(self, trial_id: str, policy: CallPolicy) -> bool:
        reply = self._call("GetTrial", {"trialId": trial_id}, ScoredTrial, policy)
        return reply.state in (TRIAL_DONE, TRIAL_ERROR)

    def _run_is_submitted(self, run_id: str, policy: CallPolicy) -> bool:
        return self._call("GetRun", {"runId": run_id}, ScoredRun, policy).state in STATES

    def _is_done(
        self, error: WireError, look: Callable[[str, CallPolicy], bool], subject: str
    ) -> bool:
        """Look up whether the failed call has taken effect nevertheless.

        This is looked up if the platform says "already", and, more briefly, after transient failures.
        """
        if error.code in ALREADY_CODES:
            return look(subject, self._lifecycle)
        if error.transient and not self._client.is_stopping:
            with suppress(WireError):
                return look(subject, self._first_contact)
        return False

    def _to_call(
        self, method: str, request: Message, reply: type[Reply], policy: CallPolicy | None = None
    ) -> Call[Reply]:

        def read(fields: Message) -> Reply:
            try:
                return reply.model_validate(fields)
            except ValidationError as error:
                wrong = "; ".join(
                    f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}"
                    for fault in error.errors()[:3]
                )
                # Despite its code the reply is not the platform's: something else may answer for a while.
                msg = f"the reply of {method} is not as described: {wrong}"
                raise foreign_reply(msg) from None

        return Call(self._client, self._service, method, request, policy or self._lifecycle, read)

    def _call(
        self,
        method: str,
        request: Message,
        reply: type[Reply],
        policy: CallPolicy | None = None,
        *,
        look: Callable[[], Message | None] | None = None,
    ) -> Reply:
        call = self._to_call(method, request, reply, policy)
        call.look = look
        try:
            return call.finish()
        except WireError as error:
            if method not in error.message:  # the platform's message does not always name the call
                error.message = f"{method}: {error.message}"
            raise


def read_settings(settings: Mapping[str, str]) -> ClientSettings:
    """Return the settings, checked. Raises `BenchmarkError` for a value that does not fit, and for an address that may
    hold a key: the journal holds the address."""
    named = os.environ.get("BITGN_HOST")
    try:
        checked = ClientSettings.model_validate({**({"host": named} if named else {}), **settings})
    except ValidationError as error:
        first = error.errors()[0]
        raise BenchmarkError(
            INVALID, f"setting {first['loc'][0]}={first['input']!r}: {first['msg']}"
        ) from None
    host, key = checked.host, os.environ.get("BITGN_API_KEY", "")
    if len(key) >= SHORTEST_SECRET and key in host:
        raise BenchmarkError(
            INVALID,
            "the host holds the key, and is written into the journal; give the key in BITGN_API_KEY alone",
        )
    try:
        parts = urlsplit(host)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address or not host.isprintable() or " " in host:
        shown = "" if "@" in host or "?" in host else f" {host!r}"
        raise BenchmarkError(
            INVALID,
            f"host{shown} is not the URL of a platform; set BITGN_HOST to one that begins with https://",
        )
    if parts.username is not None or parts.query or parts.fragment:
        msg = (
            "a host with a user, a password or a query is not taken, because it is written into the journal; "
            "give the key in BITGN_API_KEY"
        )
        raise BenchmarkError(INVALID, msg)
    return checked


def _unpickled(argument: str, settings: dict[str, str]) -> RemoteBenchmark:
    return RemoteBenchmark(argument, settings, BenchmarkContext())


def _score(trial_id: str, trial: ScoredTrial) -> TrialScore:
    error = (trial.error,) if trial.error and trial.error not in trial.score_detail else ()
    return TrialScore(trial_id, trial.known_score, (*trial.score_detail, *error))


def _result(run_id: str, run: ScoredRun, scores: tuple[TrialScore, ...]) -> RunResult:
    return RunResult(run_id, STATES.get(run.state, RunState.RUNNING), run.known_score, scores)
