"""The platform's service for runs and trials, provided for any `Benchmark`.

Each method takes a request's fields and returns the reply's fields, as proto3 JSON.
"""

from __future__ import annotations

import hmac
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final, TypeAlias

from controlplane.benchmark import (
    Benchmark,
    BenchmarkError,
    RunResult,
    RunState,
    TaskStub,
    start_selected_run,
)
from controlplane.benchmarks.bitgn.server.harness_replies import (
    FORCED_CLOSE,
    Fields,
    HarnessReplies,
)
from controlplane.benchmarks.bitgn.server.served_run import (
    DONE,
    ERROR,
    NEW,
    RUNNING,
    ServedRun,
    ServedTrial,
)
from controlplane.benchmarks.bitgn.server.served_runs import (
    MAX_ID_CHARS_SHOWN,
    ServedRuns,
)
from controlplane.benchmarks.bitgn.server.server_options import BLIND, ServerOptions
from controlplane.sandbox import ForkServer, Worker
from controlplane.sandbox.interface import CallError, Plain, bounds, error_codes

TRIAL_PREFIX: Final = "/trials/"
"""The URL path of a trial's runtime is this prefix and the trial's id."""
PLATFORM_IDS: Final = "bitgn/"
"""Ids with this prefix are accepted for the benchmark: many clients contain one."""
ID_FIELDS: Final = {
    "SubmitRun": "runId",
    "StartTrial": "trialId",
    "EndTrial": "trialId",
}
"""The request field with the id of the run or trial that a method changes.

Calls with the same id are handled one at a time. Methods that are not listed here do
not wait for others.
"""
STATE_COUNTS: Final = {
    "newCount": NEW,
    "runningCount": RUNNING,
    "doneCount": DONE,
    "errorCount": ERROR,
}
"""The reply fields that count a run's trials by state."""
Method: TypeAlias = Callable[[Fields], Fields]


