"""The remote platform (BitGN) as a `Benchmark`: `bitgn:BENCHMARK_ID`.

The platform runs the trials: it starts them, has their files and tools, and grades them.
This side plays them, by calls over HTTP.
"""

from __future__ import annotations

import hashlib
import math
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, partial
from typing import Final

from pydantic import SecretStr

from controlplane.agent.model import Model
from controlplane.benchmark import (
    BenchmarkContext,
    BenchmarkError,
    BenchmarkIdentity,
    Description,
    ListedTask,
    OpenedBenchmark,
    PlannedTrial,
    RunRequest,
    RunResult,
    StartedRun,
    Trial,
    TrialScore,
)
from controlplane.benchmarks.bitgn.client.calls import Call, CallPolicy, PlatformRequest
from controlplane.benchmarks.bitgn.client.client_settings import (
    benchmark_options,
    read_settings,
)
from controlplane.benchmarks.bitgn.client.connection import (
    ALREADY_CODES,
    Message,
    PlatformClient,
    Service,
    WireError,
)
from controlplane.benchmarks.bitgn.client.runs import (
    BenchmarkReply,
    PlatformHarness,
    ScoredRun,
    ScoredTrial,
    StartRunReply,
    StartTrialReply,
)
from controlplane.benchmarks.bitgn.wire import RPCS, SERVICE, Rpc, ShapeError
from controlplane.benchmarks.shop.shop_schema import (
    FUNCTION_MODULES,
    shop_bindings,
    shop_tool_schema,
)
from controlplane.sandbox import normal_path
from controlplane.sandbox.interface import (
    CallError,
    NamedFiles,
    Operation,
    Plain,
    bound_arguments,
    error_codes,
    fresh_result,
)

# What a remote trial offers to scripts: its tool schema, and the rule sets for its answers.
#
# The tool schema declares the operations, such as `read` and `exec`, and what the initial
# prompt of a trial shows: a tree of the files, matching documents, and the tools' help.

RULE_SETS: Final = ("ecom",)
"""The rule sets that a run with this runtime uses."""

# Limits of the initial prompt of a trial.
_MAX_LISTED_FILES: Final = 6
"""The most files of one folder in the tree. A larger folder shows its first files and a count."""
_RANKED_CHARS: Final = 7_400
"""The most characters of all documents that match the instruction."""
_HELP_CHARS: Final = 400
"""The most characters of one tool's help."""
_RECORD_CHARS: Final = 600
"""The most characters of a file that matches the instruction but is not named in it."""
_NAMED_FILES: Final = NamedFiles(
    # The folders of files that an instruction may refer to
    roots=("/proc", "/uploads"),
    records="/proc",  # The folder of records.
    search="search",  # The operation that finds them.
    each_chars=_RECORD_CHARS,
    # The ids in a record are not looked up. The shop's functions read the records that
    # belong together.
    follows_records=False,
)
"""The files that the initial prompt shows if the instruction refers to them."""
TOOL_SCHEMA: Final = replace(
    shop_tool_schema(
        _NAMED_FILES,
        listing=_MAX_LISTED_FILES,
        ranked_chars=_RANKED_CHARS,
        help_chars=_HELP_CHARS,
    ),
    reads_side_by_side=True,  # Calls that only read may be made at the same time.
)


# Finds out whether a tree of files that the platform has truncated lacks what was requested.
#
# The platform marks a tree as truncated even if it only lacks levels that nobody requested:
# `tree("/", level=1)` of `/docs/a.md` is the folder `docs` alone, and complete.


def _depth(node: Plain) -> int:
    """Return the number of levels below a node of a tree."""
    assert isinstance(node, dict)  # For the type checker
    children = node["children"]
    assert isinstance(children, list)
    return max((1 + _depth(child) for child in children), default=0)


# A call of one operation, such as `read`, sent as a request to the platform.
#
# A script calls `read("/a.md")`. It is sent as `{"path": "/a.md"}` to the method Read, and the
# reply is converted to the operation's result, or to an error that the script can handle.

_TREE_TOO_LARGE: Final = (
    "the tree is too large for one reply; list its folders one by one"
)
_MISSING_PATH_PHRASES: Final = ("not found", "no such", "not exist")
"""Some trials' runtimes report a missing path with the code `unknown` and one of these phrases."""


