"""The runs of a server: options, the states of runs and trials, and the service of the control plane over any
`Benchmark` in the platform's form.

Clients know runs and trials by random ids. The memory of all clients together is bounded: a new run, a new trial or a
long text ends the runs that were called least recently, and a run that nobody calls for an hour ends.
"""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from controlplane.agent.evidence import Environment
from controlplane.benchmark import (
    Benchmark,
    BenchmarkError,
    RunResult,
    RunState,
    StartedRun,
    TaskSelection,
    TaskStub,
    TrialScore,
    start_selected_run,
)
from controlplane.sandbox import ForkServer, Worker
from controlplane.sandbox.interface import CallError, Plain, bounds, error_codes

NEW: Final = "TRIAL_STATE_NEW"
RUNNING: Final = "TRIAL_STATE_RUNNING"
DONE: Final = "TRIAL_STATE_DONE"
ERROR: Final = "TRIAL_STATE_ERROR"
MAX_OPEN_RUNS: Final = 64
OPEN: Final = "open"
BLIND: Final = "blind"


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """Options of serving a benchmark."""

    host: str = "127.0.0.1"
    port: int = 0
    """0 for a free port."""
    policy: str = OPEN
    """`open`: scores and hints are shown; `blind`: hints are hidden and scores sealed."""
    reveal_after_s: float | None = None
    """Seconds from the run's submission until its scores are revealed. None: at once if open, never if blind."""
    api_key: str = field(default="", repr=False)
    """The key that StartRun requires; empty accepts any."""
    selection: TaskSelection = field(default_factory=TaskSelection)
    """The trials of every run."""
    seed: int = 0
    """The seed of every run."""
    body_bytes: int = 2 * 1024 * 1024
    """Most bytes of a request body, as sent and decompressed."""
    idle_s: float = 3600.0
    """Seconds after which a run that nobody calls ends."""
    worker_modules: tuple[str, ...] = ()
    """Modules whose functions the benchmark's environments have called in a trial's worker. None: no trial has one."""


@dataclass(slots=True, eq=False)
class ServedTrial:
    """One trial of a served run."""

    trial_id: str
    """Its id on the wire, which nobody can guess: anybody who has the id may call the trial."""
    own_id: str
    """Its id at the benchmark."""
    run: ServedRun
    number: int
    """Index in the run, from 0."""
    task_id: str
    state: str = NEW
    instruction: str = ""
    environment: Environment | None = None
    """Set while the trial is running."""
    worker: Worker | None = None
    """The process in which the environment's calls compute, if it uses one."""
    is_answered: bool = False
    error: str = ""
    kept_bytes: int = 0
    """Request bytes of its writes and its answer."""

    @property
    def is_open(self) -> bool:
        """True until the trial is over."""
        return self.state in (NEW, RUNNING)

    def close(self, state: str, error: str = "") -> None:
        """End the trial and release its environment."""
        self.state = state
        self.error = error
        self.environment = None
        self.kept_bytes = 0
        if self.worker is not None:
            self.worker.close()
            self.worker = None


@dataclass(slots=True, eq=False)
class ServedRun:
    """One run."""

    run_id: str
    """Its id on the wire."""
    own_id: str
    """Its id at the benchmark."""
    benchmark_id: str
    name: str
    trials: tuple[ServedTrial, ...] = ()
    result: RunResult | None = None
    """The benchmark's result of the submitted run."""
    submitted_at: float | None = None
    called_at: float = field(default_factory=time.monotonic)

    @property
    def running(self) -> int:
        """Number of trials that have started and not ended."""
        return sum(trial.environment is not None for trial in self.trials)

    @property
    def kept_bytes(self) -> int:
        """Request bytes of the writes and answers of its running trials."""
        return sum(trial.kept_bytes for trial in self.trials)

    def score(self, own_id: str) -> TrialScore | None:
        """Return the benchmark's score of a trial, if there is one."""
        if self.result is None:
            return None
        for score in self.result.trials:
            if score.trial_id == own_id:
                return score
        return None


