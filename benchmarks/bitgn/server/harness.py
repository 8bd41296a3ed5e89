"""The service for runs and trials."""

from __future__ import annotations

import hmac
import time
from functools import cached_property
from typing import Final, TypeAlias

from controlplane.benchmark import (
    Benchmark,
    ListedTask,
    RunResult,
    RunState,
    TrialScore,
)
from controlplane.benchmarks.bitgn.server.call_target import (
    BLIND,
    ServerOptions,
    trial_url,
)
from controlplane.benchmarks.bitgn.server.runs import served_run as run_results
from controlplane.benchmarks.bitgn.server.runs.run_limits import RunLimits
from controlplane.benchmarks.bitgn.server.runs.served_run import (
    DONE,
    ERROR,
    FORCED_CLOSE,
    NEW,
    RUNNING,
    ServedRun,
    ServedTrial,
)
from controlplane.benchmarks.bitgn.server.runs.served_runs import (
    MAX_ID_CHARS_SHOWN,
    ServedRuns,
)
from controlplane.sandbox import ForkServer, Worker
from controlplane.sandbox.interface import CallError, Plain, bounds, error_codes
from controlplane.selected_run import start_selected_run

# The fields of a message as proto3 JSON: `{"path": "/a.md", "level": 2}`.

Fields: TypeAlias = dict[str, Plain]
"""The values of a request or a reply, by name."""


def _text_field(request: Fields, name: str) -> str:
    """Return a text of a request; empty if it is missing.

    The `.proto` files define which texts are valid.
    """
    return str(request.get(name, ""))


# The platform's methods about the benchmark that is served: its name, policy and tasks.
#
# A client calls Status to see whether the server works, and GetBenchmark to learn the tasks
# before it starts a run.

_PLATFORM_IDS: Final = "bitgn/"
"""Ids with this prefix, such as `bitgn/ecom`, are accepted for the benchmark.

Many clients were written for the platform and ask for such an id.
"""


class _BenchmarkMethods:
    """Describes the benchmark to clients."""

    def __init__(self, benchmark: Benchmark, options: ServerOptions) -> None:
        """Raises `BenchmarkError` if the benchmark does not have the selected tasks."""
        self._benchmark = benchmark
        self._options = options
        self._description = benchmark.describe()
        self._task_ids = self._selected_ids()

    def _selected_ids(self) -> list[str]:
        """Return the ids of the tasks that every run has, each once."""
        selection = self._options.selection
        selected_ids = selection.task_ids(self._description)
        tries = selection.tries(selected_ids)
        return list(dict.fromkeys(task_try.task_id for task_try in tries))

    @cached_property
    def _tasks(self) -> list[ListedTask]:
        """The tasks that every run has, with previews: examples of their instructions.

        The previews are made when the first client asks for the tasks, since a benchmark may
        need seconds for them. A task that the user selected and the benchmark does not list
        has none.
        """
        description = self._benchmark.describe(preview_seed=self._options.seed)
        described_tasks = {task.task_id: task for task in description.tasks}
        return [
            described_tasks.get(task_id, ListedTask(task_id))
            for task_id in self._task_ids
        ]

    def status(self) -> Fields:
        """Return that the server works."""
        return {"status": "ok", "version": self._description.name}

    def get_benchmark(self, request: Fields) -> Fields:
        """Return the server's policy on scores and hints, and the benchmark's tasks.

        Hints are included only if the policy is open.
        """
        benchmark_id = self.requested_id(request)
        shows_hints = self._options.policy != BLIND
        tasks: list[Plain] = []
        for task in self._tasks:
            hint = task.hint if shows_hints else ""
            tasks.append(
                {
                    "taskId": task.task_id,
                    "preview": task.preview,
                    "hint": hint,
                }
            )
        return {
            "benchmarkId": benchmark_id,
            "description": self._description.summary,
            "harnessId": self._description.name,
            "policy": self._options.eval_policy,
            "tasks": tasks,
        }

    def requested_id(self, request: Fields) -> str:
        """Return the benchmark id of a request. Raises `CallError` if it is not served."""
        benchmark_id = _text_field(request, "benchmarkId")
        own_id = self._description.name
        is_served = benchmark_id == own_id or benchmark_id.startswith(_PLATFORM_IDS)
        if not is_served or len(benchmark_id) > bounds.MOST_NAME_CHARS:
            shown_id = benchmark_id[:MAX_ID_CHARS_SHOWN]
            msg = f"there is no benchmark {shown_id!r}; this server has {own_id!r}"
            raise CallError(error_codes.NOT_FOUND, msg)
        return benchmark_id


