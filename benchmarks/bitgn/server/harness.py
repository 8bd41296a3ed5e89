"""The runs that this server offers to other agents, and the calls of their trials."""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import threading
import time
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, NamedTuple, TypeAlias

from connectrpc.code import Code
from connectrpc.errors import ConnectError
from connectrpc.request import RequestContext
from google.protobuf.json_format import MessageToDict, ParseDict
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticSerializationError, from_json, to_json

from controlplane.agent.evidence import Environment
from controlplane.benchmark import (
    Benchmark,
    BenchmarkError,
    ListedTask,
    RunResult,
    RunState,
    StartedRun,
    Trial,
    TrialScore,
)
from controlplane.sandbox import ForkServer, Worker
from controlplane.sandbox.interface import CallError, Plain, bounds, error_codes
from controlplane.sandbox.interface.outcomes import GENERAL_OUTCOMES, Outcomes
from controlplane.task_selection import TaskSelection, start_selected_run
from controlplane.web_host import is_token

# What the URL of a call refers to: the server, or the runtime of one trial.
#
# Calls about runs and trials are sent to `http://HOST/SERVICE/METHOD`, calls of a trial's
# runtime to `http://HOST/trials/ID/SERVICE/METHOD`.

# The options of serving a benchmark.

_OPEN: Final = "open"
_BLIND: Final = "blind"


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """Options of serving a benchmark."""

    host: str = "127.0.0.1"
    port: int = 0
    """0 for a free port."""
    policy: str = _OPEN
    """`open` shows scores and hints; `blind` hides both."""
    reveal_after_s: float | None = None
    """Seconds until clients see a submitted run's scores. None: 0 if open, never if blind."""
    api_key: str = field(default="", repr=False)
    """The key that StartRun requires; empty accepts any."""
    selection: TaskSelection = field(default_factory=TaskSelection)
    """The trials of each run."""
    seed: int = 0
    """The seed of each run."""
    body_bytes: int = 2 * 1024 * 1024
    """The most bytes of a request body, both as sent and decompressed."""
    idle_s: float = 3600.0
    """Seconds without a call after which a run ends."""
    worker_modules: tuple[str, ...] = ()
    """Modules with the functions that a trial's worker process runs. Empty for no workers."""
    outcomes: Outcomes = GENERAL_OUTCOMES
    """The outcomes of trials whose tool schema declares none. Clients know those of the platform alone."""

    @property
    def eval_policy(self) -> str:
        """The policy as the protocol names it: `EVAL_POLICY_OPEN` or `EVAL_POLICY_BLIND`."""
        return f"EVAL_POLICY_{self.policy.upper()}"


Scope: TypeAlias = MutableMapping[str, Any]
"""What ASGI tells about a request: its `path`, `headers` and so on."""
_TRIAL_PREFIX: Final = "/trials/"
"""The URL path of a trial's runtime is this prefix and the trial's id."""


class _CallTarget(NamedTuple):
    """What the URL of a call refers to: the server itself, or the runtime of a trial."""

    address: str
    """The base URL that the client used for the server, such as `http://127.0.0.1:8080`."""
    path_prefix: str
    """The path before the service and method: `/trials/ID`, or empty."""

    @property
    def trial_id(self) -> str:
        """The trial whose runtime is called; empty for calls about runs and trials."""
        if self.path_prefix.startswith(_TRIAL_PREFIX):
            return self.path_prefix.removeprefix(_TRIAL_PREFIX)
        return ""


CURRENT_TARGET: Final[ContextVar[_CallTarget]] = ContextVar("target")
"""The target of the request that the current asyncio task handles.

The application sets it for the endpoints, because `connectrpc` does not pass them the URL.
"""


def target_of(scope: Scope, own_host: str) -> _CallTarget:
    """Return the target of a request.

    `own_host`, such as `127.0.0.1:8080`, is used if the client names no host.
    """
    host = own_host
    for name, value in scope["headers"]:
        if name == b"host" and value:
            host = value.decode("latin-1")
            break
    address = f"{scope.get('scheme', 'http')}://{host}"
    # The path ends with `/SERVICE/METHOD`.
    path_prefix = scope["path"].rsplit("/", 2)[0]
    return _CallTarget(address, path_prefix)


# One run of a client, and its trials: what the server keeps of them in memory.
#
# Clients know both by random ids, because whoever knows an id may call the run or trial. The
# benchmark that is served has ids of its own for them.