class ServedRuns:
    """All runs of a server. Safe to use from many threads."""

    def __init__(self, end: Callable[[ServedRun], None]) -> None:
        """`end` closes and grades a run; it is called for runs that must make room."""
        self._end = end
        self._runs: dict[str, ServedRun] = {}
        self._trials: dict[str, ServedTrial] = {}
        self._lock = threading.RLock()
        self._with_process: dict[ServedTrial, None] = {}
        """Trials that may have a process; the one that was called last comes last."""

    def add(self, started: StartedRun, benchmark_id: str, name: str) -> ServedRun:
        """Add a started run, forget the oldest submitted runs, and end open runs if there are too many."""
        run = ServedRun(secrets.token_urlsafe(15), started.run_id, benchmark_id, name)
        run.trials = tuple(
            ServedTrial(secrets.token_urlsafe(15), stub.trial_id, run, number, stub.task_id)
            for number, stub in enumerate(started.trials)
        )
        with self._lock:
            self._runs[run.run_id] = run
            self._trials |= {trial.trial_id: trial for trial in run.trials}
        self.make_room(run)
        with self._lock:
            submitted = [other for other in self._runs.values() if other.submitted_at is not None]
            # Submitted runs to keep; older ones are forgotten.
            for old in submitted[:-50]:
                del self._runs[old.run_id]
                for trial in old.trials:
                    del self._trials[trial.trial_id]
        return run

    def make_room(self, asking: ServedRun) -> None:
        """End the runs that were called least recently, except the one that asks, until all bounds hold."""
        for run in sorted(self._open_runs(), key=lambda run: run.called_at):
            if not self._is_full(asking):
                return
            if run is not asking:
                self._end(run)

    def _is_full(self, asking: ServedRun) -> bool:
        """Say whether a bound on open runs is exceeded; the run that asks may use it up alone."""
        open_runs = self._open_runs()
        if len(open_runs) > MAX_OPEN_RUNS:
            return True
        running_trials = sum(run.running for run in open_runs)
        if running_trials > max(bounds.MOST_RUNNING_TRIALS, asking.running):
            return True
        return sum(run.kept_bytes for run in open_runs) > bounds.MOST_HELD_BYTES

    def end_idle(self, idle_s: float) -> None:
        """End every run that nobody has called for `idle_s` seconds."""
        for run in self._open_runs():
            if time.monotonic() - run.called_at > idle_s:
                self._end(run)

    def count_process(self, trial: ServedTrial) -> None:
        """Note that a trial with a worker is called, and end the processes of trials whose last call is longest ago.

        Such a process starts again at its trial's next call.
        """
        if trial.worker is None:
            return
        with self._lock:
            self._with_process.pop(trial, None)
            self._with_process[trial] = None
            surplus = list(self._with_process)[: -bounds.MOST_TRIAL_PROCESSES]
            for idle in surplus:
                del self._with_process[idle]
        for idle in surplus:
            if (worker := idle.worker) is not None:
                worker.close()

    def close(self) -> None:
        """End the processes of all trials."""
        with self._lock:
            for trial in self._trials.values():
                if trial.worker is not None:
                    trial.worker.close()

    def run(self, run_id: str) -> ServedRun:
        """Return a run, which counts as called. Raises `CallError` if it is unknown."""
        with self._lock:
            run = self._runs.get(run_id)
        if run is None:
            raise CallError(error_codes.NOT_FOUND, f"there is no run {run_id[:60]!r}")
        run.called_at = time.monotonic()
        return run

    def trial(self, trial_id: str) -> ServedTrial:
        """Return a trial, whose run counts as called. Raises `CallError` if it is unknown."""
        with self._lock:
            trial = self._trials.get(trial_id)
        if trial is None:
            raise CallError(error_codes.NOT_FOUND, f"there is no trial {trial_id[:60]!r}")
        trial.run.called_at = time.monotonic()
        return trial

    def _open_runs(self) -> list[ServedRun]:
        with self._lock:
            return [run for run in self._runs.values() if run.submitted_at is None]


TRIAL_PREFIX: Final = "/trials/"
PLATFORM_IDS: Final = "bitgn/"
"""Ids with this prefix are served as well, because clients of the platform often have one in their code."""
FORCED_CLOSE: Final = "forced close"
NO_ANSWER: Final = "no answer provided"
SUBJECTS: Final = {"SubmitRun": "runId", "StartTrial": "trialId", "EndTrial": "trialId"}
"""The methods that are handled one at a time for each value of a field of their requests."""
Fields: TypeAlias = dict[str, Plain]
"""A message as proto3 JSON."""