class HarnessService:
    """Handles calls about runs and trials. Created once for each server.

    It is called from many threads, but by one at a time for each run and trial.
    """

    def __init__(
        self,
        benchmark: Benchmark,
        options: ServerOptions,
        server: ForkServer | None = None,
    ) -> None:
        """Set up the service. `server` starts the processes in which trials' calls run."""
        self.runs = ServedRuns(end_run=self._end_run)
        self._benchmark = benchmark
        self._server = server
        self._options = options
        self._replies = HarnessReplies(options)
        self._description = benchmark.describe(preview_seed=options.seed)
        self._stubs = self._selected_stubs()

    def _selected_stubs(self) -> tuple[TaskStub, ...]:
        """Return the names and previews of the tasks that every run has, each task once.

        The preview is an example of the instruction. It is empty for a task that the user
        selected and the benchmark does not list.
        """
        listed_stubs = {stub.task_id: stub for stub in self._description.tasks}
        selection = self._options.selection
        selected_ids = selection.task_ids(self._description)
        stubs: dict[str, TaskStub] = {}
        for task_try in selection.tries(selected_ids):
            task_id = task_try.task_id
            stubs[task_id] = listed_stubs.get(task_id, TaskStub(task_id))
        return tuple(stubs.values())

    def methods(self, address: str) -> dict[str, Method]:
        """Return the methods by name. `address` is the base URL that the client used."""

        def start_trial(request: Fields) -> Fields:
            return self.start_trial(request, address)

        return {
            "Status": self.status,
            "GetBenchmark": self.get_benchmark,
            "StartRun": self.start_run,
            "StartTrial": start_trial,
            "EndTrial": self.end_trial,
            "GetTrial": self.get_trial,
            "GetRun": self.get_run,
            "SubmitRun": self.submit_run,
            "StartPlayground": self.start_playground,
        }

    # --- The benchmark ---

    def status(self, request: Fields) -> Fields:
        """Return that the server works."""
        return {"status": "ok", "version": self._description.name}

    def get_benchmark(self, request: Fields) -> Fields:
        """Return the benchmark's policy and tasks.

        Hints are included only if the policy is open.
        """
        benchmark_id = self._checked_benchmark_id(request)
        shows_hints = self._options.policy != BLIND
        tasks: list[Plain] = []
        for stub in self._stubs:
            hint = stub.hint if shows_hints else ""
            tasks.append(
                {"taskId": stub.task_id, "preview": stub.preview, "hint": hint}
            )
        return {
            "benchmarkId": benchmark_id,
            "description": self._description.summary,
            "harnessId": self._description.name,
            "policy": self._policy,
            "tasks": tasks,
        }

    def start_playground(self, request: Fields) -> Fields:
        """Raise `CallError`: the platform no longer supports this call."""
        raise CallError(
            error_codes.UNIMPLEMENTED, "StartPlayground is deprecated; start a run"
        )

    def _checked_benchmark_id(self, request: Fields) -> str:
        """Return the benchmark id of a request. Raises `CallError` if it is not served."""
        benchmark_id = _text(request, "benchmarkId")
        own_id = self._description.name
        # Many clients contain a benchmark id of the platform, so all such ids are accepted.
        is_served = benchmark_id == own_id or benchmark_id.startswith(PLATFORM_IDS)
        if not is_served or len(benchmark_id) > bounds.MOST_NAME_CHARS:
            shown_id = benchmark_id[:MAX_ID_CHARS_SHOWN]
            msg = f"there is no benchmark {shown_id!r}; this server has {own_id!r}"
            raise CallError(error_codes.NOT_FOUND, msg)
        return benchmark_id

    @property
    def _policy(self) -> str:
        return f"EVAL_POLICY_{self._options.policy.upper()}"

    # --- Runs ---

    def start_run(self, request: Fields) -> Fields:
        """Start a run. Raises `CallError` if the client's key is wrong."""
        benchmark_id = self._checked_benchmark_id(request)
        options = self._options
        self._check_key(_text(request, "apiKey"))
        name = _text(request, "name")
        started = start_selected_run(
            self._benchmark, options.selection, name=name, seed=options.seed
        )
        run = self.runs.add(started, benchmark_id, name[: bounds.MOST_NAME_CHARS])
        trial_ids: list[Plain] = [trial.trial_id for trial in run.trials]
        return {"runId": run.run_id, "benchmarkId": benchmark_id, "trialIds": trial_ids}

    def _check_key(self, sent_key: str) -> None:
        api_key = self._options.api_key
        if api_key and not hmac.compare_digest(sent_key.encode(), api_key.encode()):
            raise CallError(error_codes.UNAUTHENTICATED, "the api_key is not valid")

    def get_run(self, request: Fields) -> Fields:
        """Return a run, with a summary of each trial."""
        run = self.runs.run(_text(request, "runId"))
        self._refresh(run)
        trials: list[Plain] = []
        for trial in run.trials:
            summary = self._replies.trial_fields(trial)
            summary["num"] = trial.number
            # Unknown until the trial starts
            summary["instruction"] = trial.instruction or None
            trials.append(summary)
        return {
            **self._replies.run_fields(run),
            "benchmarkId": run.benchmark_id,
            "name": run.name,
            "stats": _stats(run),
            "trials": trials,
            "policy": self._policy,
        }

    def submit_run(self, request: Fields) -> Fields:
        """Close and grade a run. With `force`, trials that are still open score 0.

        Raises `CallError` without `force` if trials are open.
        """
        run = self.runs.run(_text(request, "runId"))
        is_forced = request.get("force") is True
        if run.submitted_at is not None:
            raise CallError(
                error_codes.ALREADY_EXISTS, f"run {run.run_id} was already submitted"
            )
        open_count = sum(trial.is_open for trial in run.trials)
        if open_count and not is_forced:
            count = f"{open_count} of {len(run.trials)} trials are open"
            msg = f"run has unfinished trials: {count}; end them, or submit with force"
            raise CallError(error_codes.FAILED_PRECONDITION, msg)

        self._close_run(run, self._benchmark.submit_run(run.own_id, force=is_forced))
        trials: list[Plain] = []
        for trial in run.trials:
            summary = self._replies.trial_fields(trial)
            summary["num"] = trial.number
            summary["scoreDetail"] = self._replies.details(trial)
            trials.append(summary)
        return {**self._replies.run_fields(run), "trials": trials}

    def _end_run(self, run: ServedRun) -> None:
        """End a run that its client abandoned. It has no scores if the benchmark fails."""
        result = None
        with suppress(BenchmarkError):
            result = self._benchmark.submit_run(run.own_id, force=True)
        self._close_run(run, result)

    def _close_run(self, run: ServedRun, result: RunResult | None) -> None:
        for trial in run.trials:
            if trial.is_open:
                trial.close(ERROR, FORCED_CLOSE)
        run.result = result
        run.submitted_at = time.monotonic()

    # --- Trials ---

    def start_trial(self, request: Fields, address: str) -> Fields:
        """Start a trial and return its runtime's URL. A running trial is returned again."""
        trial = self.runs.trial(_text(request, "trialId"))
        if not trial.is_open:
            msg = f"trial {trial.trial_id} has already ended"
            raise CallError(error_codes.FAILED_PRECONDITION, msg)
        if trial.environment is None:
            self._start(trial)
            # Other runs end if too many trials are running now.
            self.runs.make_room(trial.run)
        return {
            "trialId": trial.trial_id,
            "benchmarkId": trial.run.benchmark_id,
            "taskId": trial.task_id,
            "runId": trial.run.run_id,
            "instruction": trial.instruction,
            "harnessUrl": f"{address}{TRIAL_PREFIX}{trial.trial_id}",
        }

    def _start(self, trial: ServedTrial) -> None:
        # `own_id` is the trial's id in the benchmark; clients know it by another one.
        started = self._benchmark.start_trial(trial.own_id)
        trial.task_id = started.task_id
        trial.instruction = started.instruction
        # The environment's calls run in a process of the trial, if it can use one.
        if self._server is not None and started.use_worker is not None:
            trial.worker = Worker(self._server)
            started.use_worker(trial.worker)
        trial.environment = started.environment
        trial.state = RUNNING

    def end_trial(self, request: Fields) -> Fields:
        """End a trial. Its score is available after the run is submitted."""
        trial = self.runs.trial(_text(request, "trialId"))
        if trial.state == NEW:
            msg = f"trial {trial.trial_id} has not started"
            raise CallError(error_codes.FAILED_PRECONDITION, msg)
        if not trial.is_open:
            raise CallError(
                error_codes.ALREADY_EXISTS, f"trial {trial.trial_id} has already ended"
            )
        self._benchmark.end_trial(trial.own_id)
        trial.close(DONE)
        return {"trialId": trial.trial_id, "state": trial.state}

    def get_trial(self, request: Fields) -> Fields:
        """Return a trial, and its score when clients may see it."""
        trial = self.runs.trial(_text(request, "trialId"))
        self._refresh(trial.run)
        return {
            **self._replies.trial_fields(trial),
            "instruction": trial.instruction,
            "benchmarkId": trial.run.benchmark_id,
            "scoreDetail": self._replies.details(trial),
            "runId": trial.run.run_id,
        }

    def _refresh(self, run: ServedRun) -> None:
        """Ask the benchmark again for a submitted run's scores, unless it is already evaluated."""
        if run.result is not None and run.result.state is not RunState.EVALUATED:
            run.result = self._benchmark.get_run(run.own_id)


def _stats(run: ServedRun) -> Fields:
    """Return how many trials of a run are in each state."""
    states = [trial.state for trial in run.trials]
    return {name: states.count(state) for name, state in STATE_COUNTS.items()}


def _text(request: Fields, name: str) -> str:
    """Return a text field, or an empty string. The `.proto` files define what is valid."""
    return str(request.get(name, ""))