_NEW: Final = "TRIAL_STATE_NEW"
RUNNING: Final = "TRIAL_STATE_RUNNING"
DONE: Final = "TRIAL_STATE_DONE"
_ERROR: Final = "TRIAL_STATE_ERROR"
_FORCED_CLOSE: Final = "forced close"
"""The error of a trial that was open when its run was submitted."""


@dataclass(slots=True, eq=False)
class ServedTrial:
    """One trial of a served run."""

    trial_id: str
    """Its id for clients. It is random, because whoever knows it may call the trial."""
    id_in_benchmark: str
    """Its id in the benchmark."""
    run: _ServedRun
    number: int
    """The index in its run, from 0."""
    task_id: str
    state: str = _NEW
    instruction: str = ""
    environment: Environment | None = None
    """Set while the trial is running."""
    worker: Worker | None = None
    """The process that carries out the environment's calls, if there is one."""
    is_answered: bool = False
    error: str = ""
    stored_chars: int = 0
    """The number of characters of its writes and its answer, which stay in memory."""

    @property
    def is_open(self) -> bool:
        """True until the trial has ended."""
        return self.state in (_NEW, RUNNING)

    def begin(self, started: Trial) -> None:
        """Take what the benchmark has started. The environment uses the worker, if any."""
        self.task_id = started.task_id
        self.instruction = started.instruction
        self.environment = started.environment
        self.state = RUNNING

    def close(self, state: str, error: str = "") -> None:
        """End the trial in a state such as `DONE`, and release its environment and process."""
        self.state = state
        self.error = error
        self.environment = None
        self.stored_chars = 0
        if self.worker is not None:
            self.worker.close()
            self.worker = None


@dataclass(slots=True, eq=False)
class _ServedRun:
    """One run of a client, from StartRun until its scores are deleted."""

    run_id: str
    """Its id for clients."""
    id_in_benchmark: str
    """Its id in the benchmark."""
    benchmark_id: str
    name: str
    trials: tuple[ServedTrial, ...] = ()
    result: RunResult | None = None
    """The benchmark's result, after the run was submitted."""
    submitted_at: float | None = None
    """The time when it was closed, by `time.monotonic`."""
    called_at: float = field(default_factory=time.monotonic)
    """The time of its client's last call, by `time.monotonic`."""

    @property
    def is_submitted(self) -> bool:
        """True after it was closed: by SubmitRun, or because its client has left.

        No trial of it can be played any more.
        """
        return self.submitted_at is not None

    @property
    def open_count(self) -> int:
        """The number of trials that have not ended."""
        return sum(trial.is_open for trial in self.trials)

    @property
    def running_count(self) -> int:
        """The number of trials that have started but not ended."""
        return sum(trial.environment is not None for trial in self.trials)

    @property
    def stored_chars(self) -> int:
        """The number of characters that its running trials store in memory."""
        return sum(trial.stored_chars for trial in self.trials)

    def submit(self, benchmark: Benchmark, *, force: bool) -> None:
        """Have the run graded, and close it. With `force`, trials may be open.

        Raises `BenchmarkError`.
        """
        self._close(benchmark.submit_run(self.id_in_benchmark, force=force))

    def end_abandoned(self, benchmark: Benchmark) -> None:
        """Close the run, which its client has left. It has no scores if the benchmark fails."""
        try:
            self.submit(benchmark, force=True)
        except BenchmarkError:
            self._close(None)

    def refresh(self, benchmark: Benchmark) -> None:
        """Ask again for the scores of a submitted run, unless it is already evaluated."""
        if self.result is not None and self.result.state is not RunState.EVALUATED:
            self.result = benchmark.get_run(self.id_in_benchmark)

    def _close(self, result: RunResult | None) -> None:
        """End the trials that are open, and keep the benchmark's result, if there is one."""
        for trial in self.trials:
            if trial.is_open:
                trial.close(_ERROR, _FORCED_CLOSE)
        self.result = result
        self.submitted_at = time.monotonic()


# The runs of a server, and their trials, by the random ids that clients use for them.

_MAX_ID_CHARS_SHOWN: Final = 60
_MAX_OPEN_RUNS: Final = 64
"""The most runs that were started and not submitted."""
_MAX_SUBMITTED_RUNS: Final = 50
"""The number of submitted runs whose scores are kept; older ones are deleted."""
_ID_BYTES: Final = 15
"""Random bytes of an id. They give 20 characters, which cannot be guessed."""