# What clients may know of runs and trials, as fields of replies.
#
# Scores are hidden until the benchmark has evaluated the run, and the server's options let
# clients see them. Then they are revealed.

_NO_ANSWER: Final = "no answer provided"
"""The detail of the score of a trial that ended without an answer."""


class _HarnessReplies:
    """Describes runs and trials to clients, as fields of replies."""

    def __init__(self, options: ServerOptions) -> None:
        self._options = options

    def run_fields(self, run: ServedRun) -> Fields:
        """Return the fields that all replies about a run have. A hidden score is None.

        `{"runId": "x4T", "state": "RUN_STATE_RUNNING", "score": None, "scoreAvailable": False}`
        """
        result = self._revealed_result(run)
        if not run.is_submitted:
            state = "RUN_STATE_RUNNING"
        elif result is None:
            # Not graded yet, hidden, or never graded because the benchmark failed
            state = "RUN_STATE_PENDING_EVAL"
        else:
            state = "RUN_STATE_EVALUATED"
        score = None if result is None else result.score
        return {
            "runId": run.run_id,
            "state": state,
            "score": score,
            "scoreAvailable": score is not None,
        }

    def trial_fields(self, trial: ServedTrial) -> Fields:
        """Return the fields that all replies about a trial have. Hidden scores are None."""
        score = self._revealed_score(trial)
        return {
            "trialId": trial.trial_id,
            "taskId": trial.task_id,
            "state": trial.state,
            "error": trial.error,
            "score": None if score is None else score.score,
            "scoreAvailable": score is not None,
        }

    def details(self, trial: ServedTrial) -> list[Plain]:
        """Return the lines of a trial's grade that clients may see.

        The trial's error is left out, because it has a field of its own in replies.
        """
        score = self._revealed_score(trial)
        if score is None:
            return []
        details: list[Plain] = [
            detail for detail in score.details if detail != trial.error
        ]
        if not details and trial.state == DONE and not trial.is_answered:
            return [_NO_ANSWER]
        return details

    def _revealed_result(self, run: ServedRun) -> RunResult | None:
        """Return the result of a run; None before it is evaluated, and while it is hidden."""
        if run.submitted_at is None or run.result is None:
            return None
        if run.result.state is not RunState.EVALUATED:
            return None
        if self._options.reveal_after_s is None:
            is_visible = self._options.policy != BLIND
        else:
            waited_s = time.monotonic() - run.submitted_at
            is_visible = waited_s >= self._options.reveal_after_s
        return run.result if is_visible else None

    def _revealed_score(self, trial: ServedTrial) -> TrialScore | None:
        """Return a trial's score if it is known and clients may see it.

        A trial that was still open when its run ended scores 0, unless it has a score.
        """
        if self._revealed_result(trial.run) is None:
            return None
        score = trial.run.score(trial.id_in_benchmark)
        if score is not None and score.score is not None:
            return score
        if trial.error == FORCED_CLOSE:
            return TrialScore(trial.trial_id, 0.0)
        return None


# The platform's methods about runs: StartRun, GetRun and SubmitRun.
#
# A client starts a run and gets the ids of its trials. When these have ended, it submits the
# run, and reads the scores.

_STATE_COUNTS: Final = {
    "newCount": NEW,
    "runningCount": RUNNING,
    "doneCount": DONE,
    "errorCount": ERROR,
}
"""The reply fields that count a run's trials by state."""


