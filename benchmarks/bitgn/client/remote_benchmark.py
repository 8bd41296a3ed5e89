"""The remote platform as a `Benchmark`: `--benchmark bitgn:ID` plays the benchmark ID there.

First come the messages of the platform's HarnessService, which starts, ends and submits. The
platform sends them, so unknown fields are ignored. Then come the client's settings, and
`RemoteBenchmark`, with one method for each step of a run. The files and tools of a trial are the
matter of `remote_environment`.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
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
MAX_CREDIBLE_SCORE: Final = 1e6
"""A larger number cannot be a score, and is kept out of journals."""
START_RETRY_S: Final = 60.0
"""The longest time for which the start of a run is retried: nothing is lost yet, and the user
waits."""
MAX_FAULTS_SHOWN: Final = 3


def _enum(*names: str) -> BeforeValidator:
    """Return a validator that turns an enum's number into its name: with `_enum("A", "B")`,
    `1 -> "B"`. A name stays as it is; an unknown number becomes its digits."""

    def name_of(value: object) -> object:
        # `True` is an `int`, too.
        if not isinstance(value, int) or isinstance(value, bool):
            return value
        if 0 <= value < len(names):
            return names[value]
        return str(value)

    return BeforeValidator(name_of)


class WireMessage(BaseModel):
    """A message in proto3 JSON: names in camel case; a field with its default value is left out,
    or null."""

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
        """The score once the platform publishes it; None while it is sealed or deferred, even if
        the message has a number."""
        if not self.score_available or self.score is None:
            return None
        if abs(self.score) > MAX_CREDIBLE_SCORE:
            return None
        return self.score


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
    """The reply of SubmitRun and of GetRun."""

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
        deadline_s = self.settings.lifecycle_timeout_s
        self._first_contact = CallPolicy(
            deadline_s, self.settings.contact_patience_s, trusts_address=False
        )
        self._lifecycle = CallPolicy(deadline_s, self.settings.lifecycle_patience_s)
        self._trials: dict[str, RemoteEnvironment] = {}
        self._reply: BenchmarkReply | None = None
        """The platform's description of the benchmark, once it was asked for."""
        self._lock = threading.Lock()

    def __reduce__(
        self,
    ) -> tuple[Callable[[str, dict[str, str]], RemoteBenchmark], tuple[str, dict[str, str]]]:
        """Pickle the arguments with which it was opened. The key is not among them: the other
        process reads it from its own environment."""
        return _unpickled, self._opened_with

    @property
    def identity(self) -> BenchmarkIdentity:
        """The name and settings that open the same benchmark of the same platform, whatever the
        environment variables say then."""
        _, settings = self._opened_with
        return BenchmarkIdentity(
            f"bitgn:{self.benchmark_id}", {**settings, "host": self.settings.host}
        )

    @_translated()
    def describe(self, preview_seed: int | None = None) -> Description:
        """Return name, policy and tasks with the platform's own previews. The platform is asked
        once."""
        with self._lock:
            if self._reply is None:
                request: Message = {"benchmarkId": self.benchmark_id}
                self._reply = self._call(
                    "GetBenchmark", request, BenchmarkReply, self._first_contact
                )
            reply = self._reply
        tasks = [TaskStub(task.task_id, task.preview, task.hint) for task in reply.tasks]
        return Description(
            name=f"bitgn:{self.benchmark_id}",
            summary=reply.description,
            tasks=tuple(tasks),
            policy=POLICIES.get(reply.policy, "open"),
            rule_sets=RULE_SETS,
            allots_trials=True,
        )

    @_translated()
    def start_run(self, request: RunRequest) -> StartedRun:
        """Start a run and return all its trials. Trials that are not played stay unstarted at the
        platform."""
        key = self._key.get_secret_value()
        if not key:
            raise BenchmarkError(INVALID, "a run needs a key: set BITGN_API_KEY")
        if request.seed:
            msg = f"seed={request.seed}: the platform chooses the seeds of a run"
            raise BenchmarkError(INVALID, msg)

        # 1. Start the run.
        def warn_of_second_start() -> None:
            self._notify(
                "the reply to StartRun was lost; it is asked for again, and an empty run may be "
                "left over"
            )

        retry_s = min(self._lifecycle.retry_s, START_RETRY_S)
        policy = CallPolicy(self._lifecycle.deadline_s, retry_s, doubts=1, trusts_bare_503=True)
        fields: Message = {"benchmarkId": self.benchmark_id, "name": request.name, "apiKey": key}
        try:
            started = self._call(
                "StartRun", fields, StartRunReply, policy, look=warn_of_second_start
            )
        except WireError as error:
            if error.code == error_codes.UNAUTHENTICATED:
                error.message += "; set BITGN_API_KEY to one that it accepts"
            elif error.transient or error.in_doubt:
                error.message += "; no trial was started: run it again"
            raise

        # 2. Ask which task each trial has. The run has started, so it goes on without an answer.
        task_ids: dict[str, str] = {}
        policy = self._lifecycle if request.tries else self._first_contact
        with suppress(WireError):
            run = self._call("GetRun", {"runId": started.run_id}, ScoredRun, policy)
            task_ids = {trial.trial_id: trial.task_id for trial in run.trials}
        stubs = [TrialStub(trial_id, task_ids.get(trial_id, "")) for trial_id in started.trial_ids]
        return StartedRun(started.run_id, tuple(stubs))

    @_translated()
    def start_trial(self, trial_id: str) -> Trial:
        """Start a trial, or return it again: a second start of the same id makes no second trial."""
        request: Message = {"trialId": trial_id}
        try:
            reply = self._call("StartTrial", request, StartTrialReply, self._lifecycle)
        except WireError as error:
            says_already = error.code in ALREADY_CODES
            if not says_already and self._is_done(error, self._trial_has_ended, trial_id):
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
        """End a trial; none of its calls is sent afterwards. Return its score if the platform
        publishes it now, and not only when the run is submitted."""
        environment = self._trials.pop(trial_id, None)
        if environment is not None:
            environment.close()
        try:
            reply = self._call("EndTrial", {"trialId": trial_id}, ScoredTrial, self._lifecycle)
        except WireError as error:
            if not self._is_done(error, self._trial_has_ended, trial_id):
                raise
            return None
        if reply.known_score is None:
            return None
        return _score(trial_id, reply)

    @_translated()
    def submit_run(self, run_id: str, *, force: bool) -> RunResult:
        """Submit a run and return its result. A run that was submitted before is only looked up."""
        request: Message = {"runId": run_id}
        if force:
            request["force"] = True
        try:
            reply = self._call("SubmitRun", request, ScoredRun, self._lifecycle)
        except WireError as error:
            if not self._is_done(error, self._run_is_submitted, run_id):
                raise
            return self.get_run(run_id)
        return _result(run_id, reply, [_score(trial.trial_id, trial) for trial in reply.trials])

    @_translated()
    def get_run(self, run_id: str) -> RunResult:
        """Return the state and scores of a run, with the grader's details once it is evaluated."""
        reply = self._call("GetRun", {"runId": run_id}, ScoredRun, self._lifecycle)
        scores = {trial.trial_id: _score(trial.trial_id, trial) for trial in reply.trials}

        # GetRun has no details. Ask for those of every trial without the full score, side by side.
        detail_calls = {}
        for trial in reply.trials:
            if trial.known_score not in (None, 1):
                call = self._new_call("GetTrial", {"trialId": trial.trial_id}, ScoredTrial)
                detail_calls[trial.trial_id] = call.begin()
        for trial_id, call in detail_calls.items():
            try:
                scores[trial_id] = _score(trial_id, call.finish())
            except WireError as error:
                self._notify(f"the details of trial {trial_id} are missing: {error}")
        return _result(run_id, reply, list(scores.values()))

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
        reply = self._call("GetRun", {"runId": run_id}, ScoredRun, policy)
        return reply.state in STATES

    def _is_done(
        self, error: WireError, look: Callable[[str, CallPolicy], bool], subject: str
    ) -> bool:
        """Find out whether a failed call has taken effect nevertheless.

        `look` asks the platform about the trial or run `subject`. It is asked if the platform says
        "already", and, for a shorter time, after a transient failure.
        """
        if error.code in ALREADY_CODES:
            return look(subject, self._lifecycle)
        if error.transient and not self._client.is_stopping:
            with suppress(WireError):
                return look(subject, self._first_contact)
        return False

    def _new_call(
        self,
        method: str,
        request: Message,
        reply_type: type[Reply],
        policy: CallPolicy | None = None,
    ) -> Call[Reply]:
        """Return a call that has not been sent yet, whose result is a reply of this type."""

        def read_reply(fields: Message) -> Reply:
            try:
                return reply_type.model_validate(fields)
            except ValidationError as error:
                faults = []
                for fault in error.errors()[:MAX_FAULTS_SHOWN]:
                    place = ".".join(str(part) for part in fault["loc"])
                    faults.append(f"{place}: {fault['msg']}")
                # Its code says that it is the platform's. Still, something else may answer in its
                # place for a while.
                msg = f"the reply of {method} is not as described: {'; '.join(faults)}"
                raise foreign_reply(msg) from None

        return Call(
            self._client, self._service, method, request, policy or self._lifecycle, read_reply
        )

    def _call(
        self,
        method: str,
        request: Message,
        reply_type: type[Reply],
        policy: CallPolicy | None = None,
        *,
        look: Callable[[], Message | None] | None = None,
    ) -> Reply:
        """Make a call and return its reply. Raises `WireError`, which names the method."""
        call = self._new_call(method, request, reply_type, policy)
        call.look = look
        try:
            return call.finish()
        except WireError as error:
            if method not in error.message:
                error.message = f"{method}: {error.message}"
            raise