@dataclass(slots=True)
class _OperationCall:
    """A call of one operation."""

    call: Call[Message]
    """The request with its retries. It returns the operation's result."""
    operation: Operation
    arguments: Mapping[str, Plain]
    is_change: bool
    """True if the call may change files."""

    def begin(self) -> None:
        """Send the request in another thread. Raises `CallError` if the client is closed."""
        try:
            self.call.begin()
        except WireError as error:
            raise CallError(error.code, error.message) from None

    def finish(self) -> Message:
        """Return the result. Sends the request if `begin` has not, and waits for the reply.

        Raises `CallError`, with the code `unknown` if it is unclear whether a change has
        happened.
        """
        try:
            result = self.call.finish()
        except WireError as error:
            raise self._call_error(error) from None
        _add_missing_paths(result, self.operation, str(self.arguments.get("path")))
        # Raises `CallError` if the result is too large or too deeply nested.
        return fresh_result(self.operation.name, result)

    def _call_error(self, error: WireError) -> CallError:
        """Return the error for the script."""
        if _reports_missing_path(error):
            return CallError(error_codes.NOT_FOUND, error.message)
        if self.is_change and error.in_doubt:
            msg = (
                f"{self.call.request.method} may or may not have happened ({error.message}). "
                "Read what it changes before you do it again: whether it happened is not known."
            )
            return CallError(error_codes.UNKNOWN, msg)
        return CallError(error.code, error.message)


def _reports_missing_path(error: WireError) -> bool:
    """Return True if a call failed because its path does not exist.

    Such an error has the code `not_found`, or `unknown` with a message such as `no such file`.
    """
    if error.code == error_codes.NOT_FOUND:
        return True
    if error.code != error_codes.UNKNOWN:
        return False
    message = error.message.lower()
    return any(phrase in message for phrase in _MISSING_PATH_PHRASES)


def _parsed_reply(rpc: Rpc, arguments: Mapping[str, Plain], reply: Message) -> Message:
    """Return an operation's result from the reply to its call.

    For `find`: `{"paths": ["/a.md"]}` -> `{"paths": ["/a.md"], "truncated": False}`.
    Raises `CallError` if a tree is too large for one reply, and `WireError` if the reply is malformed.
    """
    try:
        result = rpc.reply_from_wire(reply)
        is_cut = rpc.operation == "tree" and bool(reply.get("truncated"))
        level = arguments.get(
            "level"
        )  # All levels are requested if it is 0 or missing.
        has_requested = (
            bool(level) and isinstance(level, int) and _depth(result) >= level
        )
        lacks = is_cut and not has_requested
    except (ShapeError, RecursionError) as error:
        # The operation may have happened although its reply is malformed.
        msg = f"the reply of {rpc.method} is not as described: {error}"
        raise WireError(error_codes.INTERNAL, msg) from None
    if lacks:
        raise CallError(error_codes.RESOURCE_EXHAUSTED, _TREE_TOO_LARGE)
    return result


def _add_missing_paths(result: Message, operation: Operation, path: str) -> None:
    """Add the paths that scripts expect in a result, and that the platform omits.

    The result of `read("/docs/a.md")` gets this path. In the result of `list("/docs")`,
    the entry `{"name": "a.md"}` gets the path `/docs/a.md`.
    """
    result_names = [field.name for field in operation.fields]
    if "path" in result_names and not result.get("path"):
        result["path"] = path
    if operation.name == "list":
        entries = result["entries"]
        assert isinstance(entries, list)  # For the type checker
        for entry in entries:
            if isinstance(entry, dict) and not entry.get("path"):
                entry["path"] = normal_path(f"{path}/{entry['name']}")


# The environment of one remote trial: its files and tools, its clock and its answer.
#
# Each operation of a script becomes a request to the trial's runtime, and the reply becomes the
# operation's result. What happens if a reply is lost depends on the operation. `read` is repeated.
# After `write` and `delete`, the path is read first, and the call is repeated only if the change
# has not happened. `exec` of a tool that changes something is never repeated: nothing would show
# whether `/bin/checkout` has run.

_LOOKS_AT_PATH: Final = {"write": "Read", "delete": "Stat"}
"""The method that shows, after a lost reply, whether an operation has happened.

For other operations nothing shows it: they are repeated only if they change nothing.
"""
_CLOCK: Final = "/bin/date"
"""The program that prints the time of a trial. It stands still, so the program runs only once."""