class _RunMethods:
    """Starts, describes and submits runs for clients.

    A request and a reply are mappings, as `{"runId": "x4T"}`. A run that is not known is
    refused with a `CallError`.
    """

    def __init__(
        self,
        benchmark: Benchmark,
        options: ServerOptions,
        runs: ServedRuns,
        limits: RunLimits,
    ) -> None:
        self._benchmark = benchmark
        self._options = options
        self._runs = runs
        self._limits = limits
        self._replies = _HarnessReplies(options)

    def start_run(self, request: Fields, benchmark_id: str) -> Fields:
        """Start a run. Raises `CallError` if the client's key is wrong."""
        _check_key(_text_field(request, "apiKey"), self._options.api_key)
        name = _text_field(request, "name")
        started = start_selected_run(
            self._benchmark, self._options.selection, name=name, seed=self._options.seed
        )
        shown_name = name[: bounds.MOST_NAME_CHARS]
        run = self._runs.add(started, benchmark_id, shown_name)
        # End other runs, and delete old scores, if there are too many.
        self._limits.make_room(run)
        self._limits.forget_oldest()
        trial_ids: list[Plain] = [trial.trial_id for trial in run.trials]
        return {"runId": run.run_id, "benchmarkId": benchmark_id, "trialIds": trial_ids}

    def get_run(self, request: Fields) -> Fields:
        """Return a run, with a summary of each trial."""
        run = self._runs.run(_text_field(request, "runId"))
        # The benchmark may have graded the run since it was submitted.
        run_results.refresh(run, self._benchmark)
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
            "policy": self._options.eval_policy,
        }

    def submit_run(self, request: Fields) -> Fields:
        """Close and grade a run. With `force`, trials that are still open score 0.

        Raises `CallError` without `force` if trials are open.
        """
        run = self._runs.run(_text_field(request, "runId"))
        is_forced = request.get("force") is True
        _check_may_end(run, is_forced=is_forced)
        run_results.submit(run, self._benchmark, force=is_forced)
        trials: list[Plain] = []
        for trial in run.trials:
            summary = self._replies.trial_fields(trial)
            summary["num"] = trial.number
            summary["scoreDetail"] = self._replies.details(trial)
            trials.append(summary)
        return {**self._replies.run_fields(run), "trials": trials}


def _check_key(sent_key: str, api_key: str) -> None:
    """Raise `CallError` for a key that is not the server's, if it has one."""
    if api_key and not hmac.compare_digest(sent_key.encode(), api_key.encode()):
        raise CallError(error_codes.UNAUTHENTICATED, "the api_key is not valid")


def _check_may_end(run: ServedRun, *, is_forced: bool) -> None:
    """Raise `CallError` for a run that was submitted, or has open trials and no `force`."""
    if run.is_submitted:
        msg = f"run {run.run_id} was already submitted"
        raise CallError(error_codes.ALREADY_EXISTS, msg)
    if run.open_count and not is_forced:
        count = f"{run.open_count} of {len(run.trials)} trials are open"
        msg = f"run has unfinished trials: {count}; end them, or submit with force"
        raise CallError(error_codes.FAILED_PRECONDITION, msg)


def _stats(run: ServedRun) -> Fields:
    """Return how many trials of a run are in each state."""
    states = [trial.state for trial in run.trials]
    return {name: states.count(state) for name, state in _STATE_COUNTS.items()}


# The platform's methods about trials: StartTrial, GetTrial and EndTrial.
#
# A client starts a trial and gets its instruction and the URL of its runtime, where it reads
# files and runs tools. Then it ends the trial, and asks for its score when the run is over.


