"""The remote platform as a `Benchmark`: translates the control plane's requests into calls over the wire."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Final

from pydantic import SecretStr

from agent.model import Model
from benchmarks.bitgn.client.call_policies import CallPolicy, RetryingClient
from benchmarks.bitgn.client.client_settings import ClientSettings, read_benchmark_id, read_settings
from benchmarks.bitgn.client.connect import ConnectClient
from benchmarks.bitgn.client.harness_client import HarnessClient, LifecycleLimits
from benchmarks.bitgn.client.messages import RUN_EVALUATED, RUN_PENDING, BenchmarkReply, ScoredTrial, WireTrialHead
from benchmarks.bitgn.client.remote_environment import RemoteEnvironment
from benchmarks.bitgn.client.throttle import Throttle, ThrottleState
from benchmarks.bitgn.client.wire_error import WireError
from benchmarks.bitgn.wire.remote_runtimes import RUNTIMES
from benchmarks.shop.declared_checks import CHECK_MODULES
from benchmarks.shop.findings.declarations import FINDING_MODULES
from benchmarks.shop.solver_bindings import SHOP_BINDINGS
from controlplane import (
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
    TaskHead,
    Trial,
    TrialHead,
    TrialScore,
)
from sandbox.interface import error_codes

POLICIES: Final = {"EVAL_POLICY_BLIND": "blind", "EVAL_POLICY_OPEN": "open", "EVAL_POLICY_PRIVATE": "private"}
STATES: Final = {RUN_PENDING: RunState.PENDING, RUN_EVALUATED: RunState.EVALUATED}
DETAIL_CALLS_AT_ONCE: Final = 4
OPTIONS: Final = (
    *(BenchmarkOption(name, field.description or "") for name, field in ClientSettings.model_fields.items()),
    BenchmarkOption("api_key", secret_variable="BITGN_API_KEY"),
)


def open_benchmark(argument: str, settings: Mapping[str, str], context: BenchmarkContext) -> OpenedBenchmark:
    """Open the platform's benchmark that `argument` names. Nothing is called yet.

    Raises `BenchmarkError` for a missing id or a value that does not fit.
    """
    remote = RemoteBenchmark(argument, settings, context)
    return OpenedBenchmark(
        remote,
        aide_modules=(*FINDING_MODULES, *CHECK_MODULES),
        bindings=SHOP_BINDINGS,
        resume_identity=remote.identity,
        throttle_status=remote.throttle_status,
    )


class RemoteBenchmark:
    """One benchmark of the platform. Used from many threads at once; unpickling opens it anew."""

    def __init__(self, argument: str, settings: Mapping[str, str], context: BenchmarkContext) -> None:
        """Read the configuration; nothing is called yet. Raises `BenchmarkError` for a fault in it."""
        self._opened_with = (argument, dict(settings))
        self._settings: ClientSettings = read_settings(settings)
        self.benchmark_id = read_benchmark_id(argument)
        self._notify = context.notify
        self._throttle = Throttle(self._settings.connections, on_notice=self._notify)
        context.stop.listen(self._throttle.stop_waiting)
        self._key = SecretStr(os.environ.get("BITGN_API_KEY", ""))
        client = ConnectClient(secrets=(self._key.get_secret_value(),))
        self._client = RetryingClient(client, self._throttle)
        limits = LifecycleLimits(
            deadline_s=self._settings.lifecycle_timeout_s,
            first_contact_s=self._settings.contact_patience_s,
            lifecycle_s=self._settings.lifecycle_patience_s,
        )
        self._harness = HarnessClient(self._client, self._settings.host, limits)
        self._known: BenchmarkReply | None = None
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[Callable[[str, dict[str, str]], RemoteBenchmark], tuple[str, dict[str, str]]]:
        """Pickle what it was opened with, without the key: the other process reads that from its environment."""
        return _unpickled, self._opened_with

    @property
    def identity(self) -> BenchmarkIdentity:
        """What opens the same benchmark of the same platform whatever the environment says."""
        return BenchmarkIdentity(f"bitgn:{self.benchmark_id}", {**self._opened_with[1], "host": self._settings.host})

    @property
    def pace(self) -> ThrottleState:
        """How many calls are on their way, and what holds the others back."""
        return self._throttle.state

    def describe(self, preview_seed: int | None = None) -> Description:
        """Return name, policy and tasks, asked for once, with the platform's own previews."""
        del preview_seed
        known = self._benchmark()
        return Description(
            name=f"bitgn:{self.benchmark_id}",
            summary=known.description,
            tasks=tuple(TaskHead(task.task_id, task.preview, task.hint) for task in known.tasks),
            policy=POLICIES.get(known.policy, "open"),
            rule_packs=RUNTIMES[self._settings.runtime].rule_packs,
            allots_trials=True,
        )

    def start_run(self, request: RunRequest) -> StartedRun:
        """Start a run and return all its trials. Those that are not played stay unstarted at the platform."""
        self._check_request(request)
        key = self._key.get_secret_value()

        def warn() -> None:
            self._notify("the reply to StartRun was lost; it is asked for again, and an empty run may be left over")

        with _translated():
            try:
                started = self._harness.start_run(self.benchmark_id, request.name, key, on_doubt=warn)
            except WireError as error:
                if error.code == error_codes.UNAUTHENTICATED:
                    msg = f"{error.message}; set BITGN_API_KEY to one that it accepts"
                    raise error.saying(msg) from None
                if error.transient or error.in_doubt:
                    msg = f"{error.message}; no trial was started: run it again"
                    raise error.saying(msg) from None
                raise
        task_ids = self._task_ids(started.run_id, is_needed=bool(request.tries))
        heads = tuple(TrialHead(trial_id, task_ids.get(trial_id, "")) for trial_id in started.trial_ids)
        return StartedRun(started.run_id, heads)

    def start_trial(self, trial_id: str) -> Trial:
        """Start one trial, or get it again."""
        with _translated():
            reply = self._harness.start_trial(trial_id)
        policy = CallPolicy(self._settings.call_timeout_s, self._settings.call_patience_s)
        runtime = RUNTIMES[self._settings.runtime]
        environment = RemoteEnvironment(self._client, runtime, reply.harness_url, policy=policy)
        # The platform keeps a trial's environment across its starts.
        return Trial(trial_id, reply.task_id, reply.instruction, environment, is_fresh=False)

    def end_trial(self, trial_id: str) -> TrialScore | None:
        """End one trial; the platform scores it when its run is submitted."""
        with _translated():
            reply = self._harness.end_trial(trial_id)
        score = reply.known_score
        return None if score is None else TrialScore(trial_id, score, reply.score_detail)

    def submit_run(self, run_id: str, *, force: bool) -> RunResult:
        """Submit a run; one that was submitted before is only looked up."""
        with _translated():
            reply = self._harness.submit_run(run_id, force=force)
        if reply is None:
            return self.get_run(run_id)
        state = STATES.get(reply.state, RunState.RUNNING)
        return RunResult(
            run_id, state, reply.known_score, tuple(_score(trial.trial_id, trial) for trial in reply.trials)
        )

    def get_run(self, run_id: str) -> RunResult:
        """Return what is known about a run, with the grader's details once it is evaluated."""
        with _translated():
            reply = self._harness.get_run(run_id)
            state = STATES.get(reply.state, RunState.RUNNING)
            details = self._details([trial for trial in reply.trials if trial.known_score not in (None, 1)])
        trials = tuple(details.get(each.trial_id) or _score(each.trial_id, each) for each in reply.trials)
        return RunResult(run_id, state, reply.known_score, trials)

    def throttle_status(self, at_once: int) -> str:
        """Say what holds the calls of `at_once` trials back, in a few words; empty if nothing does."""
        state = self._throttle.state
        if state.paused_s >= 1:
            return f"the platform asks to wait {state.paused_s:.0f} s"
        if state.limit >= at_once:
            return ""
        return "one call at a time" if state.limit == 1 else f"{state.limit} calls at a time"

    def player(self) -> Model | None:
        """Return None: the platform has no player of its own."""
        return None

    def close(self) -> None:
        """Wake every call that waits and close the connections."""
        self._client.close()

    def _details(self, heads: Sequence[WireTrialHead]) -> dict[str, TrialScore]:
        """Return the scores of these trials with the grader's reasons, which a list of scores does not hold."""
        if not heads:
            return {}
        with ThreadPoolExecutor(DETAIL_CALLS_AT_ONCE) as pool:
            return dict(zip((head.trial_id for head in heads), pool.map(self._detailed_score, heads), strict=True))

    def _detailed_score(self, head: WireTrialHead) -> TrialScore:
        """Return the score with its reasons, or without them if the platform does not give them."""
        try:
            return _score(head.trial_id, self._harness.get_trial(head.trial_id))
        except WireError as error:
            self._notify(f"why trial {head.trial_id} lost points could not be asked for: {error}")
            return _score(head.trial_id, head)

    def _task_ids(self, run_id: str, *, is_needed: bool) -> dict[str, str]:
        """Return each trial's task; nothing if the platform does not say, since the run has been started already."""
        try:
            run = self._harness.get_run(run_id, is_needed=is_needed)
            return {trial.trial_id: trial.task_id for trial in run.trials}
        except WireError:
            return {}

    def _benchmark(self) -> BenchmarkReply:
        with self._lock:
            if self._known is None:
                with _translated():
                    self._known = self._harness.get_benchmark(self.benchmark_id)
            return self._known

    def _check_request(self, request: RunRequest) -> None:
        if not self._key.get_secret_value():
            raise BenchmarkError(error_codes.INVALID_ARGUMENT, "a run needs a key: set BITGN_API_KEY")
        if request.seed:
            msg = f"seed={request.seed}: the platform chooses the seeds of a run"
            raise BenchmarkError(error_codes.INVALID_ARGUMENT, msg)


def _unpickled(argument: str, settings: dict[str, str]) -> RemoteBenchmark:
    return RemoteBenchmark(argument, settings, BenchmarkContext())


def _score(trial_id: str, trial: ScoredTrial | WireTrialHead) -> TrialScore:
    error = (trial.error,) if trial.error and trial.error not in trial.score_detail else ()
    return TrialScore(trial_id, trial.known_score, (*trial.score_detail, *error))


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except WireError as error:
        raise BenchmarkError(error.code, error.message, retry_after_s=error.retry_after_s) from None
