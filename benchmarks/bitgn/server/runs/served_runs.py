"""The runs of a server, and their trials, by the random ids that clients use for them."""

from __future__ import annotations

import secrets
import threading
import time
from typing import Final

from controlplane.benchmark import StartedRun
from controlplane.benchmarks.bitgn.server.runs.served_run import ServedRun, ServedTrial
from controlplane.sandbox.interface import CallError, error_codes

MAX_ID_CHARS_SHOWN: Final = 60
_ID_BYTES: Final = 15
"""Random bytes of an id. They give 20 characters, which cannot be guessed."""


class ServedRuns:
    """All runs of a server, found by the random ids of the runs and of their trials.

    Safe to use from many threads. A look-up counts as a call of the run's client, which keeps
    the run from being ended as idle.
    """

    def __init__(self) -> None:
        self._runs: dict[str, ServedRun] = {}
        self._trials: dict[str, ServedTrial] = {}
        self._lock = threading.Lock()

    def add(self, started: StartedRun, benchmark_id: str, name: str) -> ServedRun:
        """Add a run that the benchmark has started, and return it."""
        run = ServedRun(_new_id(), started.run_id, benchmark_id, name)
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

    def all(self) -> list[ServedRun]:
        """Return all runs, the oldest first."""
        with self._lock:
            return list(self._runs.values())

    def forget(self, run: ServedRun) -> None:
        """Delete a run with its scores."""
        with self._lock:
            self._runs.pop(run.run_id, None)
            for trial in run.trials:
                self._trials.pop(trial.trial_id, None)

    def close(self) -> None:
        """End the processes of all trials."""
        for run in self.all():
            for trial in run.trials:
                if trial.worker is not None:
                    trial.worker.close()


def _new_id() -> str:
    """Return a random id of 20 characters, which nobody can guess."""
    return secrets.token_urlsafe(_ID_BYTES)
