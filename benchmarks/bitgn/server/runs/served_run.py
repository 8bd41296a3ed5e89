"""One run of a client, and its trials: what the server keeps of them in memory.

Clients know both by random ids, because whoever knows an id may call the run or trial. The
benchmark that is served has ids of its own for them.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Final

from controlplane.agent.evidence import Environment
from controlplane.benchmark import (
    Benchmark,
    BenchmarkError,
    RunResult,
    RunState,
    Trial,
    TrialScore,
)
from controlplane.sandbox import Worker

NEW: Final = "TRIAL_STATE_NEW"
RUNNING: Final = "TRIAL_STATE_RUNNING"
DONE: Final = "TRIAL_STATE_DONE"
ERROR: Final = "TRIAL_STATE_ERROR"
FORCED_CLOSE: Final = "forced close"
"""The error of a trial that was open when its run was submitted."""


@dataclass(slots=True, eq=False)
class ServedTrial:
    """One trial of a served run."""

    trial_id: str
    """Its id for clients. It is random, because whoever knows it may call the trial."""
    id_in_benchmark: str
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
    """The process that carries out the environment's calls, if there is one."""
    is_answered: bool = False
    error: str = ""
    stored_chars: int = 0
    """The number of characters of its writes and its answer, which stay in memory."""

    @property
    def is_open(self) -> bool:
        """True until the trial has ended."""
        return self.state in (NEW, RUNNING)

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
class ServedRun:
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

    def score(self, id_in_benchmark: str) -> TrialScore | None:
        """Return the benchmark's score of a trial; None if there is none."""
        if self.result is None:
            return None
        for score in self.result.trials:
            if score.trial_id == id_in_benchmark:
                return score
        return None

    def close(self, result: RunResult | None) -> None:
        """End the trials that are open, and keep the benchmark's result, if there is one."""
        for trial in self.trials:
            if trial.is_open:
                trial.close(ERROR, FORCED_CLOSE)
        self.result = result
        self.submitted_at = time.monotonic()


# Asks the benchmark to grade the runs of clients, and keeps the results in the runs.
#
# Clients know a run by a random id. The benchmark knows it by its `id_in_benchmark`.


def submit(run: ServedRun, benchmark: Benchmark, *, force: bool) -> None:
    """Close and grade a run. With `force`, trials may be open. Raises `BenchmarkError`."""
    run.close(benchmark.submit_run(run.id_in_benchmark, force=force))


def end_abandoned(run: ServedRun, benchmark: Benchmark) -> None:
    """Close a run that its client has left. It has no scores if the benchmark fails."""
    try:
        submit(run, benchmark, force=True)
    except BenchmarkError:
        run.close(None)


def refresh(run: ServedRun, benchmark: Benchmark) -> None:
    """Ask again for the scores of a submitted run, unless it is already evaluated."""
    if run.result is not None and run.result.state is not RunState.EVALUATED:
        run.result = benchmark.get_run(run.id_in_benchmark)