class ServedRuns:
    """All runs of a server, found by the random ids of the runs and of their trials.

    Runs that are idle or too many are ended, and the oldest submitted ones deleted.
    A look-up counts as a call of the run's client, which keeps the run from being ended as idle.

    Safe to use from many threads: the list of runs is locked, and the calls of a
    trial are made one at a time. But a call of another run may end the trial meanwhile.
    """

    def __init__(self, benchmark: Benchmark) -> None:
        self._benchmark = benchmark
        self._runs: dict[str, _ServedRun] = {}
        self._trials: dict[str, ServedTrial] = {}
        self._lock = threading.Lock()

    def add(self, started: StartedRun, benchmark_id: str, name: str) -> _ServedRun:
        """Add a run that the benchmark has started, and return it."""
        run = _ServedRun(_new_id(), started.run_id, benchmark_id, name)
        run.trials = tuple(
            ServedTrial(
                _new_id(), planned_trial.trial_id, run, number, planned_trial.task_id
            )
            for number, planned_trial in enumerate(started.trials)
        )
        with self._lock:
            self._runs[run.run_id] = run
            for trial in run.trials:
                self._trials[trial.trial_id] = trial
        return run

    def run(self, run_id: str) -> _ServedRun:
        """Return a run and record the call. Raises `CallError` if the run is unknown."""
        with self._lock:
            run = self._runs.get(run_id)
        if run is None:
            msg = f"there is no run {run_id[:_MAX_ID_CHARS_SHOWN]!r}"
            raise CallError(error_codes.NOT_FOUND, msg)
        run.called_at = time.monotonic()
        return run

    def trial(self, trial_id: str) -> ServedTrial:
        """Return a trial and record the call. Raises `CallError` if the trial is unknown."""
        with self._lock:
            trial = self._trials.get(trial_id)
        if trial is None:
            msg = f"there is no trial {trial_id[:_MAX_ID_CHARS_SHOWN]!r}"
            raise CallError(error_codes.NOT_FOUND, msg)
        trial.run.called_at = time.monotonic()
        return trial

    # What the runs of all clients together keep in memory is limited. If a new run, a new trial or a
    # long text exceeds a limit, the runs whose last calls are oldest are ended: their clients have
    # probably left. A run also ends after an hour without a call.

    def end_idle(self, idle_s: float) -> None:
        """End each run that has had no call for `idle_s` seconds."""
        for run in self._open_runs():
            if time.monotonic() - run.called_at > idle_s:
                run.end_abandoned(self._benchmark)

    def make_room(self, asking: _ServedRun) -> None:
        """End the least recently called runs until all limits on open runs are met.

        These limit the number of runs, of running trials, and of stored characters. `asking`
        is the run whose call needs room. It is never ended.
        """
        for run in sorted(self._open_runs(), key=lambda run: run.called_at):
            if not _exceeds_limits(self._open_runs(), asking):
                return
            if run is not asking:
                run.end_abandoned(self._benchmark)

    def forget_oldest(self) -> None:
        """Delete the oldest submitted runs if there are too many."""
        submitted = [run for run in self._all() if run.is_submitted]
        with self._lock:
            for run in submitted[:-_MAX_SUBMITTED_RUNS]:
                self._runs.pop(run.run_id, None)
                for trial in run.trials:
                    self._trials.pop(trial.trial_id, None)

    @contextmanager
    def storing(self, trial: ServedTrial, chars: int) -> Iterator[None]:
        """Count characters as stored by a trial, unless the `with` block refuses them.

            with runs.storing(trial, len(content)):
                write(content)  # raises `CallError` if it is refused

        Raises `CallError` itself if the trial's run would store too many. Ends other runs
        if all runs together would. The limit is in bytes, and a character counts as one.
        """
        if trial.run.stored_chars + chars > bounds.MOST_WIRE_SERVER_BYTES:
            msg = (
                "the open trials of this run wrote and answered more than "
                f"{bounds.MOST_WIRE_SERVER_BYTES} bytes; end some of them"
            )
            raise CallError(error_codes.RESOURCE_EXHAUSTED, msg)
        stored_before = trial.stored_chars
        try:
            trial.stored_chars += chars
            self.make_room(trial.run)
            yield
        except CallError:
            # What was refused is not stored, so set the count back. It is 0, and stays so,
            # if a call of another run has ended the trial meanwhile.
            trial.stored_chars = min(stored_before, trial.stored_chars)
            raise

    def _open_runs(self) -> list[_ServedRun]:
        """Return the runs that have not been submitted, the oldest first."""
        return [run for run in self._all() if not run.is_submitted]

    def _all(self) -> list[_ServedRun]:
        """Return all runs, the oldest first."""
        with self._lock:
            return list(self._runs.values())

    def close(self) -> None:
        """End the processes of all trials."""
        for run in self._all():
            for trial in run.trials:
                if trial.worker is not None:
                    trial.worker.close()