class _TrialMethods:
    """Starts, describes and ends trials for clients.

    A request and a reply are mappings, such as `{"trialId": "k9w"}`. Clients know a trial by
    a random id. The benchmark knows it by its `id_in_benchmark`.
    """

    def __init__(
        self,
        benchmark: Benchmark,
        runs: ServedRuns,
        limits: RunLimits,
        replies: _HarnessReplies,
        fork_server: ForkServer | None,
    ) -> None:
        """Set up the methods. `fork_server` starts the processes in which trials' calls run."""
        self._benchmark = benchmark
        self._runs = runs
        self._limits = limits
        self._replies = replies
        self._fork_server = fork_server

    def start_trial(self, request: Fields, address: str) -> Fields:
        """Start a trial and return its runtime's URL. A running trial is returned again.

        `address` is the base URL that the client used.
        """
        trial = self._runs.trial(_text_field(request, "trialId"))
        if not trial.is_open:
            msg = f"trial {trial.trial_id} has already ended"
            raise CallError(error_codes.FAILED_PRECONDITION, msg)
        if trial.environment is None:
            self._start(trial)
            # If too many trials of all clients are running now, end the runs of some others.
            self._limits.make_room(trial.run)
        return {
            "trialId": trial.trial_id,
            "benchmarkId": trial.run.benchmark_id,
            "taskId": trial.task_id,
            "runId": trial.run.run_id,
            "instruction": trial.instruction,
            "harnessUrl": trial_url(address, trial.trial_id),
        }

    def _start(self, trial: ServedTrial) -> None:
        """Start a trial in the benchmark, with a process of its own if it can use one."""
        started = self._benchmark.start_trial(trial.id_in_benchmark)
        if self._fork_server is not None and started.use_worker is not None:
            # Keep the worker before the environment uses it: should `use_worker` fail, then
            # `trial.close` still ends the process.
            trial.worker = Worker(self._fork_server)
            started.use_worker(trial.worker)
        trial.begin(started)

    def end_trial(self, request: Fields) -> Fields:
        """End a trial. Its score is available after the run is submitted."""
        trial = self._runs.trial(_text_field(request, "trialId"))
        if trial.state == NEW:
            msg = f"trial {trial.trial_id} has not started"
            raise CallError(error_codes.FAILED_PRECONDITION, msg)
        if not trial.is_open:
            msg = f"trial {trial.trial_id} has already ended"
            raise CallError(error_codes.ALREADY_EXISTS, msg)
        self._benchmark.end_trial(trial.id_in_benchmark)
        trial.close(DONE)
        return {"trialId": trial.trial_id, "state": trial.state}

    def get_trial(self, request: Fields) -> Fields:
        """Return a trial, and its score when clients may see it."""
        trial = self._runs.trial(_text_field(request, "trialId"))
        run_results.refresh(trial.run, self._benchmark)
        return {
            **self._replies.trial_fields(trial),
            "instruction": trial.instruction,
            "benchmarkId": trial.run.benchmark_id,
            "scoreDetail": self._replies.details(trial),
            "runId": trial.run.run_id,
        }


# The platform's service for runs and trials, provided for any `Benchmark`.
#
# A client starts a run (StartRun) and gets the ids of its trials. It starts each trial
# (StartTrial), works on it at the URL that it gets, and ends it (EndTrial). Then it submits
# the run (SubmitRun) and reads the scores (GetRun, GetTrial).

ID_FIELDS: Final = {
    "SubmitRun": "runId",
    "StartTrial": "trialId",
    "EndTrial": "trialId",
}
"""The request field with the id of the run or trial that a method changes.

Calls with the same id are handled one at a time. Methods that are not listed here do
not wait for others.
"""


class HarnessService:
    """Handles calls about runs and trials. Created once for each server.

    It is called from many threads, but by one at a time for each run and trial.
    """

    def __init__(
        self,
        benchmark: Benchmark,
        options: ServerOptions,
        fork_server: ForkServer | None = None,
    ) -> None:
        """Set up the service. `fork_server` starts the processes in which trials' calls run."""
        self.runs = ServedRuns()
        self.limits = RunLimits(self.runs, benchmark)
        self._benchmark_methods = _BenchmarkMethods(benchmark, options)
        self._run_methods = _RunMethods(benchmark, options, self.runs, self.limits)
        self._trial_methods = _TrialMethods(
            benchmark, self.runs, self.limits, _HarnessReplies(options), fork_server
        )

    def handle(self, method: str, request: Fields, address: str) -> Fields:
        """Return the reply to a request, both with the fields of a message as proto3 JSON.

        `address` is the base URL that the client used. Raises `CallError` and
        `BenchmarkError`.
        """
        match method:
            case "Status":
                return self._benchmark_methods.status()
            case "GetBenchmark":
                return self._benchmark_methods.get_benchmark(request)
            case "StartRun":
                benchmark_id = self._benchmark_methods.requested_id(request)
                return self._run_methods.start_run(request, benchmark_id)
            case "GetRun":
                return self._run_methods.get_run(request)
            case "SubmitRun":
                return self._run_methods.submit_run(request)
            case "StartTrial":
                return self._trial_methods.start_trial(request, address)
            case "GetTrial":
                return self._trial_methods.get_trial(request)
            case "EndTrial":
                return self._trial_methods.end_trial(request)
            case "StartPlayground":
                msg = "StartPlayground is deprecated; start a run"
                raise CallError(error_codes.UNIMPLEMENTED, msg)
            case _:
                msg = f"there is no method {method}"
                raise CallError(error_codes.UNIMPLEMENTED, msg)