class RemoteEnvironment:
    """The files and tools of one trial. Created when the trial starts.

    Several threads may make calls that only read at the same time.
    """

    def __init__(
        self, client: PlatformClient, harness_url: str, *, policy: CallPolicy
    ) -> None:
        """Set up the trial's environment. `policy` is for calls that may be repeated."""
        self.tool_schema = TOOL_SCHEMA
        self.ends_at = math.inf
        """The time, by `time.monotonic`, after which no call is retried. The trial sets it."""
        self._service = Service(client, harness_url, SERVICE)
        self._policy = policy
        self._run_clock: Callable[[], Message] = partial(
            self.call, "exec", {"path": _CLOCK}
        )
        """Returns the result of the program that prints the time."""
        self._now: datetime | None = None

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> Message:
        """Make one declared call. Raises `CallError`, as `_OperationCall.finish` does."""
        return self._new_call(operation, arguments).finish()

    def begin(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> Callable[[], Message]:
        """Begin a declared call and return a function that waits for its result.

        Other calls can run meanwhile. Raises `CallError` if there is no such operation, or
        if the client was closed.
        """
        new_call = self._new_call(operation, arguments)
        new_call.begin()
        if operation == "exec" and dict(arguments) == {"path": _CLOCK}:
            # The first message shows this result. The clock takes it, too.
            self._run_clock = cache(new_call.finish)
            return self._run_clock
        return new_call.finish

    def _new_call(
        self, operation: str, script_arguments: Mapping[str, Plain]
    ) -> _OperationCall:
        """Return a call that has not been sent yet. It is repeated until the trial's time is over.

        Raises `CallError` if the operation does not exist.
        """
        rpc = RPCS.get(operation)
        declared = TOOL_SCHEMA.operation(operation)
        if rpc is None or declared is None:
            msg = f"this runtime has no {operation}"
            raise CallError(error_codes.UNIMPLEMENTED, msg)
        # Send the defaults that scripts see, because the protocol's can differ.
        arguments = bound_arguments(declared, (), script_arguments)
        is_change = TOOL_SCHEMA.may_change(operation, arguments)

        # After a lost reply, a call that only reads is repeated.
        policy = replace(self._policy, ends_at=self.ends_at)
        before_repeat = None
        if operation in _LOOKS_AT_PATH:
            before_repeat = partial(self._lost_reply, operation, arguments, policy)
        elif is_change:
            # Nothing would show whether it has happened, so it is never repeated.
            policy = replace(policy, max_repeats_in_doubt=0)

        wire_arguments = rpc.request_to_wire(arguments)
        request = PlatformRequest(self._service, rpc.method, wire_arguments)
        parse_reply = partial(_parsed_reply, rpc, arguments)
        call = Call(request, policy, parse_reply, before_repeat)
        return _OperationCall(call, declared, arguments, is_change)

    def _make(self, method: str, request: Message, policy: CallPolicy) -> Message:
        """Make a call of a method and return its reply unchanged. Raises `WireError`."""
        platform_request = PlatformRequest(self._service, method, request)
        return Call(platform_request, policy, dict).finish()

    def _lost_reply(
        self, operation: str, arguments: Mapping[str, Plain], policy: CallPolicy
    ) -> Message | None:
        """Return the reply of a write or delete that has happened; None if it has not.

        Looks for the file at the path. Raises `WireError` if that fails.
        """
        file: Message | None = None
        try:
            method = _LOOKS_AT_PATH[operation]
            file = self._make(method, {"path": arguments.get("path", "")}, policy)
        except WireError as error:
            if not _reports_missing_path(error):
                raise
        has_happened = file is None
        if operation == "write":
            # The hash of the file decides, because a long file is cut. Should the reply have
            # none, the content does.
            content = str(arguments.get("content", ""))
            sha256 = hashlib.sha256(content.encode(errors="surrogatepass")).hexdigest()
            has_happened = file is not None and (
                file.get("sha256") == sha256 or file.get("content", "") == content
            )
        if not has_happened:
            return None
        empty_reply: Message = {}  # All writes and deletes have this reply.
        return empty_reply

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        """Submit the trial's answer.

        Raises `CallError`, with the code `already_exists` if there is an answer already.
        """
        request: Message = {"message": message, "outcome": outcome, "refs": list(refs)}
        # Unlike other calls, this one does not end with the trial's time (`ends_at`),
        # because a trial without an answer scores nothing.
        policy = replace(self._policy, accepts_already_done=True)
        try:
            self._make("Answer", request, policy)
        except WireError as error:
            code = error.code
            if code == error_codes.FAILED_PRECONDITION and "already" in error.message:
                # Such as "already answered", for which there is a code of its own.
                code = error_codes.ALREADY_EXISTS
            raise CallError(code, error.message) from None

    def now(self) -> datetime | None:
        """Return the time, in UTC unless it names another time zone; None if it can't be read."""
        if self._now is not None:
            return self._now
        try:
            result = self._run_clock()
            moment = datetime.fromisoformat(str(result["stdout"]).strip())
        except (CallError, ValueError):
            return None
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        self._now = moment
        return moment

    def close(self) -> None:
        """Stop sending calls, including retries, because the trial ends."""
        self._service.is_closed = True


# The benchmark: its description, its runs and its trials.
#
# A call may fail because an earlier one, whose reply was lost, has done its work: the platform then
# says "already ended". So after a failure, it is asked for the present state:
#
#     SubmitRun failed: the connection was lost    -> GetRun says `RUN_STATE_EVALUATED`: submitted
#     EndTrial failed: "the trial has ended"       -> GetTrial says `TRIAL_STATE_DONE`: ended
#     EndTrial failed: "there is no such trial"    -> not ended, without a question


_POLICIES: Final = {
    "EVAL_POLICY_BLIND": "blind",
    "EVAL_POLICY_OPEN": "open",
    "EVAL_POLICY_PRIVATE": "private",
}
"""The policies of a benchmark, by their names in messages."""
_INVALID: Final = error_codes.INVALID_ARGUMENT
_MAX_START_PATIENCE_S: Final = 60.0
"""Seconds to retry the start of a run: few, because the user waits and no work is lost."""
OPTIONS: Final = benchmark_options()


def open_benchmark(
    argument: str, settings: Mapping[str, str], context: BenchmarkContext
) -> OpenedBenchmark:
    """Open the platform's benchmark named by `argument`, without calling the platform.

    Raises `BenchmarkError` if the id is missing or a setting is not valid.
    """
    remote = RemoteBenchmark(argument, settings, context)
    return OpenedBenchmark(
        remote,
        function_modules=FUNCTION_MODULES,
        bindings=shop_bindings,  # Its trials are set in a shop, as those of `ecom` are.
        tool_schemas=lambda task_ids: [TOOL_SCHEMA],
        resume_identity=remote.identity,
        scale=remote.settings.score_scale,
    )


@contextmanager
def _wire_errors_translated() -> Iterator[None]:
    """Raise each `WireError` as a `BenchmarkError`.

    The methods of a `Benchmark` are decorated with it, so that their whole body is in its
    `with` block.
    """
    try:
        yield
    except WireError as error:
        raise BenchmarkError(
            error.code, error.message, retry_after_s=error.retry_after_s
        ) from None


class RemoteBenchmark:
    """One benchmark of the platform.

    Created for each run; used from many threads at once. It can be pickled, so that a
    worker process can open the benchmark, too.
    """

    def __init__(
        self, argument: str, settings: Mapping[str, str], context: BenchmarkContext
    ) -> None:
        """Read the configuration, without calling the platform. Raises `BenchmarkError`."""
        self._argument = argument
        self._given_settings = dict(settings)
        self.settings = read_settings(settings)
        """The given settings, and for others those of the environment or the defaults."""
        self.benchmark_id = argument or os.environ.get("BENCH_ID", "")
        if not self.benchmark_id:
            msg = "name the benchmark: bitgn:<benchmark id>, or set BENCH_ID"
            raise BenchmarkError(_INVALID, msg)
        key = SecretStr(os.environ.get("BITGN_API_KEY", ""))
        self._client = PlatformClient(
            self.settings.connections,
            secrets=(key.get_secret_value(),),
            notify=context.notify,
        )
        context.stop.listen(self._client.stop_waiting)
        self._harness = PlatformHarness(self._client, self.settings)
        self._key = key
        self._notify = context.notify
        self._description: Description | None = None
        self._description_lock = threading.Lock()
        """Held while the platform is asked for the description, so that it is asked once."""
        self._environments: dict[str, RemoteEnvironment] = {}
        """The environments of the trials that have started but not ended, by trial id."""

    def __reduce__(
        self,
    ) -> tuple[Callable[..., RemoteBenchmark], tuple[str, dict[str, str]]]:
        """Pickle what the benchmark was opened with, but not the key.

        A process that unpickles it opens the benchmark anew, with the key in its environment.
        """
        return _unpickled, (self._argument, self._given_settings)

    @property
    def identity(self) -> BenchmarkIdentity:
        """The name and settings that open the same benchmark when a run is resumed.

        They name the benchmark and the host, because the variables BENCH_ID and BITGN_HOST
        may have changed by then.
        """
        name = f"bitgn:{self.benchmark_id}"
        settings = {**self._given_settings, "host": self.settings.host}
        return BenchmarkIdentity(name, settings)

    @_wire_errors_translated()
    def describe(self, preview_seed: int | None = None) -> Description:
        """Return the name, policy and tasks. The platform is asked for them only once.

        `preview_seed` is ignored: the platform chooses the example instructions of tasks.
        """
        with self._description_lock:
            if self._description is not None:
                return self._description
            # This is the first that a run asks, so that a wrong address or id shows.
            reply = self._harness.call(
                "GetBenchmark",
                {"benchmarkId": self.benchmark_id},
                BenchmarkReply,
                self._harness.impatient,  # Give up soon: perhaps the address is wrong.
            )
            tasks = [
                ListedTask(task.task_id, task.preview, task.hint)
                for task in reply.tasks
            ]
            self._description = Description(
                name=f"bitgn:{self.benchmark_id}",
                summary=reply.description,
                tasks=tuple(tasks),
                policy=_POLICIES.get(reply.policy, "open"),
                rule_sets=RULE_SETS,
                allots_trials=True,  # The platform decides which trials a run has.
            )
            return self._description

    @_wire_errors_translated()
    def start_run(self, request: RunRequest) -> StartedRun:
        """Start a run and return all its trials, with their tasks if the platform tells them.

        The platform gives a run all its trials at once. Those that are not played never start.
        """
        # The user's key is sent only here. The other calls need none: they name runs and
        # trials by random ids, which nobody else knows.
        key = self._key.get_secret_value()
        if not key:
            raise BenchmarkError(_INVALID, "a run needs a key: set BITGN_API_KEY")
        if request.seed:
            msg = f"seed={request.seed}: the platform chooses the seeds of a run"
            raise BenchmarkError(_INVALID, msg)
        fields: Message = {
            "benchmarkId": self.benchmark_id,
            "name": request.name,
            "apiKey": key,
        }
        # If a reply is lost, nobody knows if the call has started a run (the call is "in
        # doubt"). It is repeated all the same, but once only: the first run does no harm,
        # because it stays empty. So does a run that is started in spite of a reply with the
        # status 503, which usually comes from a proxy that has not passed on the call.
        patient = self._harness.patient
        policy = replace(
            patient,
            retry_s=min(patient.retry_s, _MAX_START_PATIENCE_S),
            max_repeats_in_doubt=1,
            trusts_plain_503=True,
        )
        try:
            started = self._harness.call(
                "StartRun", fields, StartRunReply, policy, self._warn_of_empty_run
            )
        except WireError as error:
            if error.code == error_codes.UNAUTHENTICATED:
                error.message += "; set BITGN_API_KEY to one that it accepts"
            elif error.transient or error.in_doubt:
                error.message += "; no trial was started: run it again"
            raise

        # The run has started, so a failure here does not stop it. The ids of tasks are worth a
        # long wait only if they are needed to choose the trials. Otherwise they are only shown.
        task_by_trial = {}
        policy = patient if request.tries else self._harness.impatient
        with suppress(WireError):
            run = self._harness.run(started.run_id, policy)
            task_by_trial = {trial.trial_id: trial.task_id for trial in run.trials}
        planned_trials = []
        for trial_id in started.trial_ids:
            task_id = task_by_trial.get(trial_id, "")
            planned_trials.append(PlannedTrial(trial_id, task_id))
        return StartedRun(started.run_id, tuple(planned_trials))

    def _warn_of_empty_run(self) -> None:
        """Warn that a lost call may have started a run. The platform cannot list runs."""
        self._notify(
            "the reply to StartRun was lost; it is asked for again, and an empty run may be left over"
        )

    def _is_over(
        self,
        look_up: Callable[[str, CallPolicy], ScoredRun | ScoredTrial],
        looked_up_id: str,
        error: WireError,
    ) -> bool:
        """Return True if a run is submitted, or a trial ended, although a call has failed.

        `error` is that of the call. The platform is asked, unless the error shows that the call
        had no effect. Raises `WireError` if that fails.
        """
        if error.code in ALREADY_CODES:
            # Refused as already done: the platform replies, so asking is worth some patience.
            return look_up(looked_up_id, self._harness.patient).is_over
        if error.transient and not self._client.is_stopping:
            # The platform has failed for long, so ask only shortly. If that fails, too, the
            # caller raises `error`, and a second one would say no more.
            with suppress(WireError):
                return look_up(looked_up_id, self._harness.impatient).is_over
        return False  # Any other error means that there was no effect.

    @_wire_errors_translated()
    def submit_run(self, run_id: str, *, force: bool) -> RunResult:
        """Submit a run. A run that was submitted before is only looked up.

        With `force`, trials that are still open score 0; without it, they are an error.
        """
        request: Message = {"runId": run_id}
        if force:
            request["force"] = True
        try:
            run = self._harness.call("SubmitRun", request, ScoredRun)
        except WireError as error:
            if self._is_over(self._harness.run, run_id, error):
                return self._result(run_id)
            raise
        scores = [trial.as_score(trial.trial_id) for trial in run.trials]
        return run.as_result(run_id, scores)

    @_wire_errors_translated()
    def get_run(self, run_id: str) -> RunResult:
        """Return the state and scores of a run, and the grader's details when it is evaluated."""
        return self._result(run_id)

    def _result(self, run_id: str) -> RunResult:
        """Return the state and scores of a run, with the reasons for scores. Raises `WireError`."""
        run = self._harness.run(run_id)
        scores = {
            trial.trial_id: trial.as_score(trial.trial_id) for trial in run.trials
        }
        # Only GetTrial returns the reasons for a score. A full score (1) needs none, and
        # a score that is still hidden (None) has none yet.
        calls = {}
        for trial_id, score in scores.items():
            if score.score not in (None, 1):
                call = self._harness.new_call(
                    "GetTrial", {"trialId": trial_id}, ScoredTrial
                )
                calls[trial_id] = call.begin()  # All run at the same time.
        for trial_id, call in calls.items():
            try:
                scores[trial_id] = call.finish().as_score(trial_id)
            except WireError as error:
                self._notify(f"the details of trial {trial_id} are missing: {error}")
        return run.as_result(run_id, scores.values())

    @_wire_errors_translated()
    def start_trial(self, trial_id: str) -> Trial:
        """Start a trial. If it was started before, the platform returns the same trial again."""
        try:
            reply = self._harness.call(
                "StartTrial", {"trialId": trial_id}, StartTrialReply
            )
        except WireError as error:
            if error.code in ALREADY_CODES:
                raise  # The platform's message says it.
            if self._is_over(self._harness.trial, trial_id, error):
                msg = f"trial {trial_id} has already ended ({error.message})"
                raise WireError(error_codes.FAILED_PRECONDITION, msg) from None
            raise
        environment = RemoteEnvironment(
            self._client, reply.harness_url, policy=self.settings.call_policy
        )
        self._environments[trial_id] = environment
        # `is_fresh=False`: an earlier start of the trial may have changed its files.
        return Trial(
            trial_id, reply.task_id, reply.instruction, environment, is_fresh=False
        )

    @_wire_errors_translated()
    def end_trial(self, trial_id: str) -> TrialScore | None:
        """End a trial and refuse its later calls. Return its score; None if it is not known yet.

        The platform may hide scores until the run is submitted.
        """
        environment = self._environments.pop(trial_id, None)
        if environment is not None:
            environment.close()
        try:
            trial = self._harness.call("EndTrial", {"trialId": trial_id}, ScoredTrial)
        except WireError as error:
            if self._is_over(self._harness.trial, trial_id, error):
                return None  # The score was in the reply that was lost.
            raise
        if trial.known_score is None:
            return None
        return trial.as_score(trial_id)

    def player(self) -> Model | None:
        """Return None: the platform has no built-in player."""
        return None

    def close(self) -> None:
        """End the waiting of all calls and close the connections."""
        self._client.close()


def _unpickled(argument: str, settings: dict[str, str]) -> RemoteBenchmark:
    """Open the benchmark in the process that gets the pickled one."""
    return RemoteBenchmark(argument, settings, BenchmarkContext())