def read_settings(settings: Mapping[str, str]) -> ClientSettings:
    """Return the client's settings from the options of `--set` and from BITGN_HOST.

    Raises `BenchmarkError` for a value that does not fit, and for an address that may hold a key:
    the journal holds the address.
    """
    options = dict(settings)
    host_variable = os.environ.get("BITGN_HOST")
    if host_variable:
        options.setdefault("host", host_variable)
    try:
        client_settings = ClientSettings.model_validate(options)
    except ValidationError as error:
        fault = error.errors()[0]
        msg = f"setting {fault['loc'][0]}={fault['input']!r}: {fault['msg']}"
        raise BenchmarkError(INVALID, msg) from None
    _check_host(client_settings.host)
    return client_settings


def _check_host(host: str) -> None:
    """Raise `BenchmarkError` for a host that is not a URL, or that holds a secret."""
    key = os.environ.get("BITGN_API_KEY", "")
    if len(key) >= SHORTEST_SECRET and key in host:
        msg = (
            "the host holds the key, and is written into the journal; give the key in "
            "BITGN_API_KEY alone"
        )
        raise BenchmarkError(INVALID, msg)

    try:
        parts = urlsplit(host)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address or not host.isprintable() or " " in host:
        may_hold_secret = "@" in host or "?" in host
        shown_host = "" if may_hold_secret else f" {host!r}"
        msg = (
            f"host{shown_host} is not the URL of a platform; "
            "set BITGN_HOST to one that begins with https://"
        )
        raise BenchmarkError(INVALID, msg)
    if parts.username is not None or parts.query or parts.fragment:
        msg = (
            "a host with a user, a password or a query is not taken, because it is written into "
            "the journal; give the key in BITGN_API_KEY"
        )
        raise BenchmarkError(INVALID, msg)


def _unpickled(argument: str, settings: dict[str, str]) -> RemoteBenchmark:
    return RemoteBenchmark(argument, settings, BenchmarkContext())


def _score(trial_id: str, trial: ScoredTrial) -> TrialScore:
    """Return the score of a trial; its details include the trial's error."""
    details = list(trial.score_detail)
    if trial.error and trial.error not in details:
        details.append(trial.error)
    return TrialScore(trial_id, trial.known_score, tuple(details))


def _result(run_id: str, run: ScoredRun, scores: Sequence[TrialScore]) -> RunResult:
    state = STATES.get(run.state, RunState.RUNNING)
    return RunResult(run_id, state, run.known_score, tuple(scores))
