"""The runs and trials of a server, with their states."""

from __future__ import annotations

import threading
import time
from collections import deque
from dataclasses import dataclass, field
from datetime import UTC, datetime
from secrets import token_hex
from typing import Final

from agent.evidence import Environment
from benchmarks.bitgn.server.refused_call import Refused
from benchmarks.bitgn.wire.proto import harness_pb2 as pb
from controlplane import RunResult, StartedRun, TrialScore
from sandbox import Aide
from sandbox.interface import error_codes

KEPT_RUNS: Final = 50
"""Submitted runs to keep; older ones are forgotten."""
ID_BYTES: Final = 12
KEPT_LOG_LINES: Final = 200
"""Lines of a trial's log to keep."""


@dataclass(slots=True)
class ServedTrial:
    """One trial of a served run."""

    trial_id: str
    """A random id; the benchmark's own may tell the task, the seed and more."""
    own_id: str
    """The benchmark's id."""
    run_id: str
    number: int
    """Index in the run, from 0."""
    task_id: str
    state: pb.TrialState = pb.TRIAL_STATE_NEW
    instruction: str = ""
    environment: Environment | None = None
    """Set while the trial is running."""
    aide: Aide | None = None
    """The process in which the environment's calls compute, if it uses one."""
    is_answered: bool = False
    error: str = ""
    started_at: float = 0.0
    ended_at: float = 0.0
    calls: int = 0
    failed_calls: int = 0
    events: int = 0
    log: deque[pb.LogLine] = field(default_factory=lambda: deque(maxlen=KEPT_LOG_LINES))

    @property
    def is_open(self) -> bool:
        """Whether the trial is not over yet."""
        return self.state in (pb.TRIAL_STATE_NEW, pb.TRIAL_STATE_RUNNING)

    @property
    def duration_s(self) -> float:
        """Seconds from its start to its end, or until now."""
        if not self.started_at:
            return 0.0
        return (self.ended_at or time.monotonic()) - self.started_at

    def close(self, state: pb.TrialState, error: str = "") -> None:
        """End the trial and release its environment."""
        self.state = state
        self.error = error
        self.environment = None
        if self.aide is not None:
            self.aide.close()
        self.ended_at = time.monotonic()

    def note(self, kind: str, text: str) -> None:
        """Add a line to the trial's log."""
        self.events += 1
        now = datetime.now(UTC)
        moment = now.isoformat(timespec="milliseconds")
        self.log.append(pb.LogLine(time=moment, unix_ms=int(now.timestamp() * 1000), text=text, kind=kind))


@dataclass(slots=True)
class ServedRun:
    """One run."""

    run_id: str
    """A random id."""
    own_id: str
    """The benchmark's id."""
    benchmark_id: str
    name: str
    trials: tuple[ServedTrial, ...]
    result: RunResult | None = None
    """The benchmark's result of the submitted run."""
    submitted_at: float | None = None

    def score(self, trial: ServedTrial) -> TrialScore | None:
        """Return the benchmark's score of a trial, if there is one."""
        if self.result is None:
            return None
        return next((score for score in self.result.trials if score.trial_id == trial.own_id), None)


class ServedRuns:
    """All runs of a server. Safe to use from many threads."""

    def __init__(self) -> None:
        self._runs: dict[str, ServedRun] = {}
        self._trials: dict[str, ServedTrial] = {}
        self._lock = threading.Lock()

    def add(self, started: StartedRun, benchmark_id: str, name: str) -> ServedRun:
        """Add a started run, and forget the oldest submitted ones."""
        run_id = f"run-{token_hex(ID_BYTES)}"
        trials = tuple(
            ServedTrial(f"trial-{token_hex(ID_BYTES)}", head.trial_id, run_id, number, head.task_id)
            for number, head in enumerate(started.trials)
        )
        run = ServedRun(run_id, started.run_id, benchmark_id, name, trials)
        with self._lock:
            self._runs[run.run_id] = run
            self._trials |= {trial.trial_id: trial for trial in trials}
            submitted = [each for each in self._runs.values() if each.submitted_at is not None]
            for old in submitted[:-KEPT_RUNS]:
                del self._runs[old.run_id]
                for trial in old.trials:
                    del self._trials[trial.trial_id]
        return run

    def run(self, run_id: str) -> ServedRun:
        """Return a run. Raises `Refused` if it is unknown."""
        with self._lock:
            found = self._runs.get(run_id)
        if found is None:
            raise Refused(error_codes.NOT_FOUND, f"there is no run {run_id!r}")
        return found

    def trial(self, trial_id: str) -> ServedTrial:
        """Return a trial. Raises `Refused` if it is unknown."""
        with self._lock:
            found = self._trials.get(trial_id)
        if found is None:
            raise Refused(error_codes.NOT_FOUND, f"there is no trial {trial_id!r}")
        return found