class HarnessService:
    """Handles calls about runs and trials, from many threads at once, but one at a time for each run and trial."""

    def __init__(
        self, benchmark: Benchmark, options: ServerOptions, server: ForkServer | None = None
    ) -> None:
        """`server` makes a worker for every trial whose environment uses one."""
        self.runs = ServedRuns(end=self._end_run)
        self._benchmark = benchmark
        self._server = server
        self._options = options
        self._description = benchmark.describe(preview_seed=options.seed)
        stubs = {stub.task_id: stub for stub in self._description.tasks}
        task_ids = options.selection.task_ids(self._description)
        chosen = dict.fromkeys(each.task_id for each in options.selection.tries(task_ids))
        self._stubs = tuple(stubs.get(task_id, TaskStub(task_id)) for task_id in chosen)

    def methods(self, address: str) -> dict[str, Callable[[Fields], Fields]]:
        """Return the service's methods by name, for a client that reached the server under `address`."""
        return {
            "Status": lambda _: {"status": "ok", "version": self._description.name},
            "GetBenchmark": self.get_benchmark,
            "StartRun": self.start_run,
            "StartTrial": lambda request: self.start_trial(request, address),
            "EndTrial": self.end_trial,
            "GetTrial": self.get_trial,
            "GetRun": self.get_run,
            "SubmitRun": self.submit_run,
            "StartPlayground": _start_playground,
        }

    def get_benchmark(self, request: Fields) -> Fields:
        """Return the served benchmark's policy and tasks; hints only if its policy is open."""
        benchmark_id = self._checked(request)
        is_blind = self._options.policy == BLIND
        tasks: list[Plain] = [
            {"taskId": task.task_id, "preview": task.preview, "hint": "" if is_blind else task.hint}
            for task in self._stubs
        ]
        return {
            "benchmarkId": benchmark_id,
            "description": self._description.summary,
            "harnessId": self._description.name,
            "policy": self._policy,
            "tasks": tasks,
        }

    def start_run(self, request: Fields) -> Fields:
        """Start a run for a client with the key."""
        benchmark_id = self._checked(request)
        key, name = self._options.api_key, _text(request, "name")
        if key and not hmac.compare_digest(_text(request, "apiKey").encode(), key.encode()):
            raise CallError(error_codes.UNAUTHENTICATED, "the api_key is not valid")
        options = self._options
        started = start_selected_run(
            self._benchmark, options.selection, name=name, seed=options.seed
        )
        run = self.runs.add(started, benchmark_id, name[: bounds.MOST_NAME_CHARS])
        trial_ids: list[Plain] = [trial.trial_id for trial in run.trials]
        return {"runId": run.run_id, "benchmarkId": benchmark_id, "trialIds": trial_ids}

    def start_trial(self, request: Fields, address: str) -> Fields:
        """Start a trial; for a running trial, return it again."""
        trial = self.runs.trial(_text(request, "trialId"))
        if not trial.is_open:
            raise CallError(
                error_codes.FAILED_PRECONDITION, f"trial {trial.trial_id} has already ended"
            )
        if trial.environment is None:
            started = self._benchmark.start_trial(trial.own_id)
            trial.task_id = started.task_id
            trial.instruction = started.instruction
            if self._server is not None and started.use_worker is not None:
                trial.worker = Worker(self._server)
                started.use_worker(trial.worker)
            trial.environment = started.environment
            trial.state = RUNNING
            self.runs.make_room(trial.run)
        return {
            "trialId": trial.trial_id,
            "benchmarkId": trial.run.benchmark_id,
            "taskId": trial.task_id,
            "runId": trial.run.run_id,
            "instruction": trial.instruction,
            "harnessUrl": f"{address}{TRIAL_PREFIX}{trial.trial_id}",
        }

    def end_trial(self, request: Fields) -> Fields:
        """End a trial. Its score comes when the run is submitted."""
        trial = self.runs.trial(_text(request, "trialId"))
        if trial.state == NEW:
            raise CallError(
                error_codes.FAILED_PRECONDITION, f"trial {trial.trial_id} has not started"
            )
        if not trial.is_open:
            raise CallError(error_codes.ALREADY_EXISTS, f"trial {trial.trial_id} has already ended")
        self._benchmark.end_trial(trial.own_id)
        trial.close(DONE)
        return {"trialId": trial.trial_id, "state": trial.state}

    def get_trial(self, request: Fields) -> Fields:
        """Return a trial, and its score once it is revealed."""
        trial = self.runs.trial(_text(request, "trialId"))
        self._refresh(trial.run)
        return {
            **self._facts(trial),
            "instruction": trial.instruction,
            "benchmarkId": trial.run.benchmark_id,
            "scoreDetail": [*self._details(trial)],
            "runId": trial.run.run_id,
        }

    def get_run(self, request: Fields) -> Fields:
        """Return a run with one head for each trial."""
        run = self.runs.run(_text(request, "runId"))
        self._refresh(run)
        states = [trial.state for trial in run.trials]
        counts = {"newCount": NEW, "runningCount": RUNNING, "doneCount": DONE, "errorCount": ERROR}
        stubs: list[Plain] = [
            {**self._facts(trial), "num": trial.number, "instruction": trial.instruction or None}
            for trial in run.trials
        ]
        return {
            **self._run_facts(run),
            "benchmarkId": run.benchmark_id,
            "name": run.name,
            "stats": {name: states.count(state) for name, state in counts.items()},
            "trials": stubs,
            "policy": self._policy,
        }

    def submit_run(self, request: Fields) -> Fields:
        """Close and grade a run. Refuses while trials are open; with `force`, open trials score 0."""
        run, is_forced = self.runs.run(_text(request, "runId")), request.get("force") is True
        if run.submitted_at is not None:
            raise CallError(error_codes.ALREADY_EXISTS, f"run {run.run_id} was already submitted")
        open_trials = [trial for trial in run.trials if trial.is_open]
        if open_trials and not is_forced:
            count = f"{len(open_trials)} of {len(run.trials)} trials are open"
            msg = f"run has unfinished trials: {count}; end them, or submit with force"
            raise CallError(error_codes.FAILED_PRECONDITION, msg)
        self._close_run(run, self._benchmark.submit_run(run.own_id, force=is_forced))
        trials: list[Plain] = [
            {**self._facts(trial), "num": trial.number, "scoreDetail": [*self._details(trial)]}
            for trial in run.trials
        ]
        return {**self._run_facts(run), "trials": trials}

    def _end_run(self, run: ServedRun) -> None:
        """End a run that its client left. A run that the benchmark does not close has no scores."""
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

    def _checked(self, request: Fields) -> str:
        """Return the benchmark's id in a request. Raises `CallError` if it is not served."""
        benchmark_id, own = _text(request, "benchmarkId"), self._description.name
        is_long = len(benchmark_id) > bounds.MOST_NAME_CHARS
        if is_long or (benchmark_id != own and not benchmark_id.startswith(PLATFORM_IDS)):
            msg = f"there is no benchmark {benchmark_id[:60]!r}; this server has {own!r}"
            raise CallError(error_codes.NOT_FOUND, msg)
        return benchmark_id

    @property
    def _policy(self) -> str:
        return f"EVAL_POLICY_{self._options.policy.upper()}"

    def _refresh(self, run: ServedRun) -> None:
        """Ask the benchmark again for the scores of a submitted run that it had not evaluated yet."""
        if run.result is not None and run.result.state is not RunState.EVALUATED:
            run.result = self._benchmark.get_run(run.own_id)

    def _is_revealed(self, run: ServedRun) -> bool:
        if (
            run.result is None
            or run.submitted_at is None
            or run.result.state is not RunState.EVALUATED
        ):
            return False
        if self._options.reveal_after_s is None:
            return self._options.policy != BLIND
        return time.monotonic() - run.submitted_at >= self._options.reveal_after_s

    def _run_facts(self, run: ServedRun) -> Fields:
        """Return the fields that every reply about a run holds."""
        is_revealed = self._is_revealed(run)
        score = run.result.score if run.result and is_revealed else None
        if run.submitted_at is None:
            state = "RUNNING"
        elif is_revealed:
            state = "EVALUATED"
        else:
            state = "PENDING_EVAL"
        return {
            "runId": run.run_id,
            "state": f"RUN_STATE_{state}",
            "score": score,
            "scoreAvailable": score is not None,
        }

    def _revealed_score(self, trial: ServedTrial) -> TrialScore | None:
        """Return a trial's score if it is revealed. A trial closed by force without a score has 0."""
        if not self._is_revealed(trial.run):
            return None
        score = trial.run.score(trial.own_id)
        if trial.error == FORCED_CLOSE and (score is None or score.score is None):
            return TrialScore(trial.trial_id, 0.0)
        return score if score is not None and score.score is not None else None

    def _facts(self, trial: ServedTrial) -> Fields:
        """Return the fields that every reply about a trial holds; its score only once it is revealed."""
        revealed = self._revealed_score(trial)
        return {
            "trialId": trial.trial_id,
            "taskId": trial.task_id,
            "state": trial.state,
            "error": trial.error,
            "score": revealed.score if revealed else None,
            "scoreAvailable": revealed is not None,
        }

    def _details(self, trial: ServedTrial) -> tuple[str, ...]:
        revealed = self._revealed_score(trial)
        if revealed is None:
            return ()
        details = tuple(detail for detail in revealed.details if detail != trial.error)
        unanswered = not trial.is_answered and trial.state == DONE
        return (NO_ANSWER,) if unanswered and not details else details


def _start_playground(_: Fields) -> Fields:
    raise CallError(error_codes.UNIMPLEMENTED, "StartPlayground is deprecated; start a run")


def _text(request: Fields, name: str) -> str:
    """Return a field of text, or an empty string: the `.proto` files say what is valid."""
    return str(request.get(name, ""))