def _new_id() -> str:
    """Return a random id of 20 characters, which nobody can guess."""
    return secrets.token_urlsafe(_ID_BYTES)


def _exceeds_limits(open_runs: list[_ServedRun], asking: _ServedRun) -> bool:
    """Return True if the open runs together exceed a limit, so that one should end.

    `asking` is the run that needs room. With a limit of 100 running trials for all, this
    run alone may have 120: then the others have to end, and it goes on.
    """
    if len(open_runs) > _MAX_OPEN_RUNS:
        return True
    running_trials = sum(run.running_count for run in open_runs)
    if running_trials > max(bounds.MOST_RUNNING_TRIALS, asking.running_count):
        return True
    return sum(run.stored_chars for run in open_runs) > bounds.MOST_WIRE_SERVER_BYTES


# The platform's service for runs and trials, provided for any `Benchmark`.
#
# A client calls Status to see whether the server works, and GetBenchmark to learn the tasks. It
# starts a run (StartRun) and gets the ids of its trials. It starts each trial (StartTrial), works on
# it at the URL that it gets, and ends it (EndTrial). Then it submits the run (SubmitRun) and reads
# the scores (GetRun, GetTrial).

Fields: TypeAlias = dict[str, Plain]
"""The values of a request or a reply as proto3 JSON, by name: `{"path": "/a.md", "level": 2}`."""

ID_FIELDS: Final = {
    "SubmitRun": "runId",
    "StartTrial": "trialId",
    "EndTrial": "trialId",
}
"""The request field with the id of the run or trial that a method changes.

Calls with the same id are handled one at a time. Methods that are not listed here do
not wait for others.
"""
_PLATFORM_IDS: Final = "bitgn/"
"""Ids with this prefix, such as `bitgn/ecom`, are accepted for the benchmark.

Many clients were written for the platform and ask for such an id.
"""
_NO_ANSWER: Final = "no answer provided"
"""The detail of the score of a trial that ended without an answer."""
_STATE_COUNTS: Final = {
    "newCount": _NEW,
    "runningCount": RUNNING,
    "doneCount": DONE,
    "errorCount": _ERROR,
}
"""The reply fields that count a run's trials by state."""


def _text_field(request: Fields, name: str) -> str:
    """Return a text of a request; empty if it is missing.

    The `.proto` files define which texts are valid.
    """
    return str(request.get(name, ""))


