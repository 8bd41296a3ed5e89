"""The remote platform as a `Benchmark`."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from pydantic import SecretStr

from controlplane.agent.model import Model
from controlplane.benchmark import (
    BenchmarkContext,
    BenchmarkError,
    BenchmarkIdentity,
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
from controlplane.benchmarks.bitgn.client.call_policy import CallPolicy
from controlplane.benchmarks.bitgn.client.client_settings import (
    benchmark_options,
    read_settings,
)
from controlplane.benchmarks.bitgn.client.harness import SUBMITTED_STATES, Harness
from controlplane.benchmarks.bitgn.client.lifecycle_replies import (
    BenchmarkReply,
    ScoredRun,
    ScoredTrial,
    StartRunReply,
    StartTrialReply,
)
from controlplane.benchmarks.bitgn.client.platform_client import PlatformClient
from controlplane.benchmarks.bitgn.client.remote_environment import RemoteEnvironment
from controlplane.benchmarks.bitgn.client.wire_errors import (
    ALREADY_CODES,
    Message,
    WireError,
)
from controlplane.benchmarks.bitgn.remote_runtime import RULE_SETS, TOOL_SCHEMA
from controlplane.benchmarks.shop.bindings import shop_bindings
from controlplane.benchmarks.shop.declarations import FUNCTION_MODULES
from controlplane.sandbox.interface import error_codes

INVALID: Final = error_codes.INVALID_ARGUMENT
POLICIES: Final = {
    "EVAL_POLICY_BLIND": "blind",
    "EVAL_POLICY_OPEN": "open",
    "EVAL_POLICY_PRIVATE": "private",
}
MAX_START_PATIENCE_S: Final = 60.0
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
        bindings=shop_bindings,
        tool_schemas=lambda task_ids: [TOOL_SCHEMA],
        resume_identity=remote.identity,
    )


@contextmanager
def _wire_errors_translated() -> Iterator[None]:
    """Raise each `WireError` as a `BenchmarkError`. Decorates the methods of a `Benchmark`."""
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
        self._opened_with = (argument, dict(settings))
        self.settings = read_settings(settings)
        self.benchmark_id = argument or os.environ.get("BENCH_ID", "")
        if not self.benchmark_id:
            msg = "name the benchmark: bitgn:<benchmark id>, or set BENCH_ID"
            raise BenchmarkError(INVALID, msg)
        self._notify = context.notify
        self._key = SecretStr(os.environ.get("BITGN_API_KEY", ""))
        secrets = (self._key.get_secret_value(),)
        self._client = PlatformClient(
            self.settings.connections, secrets=secrets, notify=self._notify
        )
        context.stop.listen(self._client.stop_waiting)
        self._harness = Harness(self._client, self.settings)
        self._trials: dict[str, RemoteEnvironment] = {}
        """The environments of the trials that have started but not ended."""
        self._description: BenchmarkReply | None = None
        """The platform's description of the benchmark, after the first request for it."""
        self._lock = threading.Lock()

    def __reduce__(
        self,
    ) -> tuple[Callable[..., RemoteBenchmark], tuple[str, dict[str, str]]]:
        """Pickle only the arguments, not the key, which each process reads from its environment."""
        return _unpickled, self._opened_with

    @property
    def identity(self) -> BenchmarkIdentity:
        """The name that opens the same benchmark of the same platform in any environment."""
        _, settings = self._opened_with
        return BenchmarkIdentity(
            f"bitgn:{self.benchmark_id}", {**settings, "host": self.settings.host}
        )

    @_wire_errors_translated()
    def describe(self, preview_seed: int | None = None) -> Description:
        """Return the name, policy and tasks. The platform is asked for them only once.

        `preview_seed` is ignored: the platform chooses the example instructions of tasks.
        """
        with self._lock:
            if self._description is None:
                self._description = self._harness.call(
                    "GetBenchmark",
                    {"benchmarkId": self.benchmark_id},
                    BenchmarkReply,
                    self._harness.impatient,
                )
            reply = self._description
        tasks = [
            TaskStub(task.task_id, task.preview, task.hint) for task in reply.tasks
        ]
        return Description(
            name=f"bitgn:{self.benchmark_id}",
            summary=reply.description,
            tasks=tuple(tasks),
            policy=POLICIES.get(reply.policy, "open"),
            rule_sets=RULE_SETS,
            allots_trials=True,  # The platform decides which trials a run has.
        )

    # --- Runs ---

    @_wire_errors_translated()
    def start_run(self, request: RunRequest) -> StartedRun:
        """Start a run and return all its trials. Trials that are not played never start."""
        key = self._key.get_secret_value()
        if not key:
            raise BenchmarkError(INVALID, "a run needs a key: set BITGN_API_KEY")
        if request.seed:
            msg = f"seed={request.seed}: the platform chooses the seeds of a run"
            raise BenchmarkError(INVALID, msg)

        started = self._start_run(
            {"benchmarkId": self.benchmark_id, "name": request.name, "apiKey": key}
        )
        # If the request selects tasks, their ids are needed to choose the trials. Then it
        # is worth waiting long for them (patient). Otherwise they are only shown.
        needs_task_ids = bool(request.tries)
        policy = self._harness.patient if needs_task_ids else self._harness.impatient
        task_by_trial = self._task_by_trial(started.run_id, policy)
        stubs = []
        for trial_id in started.trial_ids:
            stubs.append(TrialStub(trial_id, task_by_trial.get(trial_id, "")))
        return StartedRun(started.run_id, tuple(stubs))

    def _task_by_trial(self, run_id: str, policy: CallPolicy) -> dict[str, str]:
        """Return the task of each trial of a run; empty if the platform does not answer.

        The run has started, so a failure here does not stop it.
        """
        try:
            run = self._harness.run(run_id, policy)
        except WireError:
            return {}
        return {trial.trial_id: trial.task_id for trial in run.trials}

    def _start_run(self, request: Message) -> StartRunReply:
        """Call StartRun. Raises `WireError` that says what the user can do.

        After a call whose reply was lost, it is called only once more.
        """
        patient = self._harness.patient
        policy = CallPolicy(
            patient.deadline_s,
            min(patient.retry_s, MAX_START_PATIENCE_S),
            # The call is repeated although it may have started a run: that run does no
            # harm, because it stays empty. For the same reason it is repeated after a
            # 503 that is probably from a proxy.
            max_repeats_in_doubt=1,
            trusts_plain_503=True,
        )
        try:
            return self._harness.call(
                "StartRun", request, StartRunReply, policy, self._warn_of_empty_run
            )
        except WireError as error:
            if error.code == error_codes.UNAUTHENTICATED:
                error.message += "; set BITGN_API_KEY to one that it accepts"
            elif error.transient or error.in_doubt:
                error.message += "; no trial was started: run it again"
            raise

    def _warn_of_empty_run(self) -> None:
        """Warn that a lost call may have started a run. The platform cannot list runs."""
        self._notify(
            "the reply to StartRun was lost; it is asked for again, and an empty run may be left over"
        )

    @_wire_errors_translated()
    def submit_run(self, run_id: str, *, force: bool) -> RunResult:
        """Submit a run. A run that was submitted before is only looked up.

        With `force`, trials that are still open score 0; without it, they are an error.
        """
        request: Message = {"runId": run_id}
        if force:
            request["force"] = True
        try:
            reply = self._harness.call("SubmitRun", request, ScoredRun)
        except WireError as error:
            if self._harness.is_submitted(run_id, error):
                return self.get_run(run_id)
            raise
        scores = [_score(trial.trial_id, trial) for trial in reply.trials]
        return _result(run_id, reply, scores)

    @_wire_errors_translated()
    def get_run(self, run_id: str) -> RunResult:
        """Return the state and scores of a run, and the grader's details when it is evaluated."""
        reply = self._harness.run(run_id)
        scores = {
            trial.trial_id: _score(trial.trial_id, trial) for trial in reply.trials
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
                scores[trial_id] = _score(trial_id, call.finish())
            except WireError as error:
                self._notify(f"the details of trial {trial_id} are missing: {error}")
        return _result(run_id, reply, list(scores.values()))

    # --- Trials ---

    @_wire_errors_translated()
    def start_trial(self, trial_id: str) -> Trial:
        """Start a trial. If it was started before, the platform returns the same trial again."""
        try:
            reply = self._harness.call(
                "StartTrial", {"trialId": trial_id}, StartTrialReply
            )
        except WireError as error:
            if error.code in ALREADY_CODES:
                raise  # The platform's message says clearly that the trial has ended.
            if self._harness.has_ended(trial_id, error):
                msg = f"trial {trial_id} has already ended ({error.message})"
                raise WireError(error_codes.FAILED_PRECONDITION, msg) from None
            raise
        policy = CallPolicy(self.settings.call_timeout_s, self.settings.call_patience_s)
        environment = RemoteEnvironment(self._client, reply.harness_url, policy=policy)
        self._trials[trial_id] = environment
        # `is_fresh=False`: an earlier start of the trial may have changed its files.
        return Trial(
            trial_id, reply.task_id, reply.instruction, environment, is_fresh=False
        )

    @_wire_errors_translated()
    def end_trial(self, trial_id: str) -> TrialScore | None:
        """End a trial and refuse its later calls. Return its score; None if it is not known yet.

        The platform may hide scores until the run is submitted.
        """
        environment = self._trials.pop(trial_id, None)
        if environment is not None:
            environment.close()
        try:
            reply = self._harness.call("EndTrial", {"trialId": trial_id}, ScoredTrial)
        except WireError as error:
            if self._harness.has_ended(trial_id, error):
                return None
            raise
        if reply.known_score is None:
            return None
        return _score(trial_id, reply)

    # --- The rest of a benchmark ---

    def player(self) -> Model | None:
        """Return None: the platform has no built-in player."""
        return None

    def close(self) -> None:
        """End the waiting of all calls and close the connections."""
        self._client.close()


def _unpickled(argument: str, settings: dict[str, str]) -> RemoteBenchmark:
    return RemoteBenchmark(argument, settings, BenchmarkContext())


def _score(trial_id: str, trial: ScoredTrial) -> TrialScore:
    """Return a trial's score. Its error is one of the details."""
    details = list(trial.score_detail)
    if trial.error and trial.error not in details:
        details.append(trial.error)
    return TrialScore(trial_id, trial.known_score, tuple(details))


def _result(run_id: str, run: ScoredRun, scores: list[TrialScore]) -> RunResult:
    state = SUBMITTED_STATES.get(run.state, RunState.RUNNING)
    return RunResult(run_id, state, run.known_score, tuple(scores))
