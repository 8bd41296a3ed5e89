"""Limits what the runs of all clients together keep in memory.

If a new run, a new trial or a long text exceeds a limit, the runs whose last calls are
oldest are ended: their clients have probably left. A run also ends after an hour without a
call.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from controlplane.benchmark import Benchmark
from controlplane.benchmarks.bitgn.server.runs import served_run as run_results
from controlplane.benchmarks.bitgn.server.runs.served_run import ServedRun, ServedTrial
from controlplane.benchmarks.bitgn.server.runs.served_runs import ServedRuns
from controlplane.sandbox.interface import CallError, bounds, error_codes

_MAX_OPEN_RUNS: Final = 64
"""The most runs that were started and not submitted."""
_MAX_SUBMITTED_RUNS: Final = 50
"""The number of submitted runs whose scores are kept; older ones are deleted."""


class RunLimits:
    """Ends runs of a server that are idle or too many, and deletes the oldest submitted ones.

    Safe to use from many threads: `ServedRuns` locks the list of runs, and the calls of a
    trial are made one at a time. But a call of another run may end the trial meanwhile.
    """

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

        These limit the number of runs, of running trials, and of stored characters. `asking`
        is the run whose call needs room. It is never ended.
        """
        for run in sorted(self._open_runs(), key=lambda run: run.called_at):
            if not _exceeds_limits(self._open_runs(), asking):
                return
            if run is not asking:
                run_results.end_abandoned(run, self._benchmark)

    def forget_oldest(self) -> None:
        """Delete the oldest submitted runs if there are too many."""
        submitted = [run for run in self._runs.all() if run.is_submitted]
        for run in submitted[:-_MAX_SUBMITTED_RUNS]:
            self._runs.forget(run)

    @contextmanager
    def storing(self, trial: ServedTrial, chars: int) -> Iterator[None]:
        """Count characters as stored by a trial, unless the `with` block refuses them.

            with limits.storing(trial, len(content)):
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

    def _open_runs(self) -> list[ServedRun]:
        """Return the runs that have not been submitted, the oldest first."""
        return [run for run in self._runs.all() if not run.is_submitted]


def _exceeds_limits(open_runs: list[ServedRun], asking: ServedRun) -> bool:
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
