"""The runs of a server, and the options of serving.

Clients refer to runs and trials by random ids. The memory for all clients together is
limited. If a new run, a new trial or a long text exceeds a limit, the least recently
called runs end. A run also ends if it has had no call for an hour.
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
"""The number of submitted runs whose scores are kept; older ones are deleted."""
MAX_ID_CHARS_SHOWN: Final = 60
ID_BYTES: Final = 15
"""Random bytes of an id. They give 20 characters, which cannot be guessed."""
OPEN: Final = "open"
BLIND: Final = "blind"


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """Options of serving a benchmark."""

    host: str = "127.0.0.1"
    port: int = 0
    """0 for a free port."""
    policy: str = OPEN
    """`open` shows scores and hints; `blind` hides both."""
    reveal_after_s: float | None = None
    """Seconds from a run's submission until clients see its scores. None: at once if
    open, never if blind."""
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
    """Modules whose functions the benchmark's environments call in a trial's worker.
    Empty: trials have no worker."""


@dataclass(slots=True, eq=False)
class ServedTrial:
    """One trial of a served run."""

    trial_id: str
    """Its public id. It cannot be guessed, because whoever has it may call the
    trial."""
    own_id: str
    """Its id in the benchmark."""
    run: ServedRun
    number: int
    """The index in its run, from 0."""
    task_id: str
    state: str = NEW
    instruction: str = ""
    environment: Environment | None = None
    """Set while the trial is running."""
    worker: Worker | None = None
    """The process that computes the environment's calls, if there is one."""
    is_answered: bool = False
    error: str = ""
    stored_chars: int = 0
    """The number of characters of its writes and its answer, which stay in memory."""

    @property
    def is_open(self) -> bool:
        """True until the trial has ended."""
        return self.state in (NEW, RUNNING)

    def close(self, state: str, error: str = "") -> None:
        """End the trial and release its environment."""
        self.state = state
        self.error = error
        self.environment = None
        self.stored_chars = 0
        if self.worker is not None:
            self.worker.close()
            self.worker = None


@dataclass(slots=True, eq=False)
class ServedRun:
    """One run of a client, from StartRun until its scores are deleted."""

    run_id: str
    """Its public id."""
    own_id: str
    """Its id in the benchmark."""
    benchmark_id: str
    name: str
    trials: tuple[ServedTrial, ...] = ()
    result: RunResult | None = None
    """The benchmark's result, after the run was submitted."""
    submitted_at: float | None = None
    called_at: float = field(default_factory=time.monotonic)

    @property
    def running(self) -> int:
        """The number of trials that have started but not ended."""
        return sum(trial.environment is not None for trial in self.trials)

    @property
    def stored_chars(self) -> int:
        """The number of characters that its running trials store in memory."""
        return sum(trial.stored_chars for trial in self.trials)

    def score(self, own_id: str) -> TrialScore | None:
        """Return the benchmark's score of a trial; None if there is none."""
        if self.result is None:
            return None
        for score in self.result.trials:
            if score.trial_id == own_id:
                return score
        return None


class ServedRuns:
    """All runs of a server. Safe to use from many threads."""

    def __init__(self, end_run: Callable[[ServedRun], None]) -> None:
        """Set up the runs. `end_run` closes and grades a run that must make room for
        others."""
        self._end_run = end_run
        self._runs: dict[str, ServedRun] = {}
        self._trials: dict[str, ServedTrial] = {}
        self._lock = threading.RLock()
        self._trials_with_worker: dict[str, ServedTrial] = {}
        """The trials whose workers may have a process, by id. The last one was called
        last."""

    def add(self, started: StartedRun, benchmark_id: str, name: str) -> ServedRun:
        """Add a started run. Delete the oldest submitted runs, and end open runs if
        necessary."""
        run = ServedRun(
            secrets.token_urlsafe(ID_BYTES), started.run_id, benchmark_id, name
        )
        trials = []
        for number, stub in enumerate(started.trials):
            trial_id = secrets.token_urlsafe(ID_BYTES)
            trials.append(
                ServedTrial(trial_id, stub.trial_id, run, number, stub.task_id)
            )
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
            submitted = [
                run for run in self._runs.values() if run.submitted_at is not None
            ]
            for run in submitted[:-MAX_SUBMITTED_RUNS]:
                del self._runs[run.run_id]
                for trial in run.trials:
                    del self._trials[trial.trial_id]

    def make_room(self, asking: ServedRun) -> None:
        """End the least recently called runs until all limits on open runs are met.

        `asking` is the run whose call needs room. It is never ended.
        """
        for run in sorted(self._open_runs(), key=lambda run: run.called_at):
            if not self._is_full(asking):
                return
            if run is not asking:
                self._end_run(run)

    def _is_full(self, asking: ServedRun) -> bool:
        """Return True if a limit on open runs is exceeded.

        One run may have more running trials than the limit for all runs. Then only the
        other runs must end.
        """
        open_runs = self._open_runs()
        if len(open_runs) > MAX_OPEN_RUNS:
            return True
        running_trials = sum(run.running for run in open_runs)
        max_running_trials = max(bounds.MOST_RUNNING_TRIALS, asking.running)
        if running_trials > max_running_trials:
            return True
        return sum(run.stored_chars for run in open_runs) > bounds.MOST_HELD_BYTES

    def end_idle(self, idle_s: float) -> None:
        """End each run that has had no call for `idle_s` seconds."""
        for run in self._open_runs():
            if time.monotonic() - run.called_at > idle_s:
                self._end_run(run)

    def note_use_of_worker(self, trial: ServedTrial) -> None:
        """Record that a trial was called, and end the least recently used workers if
        necessary.

        An ended worker starts again at the next call of its trial.
        """
        if trial.worker is None:
            return
        with self._lock:
            # Move the trial to the end of the dict.
            self._trials_with_worker.pop(trial.trial_id, None)
            self._trials_with_worker[trial.trial_id] = trial

            by_use = list(self._trials_with_worker.values())
            surplus = by_use[: -bounds.MOST_TRIAL_PROCESSES]
            for idle_trial in surplus:
                del self._trials_with_worker[idle_trial.trial_id]
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
        """Return a run and record the call. Raises `CallError` if the run is
        unknown."""
        with self._lock:
            run = self._runs.get(run_id)
        if run is None:
            raise CallError(
                error_codes.NOT_FOUND,
                f"there is no run {run_id[:MAX_ID_CHARS_SHOWN]!r}",
            )
        run.called_at = time.monotonic()
        return run

    def trial(self, trial_id: str) -> ServedTrial:
        """Return a trial and record the call. Raises `CallError` if the trial is
        unknown."""
        with self._lock:
            trial = self._trials.get(trial_id)
        if trial is None:
            raise CallError(
                error_codes.NOT_FOUND,
                f"there is no trial {trial_id[:MAX_ID_CHARS_SHOWN]!r}",
            )
        trial.run.called_at = time.monotonic()
        return trial

    def _open_runs(self) -> list[ServedRun]:
        with self._lock:
            return [run for run in self._runs.values() if run.submitted_at is None]
