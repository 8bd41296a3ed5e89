"""One run of a client, and its trials."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Final

from controlplane.agent.evidence import Environment
from controlplane.benchmark import RunResult, TrialScore
from controlplane.sandbox import Worker

NEW: Final = "TRIAL_STATE_NEW"
RUNNING: Final = "TRIAL_STATE_RUNNING"
DONE: Final = "TRIAL_STATE_DONE"
ERROR: Final = "TRIAL_STATE_ERROR"


@dataclass(slots=True, eq=False)
class ServedTrial:
    """One trial of a served run."""

    trial_id: str
    """Its id for clients. It is random, because whoever knows it may call the trial."""
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
    """The process that carries out the environment's calls, if there is one."""
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
    """Its id for clients."""
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