class HarnessService:
    """Handles calls about runs and trials. Created once for each server.

    It is called from many threads, but by one at a time for each run and trial. Scores are
    hidden until the benchmark has evaluated the run, and the server's options let clients see
    them. Then they are revealed.
    """

    def __init__(
        self,
        benchmark: Benchmark,
        options: ServerOptions,
        fork_server: ForkServer | None = None,
    ) -> None:
        """Set up the service. `fork_server` starts the processes in which trials' calls run.

        Raises `BenchmarkError` if the benchmark does not have the selected tasks.
        """
        self.runs = ServedRuns(benchmark)
        self._benchmark = benchmark
        self._options = options
        self._fork_server = fork_server
        self._description = benchmark.describe()
        selection = options.selection
        tries = selection.tries(selection.task_ids(self._description))
        self._task_ids = list(dict.fromkeys(task_try.task_id for task_try in tries))
        """The ids of the tasks that every run has, each once."""

    def handle(self, method: str, request: Fields, address: str) -> Fields:
        """Return the reply to a request, both with the fields of a message as proto3 JSON.

        `address` is the base URL that the client used. Raises `CallError` and
        `BenchmarkError`.
        """
        match method:
            case "Status":
                return {"status": "ok", "version": self._description.name}
            case "GetBenchmark":
                return self._get_benchmark(request)
            case "StartRun":
                return self._start_run(request)
            case "GetRun":
                return self._get_run(request)
            case "SubmitRun":
                return self._submit_run(request)
            case "StartTrial":
                return self._start_trial(request, address)
            case "GetTrial":
                return self._get_trial(request)
            case "EndTrial":
                return self._end_trial(request)
            case "StartPlayground":
                msg = "StartPlayground is deprecated; start a run"
                raise CallError(error_codes.UNIMPLEMENTED, msg)
            case _:
                msg = f"there is no method {method}"
                raise CallError(error_codes.UNIMPLEMENTED, msg)

    # The benchmark

    def _get_benchmark(self, request: Fields) -> Fields:
        """Return the server's policy on scores and hints, and the benchmark's tasks.

        Hints are included only if the policy is open.
        """
        benchmark_id = self._requested_id(request)
        shows_hints = self._options.policy != _BLIND
        tasks: list[Plain] = []
        for task in self._tasks:
            hint = task.hint if shows_hints else ""
            tasks.append(
                {"taskId": task.task_id, "preview": task.preview, "hint": hint}
            )
        return {
            "benchmarkId": benchmark_id,
            "description": self._description.summary,
            "harnessId": self._description.name,
            "policy": self._options.eval_policy,
            "tasks": tasks,
        }

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

    def _requested_id(self, request: Fields) -> str:
        """Return the benchmark id of a request. Raises `CallError` if it is not served."""
        benchmark_id = _text_field(request, "benchmarkId")
        own_id = self._description.name
        is_served = benchmark_id == own_id or benchmark_id.startswith(_PLATFORM_IDS)
        if not is_served or len(benchmark_id) > bounds.MOST_NAME_CHARS:
            shown_id = benchmark_id[:_MAX_ID_CHARS_SHOWN]
            msg = f"there is no benchmark {shown_id!r}; this server has {own_id!r}"
            raise CallError(error_codes.NOT_FOUND, msg)
        return benchmark_id

    # Runs

    def _start_run(self, request: Fields) -> Fields:
        """Start a run. Raises `CallError` if the client's key is wrong."""
        benchmark_id = self._requested_id(request)
        api_key = self._options.api_key
        if api_key and not is_token(_text_field(request, "apiKey"), api_key):
            raise CallError(error_codes.UNAUTHENTICATED, "the api_key is not valid")
        name = _text_field(request, "name")
        started = start_selected_run(
            self._benchmark, self._options.selection, name=name, seed=self._options.seed
        )
        shown_name = name[: bounds.MOST_NAME_CHARS]
        run = self.runs.add(started, benchmark_id, shown_name)
        # End other runs, and delete old scores, if there are too many.
        self.runs.make_room(run)
        self.runs.forget_oldest()
        trial_ids: list[Plain] = [trial.trial_id for trial in run.trials]
        return {"runId": run.run_id, "benchmarkId": benchmark_id, "trialIds": trial_ids}

    def _get_run(self, request: Fields) -> Fields:
        """Return a run, with a summary of each trial."""
        run = self.runs.run(_text_field(request, "runId"))
        # The benchmark may have graded the run since it was submitted.
        run.refresh(self._benchmark)
        trials: list[Plain] = []
        for trial in run.trials:
            summary = self._trial_fields(trial)
            summary["num"] = trial.number
            # Unknown until the trial starts
            summary["instruction"] = trial.instruction or None
            trials.append(summary)
        states = [trial.state for trial in run.trials]
        stats: Fields = {}
        for name, state in _STATE_COUNTS.items():
            stats[name] = states.count(state)
        return {
            **self._run_fields(run),
            "benchmarkId": run.benchmark_id,
            "name": run.name,
            "stats": stats,
            "trials": trials,
            "policy": self._options.eval_policy,
        }

    def _submit_run(self, request: Fields) -> Fields:
        """Close and grade a run. With `force`, trials that are still open score 0.

        Raises `CallError` for a run that was submitted, or has open trials and no `force`.
        """
        run = self.runs.run(_text_field(request, "runId"))
        is_forced = request.get("force") is True
        if run.is_submitted:
            msg = f"run {run.run_id} was already submitted"
            raise CallError(error_codes.ALREADY_EXISTS, msg)
        if run.open_count and not is_forced:
            count = f"{run.open_count} of {len(run.trials)} trials are open"
            msg = f"run has unfinished trials: {count}; end them, or submit with force"
            raise CallError(error_codes.FAILED_PRECONDITION, msg)
        run.submit(self._benchmark, force=is_forced)
        trials: list[Plain] = []
        for trial in run.trials:
            summary = self._trial_fields(trial)
            summary["num"] = trial.number
            summary["scoreDetail"] = self._details(trial)
            trials.append(summary)
        return {**self._run_fields(run), "trials": trials}

    def _run_fields(self, run: _ServedRun) -> Fields:
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

    def _revealed_result(self, run: _ServedRun) -> RunResult | None:
        """Return the result of a run; None before it is evaluated, and while it is hidden."""
        if run.submitted_at is None or run.result is None:
            return None
        if run.result.state is not RunState.EVALUATED:
            return None
        if self._options.reveal_after_s is None:
            is_visible = self._options.policy != _BLIND
        else:
            waited_s = time.monotonic() - run.submitted_at
            is_visible = waited_s >= self._options.reveal_after_s
        return run.result if is_visible else None

    # Trials

    def _start_trial(self, request: Fields, address: str) -> Fields:
        """Start a trial and return its runtime's URL. A running trial is returned again.

        `address` is the base URL that the client used.
        """
        trial = self.runs.trial(_text_field(request, "trialId"))
        if not trial.is_open:
            msg = f"trial {trial.trial_id} has already ended"
            raise CallError(error_codes.FAILED_PRECONDITION, msg)
        if trial.environment is None:
            started = self._benchmark.start_trial(trial.id_in_benchmark)
            if self._fork_server is not None and started.use_worker is not None:
                # Keep the worker before the environment uses it: should `use_worker` fail, then
                # `trial.close` still ends the process.
                trial.worker = Worker(self._fork_server)
                started.use_worker(trial.worker)
            trial.begin(started)
            # If too many trials of all clients are running now, end the runs of some others.
            self.runs.make_room(trial.run)
        return {
            "trialId": trial.trial_id,
            "benchmarkId": trial.run.benchmark_id,
            "taskId": trial.task_id,
            "runId": trial.run.run_id,
            "instruction": trial.instruction,
            "harnessUrl": f"{address}{_TRIAL_PREFIX}{trial.trial_id}",
        }

    def _end_trial(self, request: Fields) -> Fields:
        """End a trial. Its score is available after the run is submitted."""
        trial = self.runs.trial(_text_field(request, "trialId"))
        if trial.state == _NEW:
            msg = f"trial {trial.trial_id} has not started"
            raise CallError(error_codes.FAILED_PRECONDITION, msg)
        if not trial.is_open:
            msg = f"trial {trial.trial_id} has already ended"
            raise CallError(error_codes.ALREADY_EXISTS, msg)
        self._benchmark.end_trial(trial.id_in_benchmark)
        trial.close(DONE)
        return {"trialId": trial.trial_id, "state": trial.state}

    def _get_trial(self, request: Fields) -> Fields:
        """Return a trial, and its score when clients may see it."""
        trial = self.runs.trial(_text_field(request, "trialId"))
        trial.run.refresh(self._benchmark)
        return {
            **self._trial_fields(trial),
            "instruction": trial.instruction,
            "benchmarkId": trial.run.benchmark_id,
            "scoreDetail": self._details(trial),
            "runId": trial.run.run_id,
        }

    def _trial_fields(self, trial: ServedTrial) -> Fields:
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

    def _details(self, trial: ServedTrial) -> list[Plain]:
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

    def _revealed_score(self, trial: ServedTrial) -> TrialScore | None:
        """Return a trial's score if it is known and clients may see it.

        A trial that was still open when its run ended scores 0, unless it has a score.
        """
        result = self._revealed_result(trial.run)
        if result is None:
            return None
        for score in result.trials:
            if score.trial_id == trial.id_in_benchmark and score.score is not None:
                return score
        if trial.error == _FORCED_CLOSE:
            return TrialScore(trial.trial_id, 0.0)
        return None


