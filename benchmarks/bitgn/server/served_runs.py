"""The runs of a server, and the options of serving.

Clients know runs and trials by random ids. The memory that all clients use together is bounded: if a
new run, a new trial or a long text exceeds a bound, the runs that were called least recently end. A
run that nobody calls for an hour ends as well.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from controlplane.agent.evidence import Environment
from controlplane.benchmark import RunResult, StartedRun, TaskSelection, TrialScore
from controlplane.sandbox import Worker
from controlplane.sandbox.interface import CallError, bounds, error_codes

NEW: Final = "TRIAL_STATE_NEW"
RUNNING: Final = "TRIAL_STATE_RUNNING"
DONE: Final = "TRIAL_STATE_DONE"
ERROR: Final = "TRIAL_STATE_ERROR"
MAX_OPEN_RUNS: Final = 64
MAX_SUBMITTED_RUNS: Final = 50
"""Submitted runs whose scores can still be asked for; older ones are forgotten."""
MAX_ID_CHARS_SHOWN: Final = 60
ID_BYTES: Final = 15
"""Random bytes of an id: 20 characters, which nobody guesses."""
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
        """Trials that may have a process, in the order of their last calls."""

    def add(self, started: StartedRun, benchmark_id: str, name: str) -> ServedRun:
        """Add a started run, forget the oldest submitted runs, and end open runs if there are too many."""
        run = ServedRun(secrets.token_urlsafe(ID_BYTES), started.run_id, benchmark_id, name)
        trials = []
        for number, stub in enumerate(started.trials):
            trial_id = secrets.token_urlsafe(ID_BYTES)
            trials.append(ServedTrial(trial_id, stub.trial_id, run, number, stub.task_id))
        run.trials = tuple(trials)
        with self._lock:
            self._runs[run.run_id] = run
            for trial in trials:
                self._trials[trial.trial_id] = trial
        self.make_room(run)
        self._forget_oldest()
        return run

    def _forget_oldest(self) -> None:
        with self._lock:
            submitted = [run for run in self._runs.values() if run.submitted_at is not None]
            for run in submitted[:-MAX_SUBMITTED_RUNS]:
                del self._runs[run.run_id]
                for trial in run.trials:
                    del self._trials[trial.trial_id]

    def make_room(self, asking: ServedRun) -> None:
        """End the runs that were called least recently, until all bounds on open runs hold.

        `asking` is the run whose call needs the room. It is not ended itself.
        """
        for run in sorted(self._open_runs(), key=lambda run: run.called_at):
            if not self._is_full(asking):
                return
            if run is not asking:
                self._end(run)

    def _is_full(self, asking: ServedRun) -> bool:
        """Return True if a bound on open runs is exceeded.

        The run that asks may have more running trials than the bound, if no other run has any.
        """
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
        """Note that a trial with a worker is called, and end the workers that were called least recently
        if there are too many.

        Such a worker starts again at its trial's next call.
        """
        if trial.worker is None:
            return
        with self._lock:
            self._with_process.pop(trial, None)
            self._with_process[trial] = None
            surplus = list(self._with_process)[: -bounds.MOST_TRIAL_PROCESSES]
            for idle_trial in surplus:
                del self._with_process[idle_trial]
        for idle_trial in surplus:
            worker = idle_trial.worker
            if worker is not None:
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
            raise CallError(
                error_codes.NOT_FOUND, f"there is no run {run_id[:MAX_ID_CHARS_SHOWN]!r}"
            )
        run.called_at = time.monotonic()
        return run

    def trial(self, trial_id: str) -> ServedTrial:
        """Return a trial, whose run counts as called. Raises `CallError` if it is unknown."""
        with self._lock:
            trial = self._trials.get(trial_id)
        if trial is None:
            raise CallError(
                error_codes.NOT_FOUND, f"there is no trial {trial_id[:MAX_ID_CHARS_SHOWN]!r}"
            )
        trial.run.called_at = time.monotonic()
        return trial

    def _open_runs(self) -> list[ServedRun]:
        with self._lock:
            return [run for run in self._runs.values() if run.submitted_at is None]
