"""Limits the memory for all clients together.

If a new run, a new trial or a long text exceeds a limit, the runs whose last calls are
oldest are ended. A run also ends after an hour without a call.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from controlplane.benchmark import Benchmark
from controlplane.benchmarks.bitgn.server.runs import run_results
from controlplane.benchmarks.bitgn.server.runs.served_run import ServedRun, ServedTrial
from controlplane.benchmarks.bitgn.server.runs.served_runs import ServedRuns
from controlplane.sandbox.interface import CallError, bounds, error_codes

MAX_OPEN_RUNS: Final = 64
MAX_SUBMITTED_RUNS: Final = 50
"""The number of submitted runs whose scores are kept; older ones are deleted."""


class RunLimits:
    """Ends and deletes runs of a server. Safe to use from many threads."""

    def __init__(self, runs: ServedRuns, benchmark: Benchmark) -> None:
        self._runs = runs
        self._benchmark = benchmark

    def end_idle(self, idle_s: float) -> None:
        """End each run that has had no call for `idle_s` seconds."""
        for run in self._open_runs():
            if time.monotonic() - run.called_at > idle_s:
                run_results.end_abandoned(run, self._benchmark)

    def make_room(self, asking: ServedRun) -> None:
        """End the least recently called runs until all limits on open runs are met.

        `asking` is the run whose call needs room. It is never ended.
        """
        for run in sorted(self._open_runs(), key=lambda run: run.called_at):
            if not _is_full(self._open_runs(), asking):
                return
            if run is not asking:
                run_results.end_abandoned(run, self._benchmark)

    def forget_oldest(self) -> None:
        """Delete the oldest submitted runs if there are too many."""
        submitted = [run for run in self._runs.all() if run.is_submitted]
        for run in submitted[:-MAX_SUBMITTED_RUNS]:
            self._runs.forget(run)

    @contextmanager
    def stored(self, trial: ServedTrial, chars: int) -> Iterator[None]:
        """Count characters as stored by a trial, unless the `with` block raises `CallError`.

        Raises `CallError` itself if the trial's run would store too many. Ends other runs
        if all runs together would.
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
            # What was refused is not stored, so set the count back. If another thread
            # has ended the trial meanwhile, the count is 0, and `min` keeps that.
            trial.stored_chars = min(stored_before, trial.stored_chars)
            raise

    def _open_runs(self) -> list[ServedRun]:
        return [run for run in self._runs.all() if not run.is_submitted]


def _is_full(open_runs: list[ServedRun], asking: ServedRun) -> bool:
    """Return True if a limit on open runs is exceeded.

    The run `asking` alone may have more running trials than the limit for all. Then
    it is enough that the other runs end.
    """
    if len(open_runs) > MAX_OPEN_RUNS:
        return True
    running = sum(run.running for run in open_runs)
    if running > max(bounds.MOST_RUNNING_TRIALS, asking.running):
        return True
    return sum(run.stored_chars for run in open_runs) > bounds.MOST_WIRE_SERVER_BYTES