# Bodies of requests and replies: JSON or binary protobuf.
#
# The server library asks a codec for its name and calls `decode` for a request's body and
# `encode` for a reply. So endpoints see fields, `{"path": "/a.md"}`, whatever was sent.


class WireReply(NamedTuple):
    """The reply of an endpoint, which a codec encodes as a body."""

    fields: Fields
    """The message as proto3 JSON."""
    message_class: type[Any]
    """The protobuf class of the message, needed for a binary body."""


class JsonCodec:
    """Encodes and decodes bodies in JSON. The services check the fields.

    A request may name a field as the `.proto` files do, `trial_id`, or as replies do,
    `trialId`.
    """

    def name(self) -> str:
        """Return the subtype of the content type."""
        return "json"

    def encode(self, message: WireReply) -> bytes:
        """Return the body of a reply."""
        try:
            return to_json(message.fields)
        except PydanticSerializationError:
            # A text contains a lone surrogate such as `\ud83d`, which UTF-8 cannot encode.
            return json.dumps(message.fields).encode()

    def decode(
        self, data: bytes | bytearray, message_class: type[Any]
    ) -> dict[str, Plain]:
        """Return the fields of a request, without null values.

        Raises `ValueError` if the body is not JSON or contains a text that is not valid
        UTF-8, and `TypeError` if it is not an object.
        """
        if not data:
            data = b"{}"  # A request without fields may have an empty body.
        fields = from_json(bytes(data))
        if not isinstance(fields, dict):
            msg = (
                f"the body is not a {message_class.DESCRIPTOR.name}: send a JSON object"
            )
            raise TypeError(msg)
        request = {}
        for name, value in fields.items():
            if value is not None:
                wire_name = to_camel(name) if "_" in name else name
                request[wire_name] = value
        return request


