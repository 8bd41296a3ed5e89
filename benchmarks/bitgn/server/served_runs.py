"""The runs of a server.

Clients refer to runs and trials by random ids. The memory for all clients together is
limited. If a new run, a new trial or a long text exceeds a limit, the runs whose last
calls are oldest are ended. A run also ends after an hour without a call.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from typing import Final

from controlplane.benchmark import StartedRun
from controlplane.benchmarks.bitgn.server.served_run import ServedRun, ServedTrial
from controlplane.sandbox.interface import CallError, bounds, error_codes

MAX_OPEN_RUNS: Final = 64
MAX_SUBMITTED_RUNS: Final = 50
"""The number of submitted runs whose scores are kept; older ones are deleted."""
MAX_ID_CHARS_SHOWN: Final = 60
ID_BYTES: Final = 15
"""Random bytes of an id. They give 20 characters, which cannot be guessed."""


class ServedRuns:
    """All runs of a server. Safe to use from many threads."""

    def __init__(self, end_run: Callable[[ServedRun], None]) -> None:
        """Set up the runs. `end_run` closes and grades a run that is idle or must make room."""
        self._end_run = end_run
        self._runs: dict[str, ServedRun] = {}
        self._trials: dict[str, ServedTrial] = {}
        self._lock = threading.RLock()

    def add(self, started: StartedRun, benchmark_id: str, name: str) -> ServedRun:
        """Add a started run. Delete the oldest submitted runs, and end open runs if necessary."""
        run = ServedRun(_new_id(), started.run_id, benchmark_id, name)
        run.trials = tuple(
            ServedTrial(_new_id(), stub.trial_id, run, number, stub.task_id)
            for number, stub in enumerate(started.trials)
        )
        with self._lock:
            self._runs[run.run_id] = run
            for trial in run.trials:
                self._trials[trial.trial_id] = trial
        self.make_room(run)
        self._forget_oldest()
        return run

    def run(self, run_id: str) -> ServedRun:
        """Return a run and record the call. Raises `CallError` if the run is unknown."""
        with self._lock:
            run = self._runs.get(run_id)
        if run is None:
            msg = f"there is no run {run_id[:MAX_ID_CHARS_SHOWN]!r}"
            raise CallError(error_codes.NOT_FOUND, msg)
        run.called_at = time.monotonic()
        return run

    def trial(self, trial_id: str) -> ServedTrial:
        """Return a trial and record the call. Raises `CallError` if the trial is unknown."""
        with self._lock:
            trial = self._trials.get(trial_id)
        if trial is None:
            msg = f"there is no trial {trial_id[:MAX_ID_CHARS_SHOWN]!r}"
            raise CallError(error_codes.NOT_FOUND, msg)
        trial.run.called_at = time.monotonic()
        return trial

    def end_idle(self, idle_s: float) -> None:
        """End each run that has had no call for `idle_s` seconds."""
        for run in self._open_runs():
            if time.monotonic() - run.called_at > idle_s:
                self._end_run(run)

    def make_room(self, asking: ServedRun) -> None:
        """End the least recently called runs until all limits on open runs are met.

        `asking` is the run whose call needs room. It is never ended.
        """
        for run in sorted(self._open_runs(), key=lambda run: run.called_at):
            if not self._is_full(asking):
                return
            if run is not asking:
                self._end_run(run)

    def close(self) -> None:
        """End the processes of all trials."""
        with self._lock:
            for trial in self._trials.values():
                if trial.worker is not None:
                    trial.worker.close()

    def _open_runs(self) -> list[ServedRun]:
        with self._lock:
            return [run for run in self._runs.values() if run.submitted_at is None]

    def _is_full(self, asking: ServedRun) -> bool:
        """Return True if a limit on open runs is exceeded.

        The run `asking` alone may have more running trials than the limit for all. Then
        it is enough that the other runs end.
        """
        open_runs = self._open_runs()
        if len(open_runs) > MAX_OPEN_RUNS:
            return True
        running = sum(run.running for run in open_runs)
        if running > max(bounds.MOST_RUNNING_TRIALS, asking.running):
            return True
        return sum(run.stored_chars for run in open_runs) > bounds.MOST_HELD_BYTES

    def _forget_oldest(self) -> None:
        with self._lock:
            submitted = [
                run for run in self._runs.values() if run.submitted_at is not None
            ]
            for run in submitted[:-MAX_SUBMITTED_RUNS]:
                del self._runs[run.run_id]
                for trial in run.trials:
                    del self._trials[trial.trial_id]


def _new_id() -> str:
    return secrets.token_urlsafe(ID_BYTES)