class ProtobufCodec:
    """Encodes and decodes bodies in binary protobuf."""

    def name(self) -> str:
        """Return the subtype of the content type."""
        return "proto"

    def encode(self, message: WireReply) -> bytes:
        """Return the body of a reply."""
        protobuf_message = ParseDict(dict(message.fields), message.message_class())
        body: bytes = protobuf_message.SerializeToString()
        return body

    def decode(
        self, data: bytes | bytearray, message_class: type[Any]
    ) -> dict[str, Plain]:
        """Return the fields of a request."""
        fields: dict[str, Plain] = MessageToDict(message_class.FromString(bytes(data)))
        return fields


# The work of one call: done in a thread, with errors translated to those of Connect.
#
# The server is asynchronous, but the methods of its services block. So each call waits for its
# turn, runs in a thread, and its errors become replies that clients understand.

_log = logging.getLogger(__name__)


async def result_of(
    handle: Callable[[], Fields],
    threads: ThreadPoolExecutor,
    semaphores: Sequence[asyncio.Semaphore],
    context: RequestContext[Any, Any],
) -> Fields:
    """Return the fields of the reply that `handle` makes in one of the threads. Raises `ConnectError`.

    The semaphores are acquired in their order, and held until the call is done. If the client
    disconnects, the call still finishes and keeps its semaphores. Otherwise the next call could
    meet a half-made change.
    """

    async def work() -> Fields:
        async with AsyncExitStack() as stack:
            for semaphore in semaphores:
                await stack.enter_async_context(semaphore)
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(threads, handle)

    task = asyncio.create_task(work())
    task.add_done_callback(_mark_error_as_seen)
    try:
        return await asyncio.shield(task)
    except (BenchmarkError, CallError) as error:
        # Only a `BenchmarkError` may say after which pause the client may try again.
        pause_s = getattr(error, "retry_after_s", None)
        if pause_s is not None:
            context.response_headers["retry-after"] = f"{pause_s:g}"
        # The error refers by its traceback to this function, and `task` here to the error.
        # Such a cycle would keep the request in memory for longer.
        error.__traceback__ = None
        msg = error.message[: bounds.MOST_REFUSAL_CHARS]
        raise ConnectError(_code_of(error), msg) from None
    except Exception as error:  # noqa: BLE001 - the server must survive any failure of one request
        _log.exception("a call failed")
        msg = f"the server failed: {type(error).__name__}"
        raise ConnectError(Code.INTERNAL, msg) from None


def _mark_error_as_seen(task: asyncio.Task[Fields]) -> None:
    """Fetch the error of a call. Its client may have left, and asyncio logs unfetched errors."""
    if not task.cancelled():
        task.exception()


def _code_of(error: BenchmarkError | CallError) -> Code:
    """Return Connect's code for an error; `INTERNAL` if its own code is unknown."""
    try:
        return Code(error.code)
    except ValueError:
        return Code.INTERNAL
