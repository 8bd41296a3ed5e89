"""The platform's methods about runs: StartRun, GetRun and SubmitRun.

A client starts a run and gets the ids of its trials. When these have ended, it submits the
run, and reads the scores.
"""

from __future__ import annotations

import hmac
from typing import Final

from controlplane.benchmark import Benchmark
from controlplane.benchmarks.bitgn.server.harness.harness_replies import HarnessReplies
from controlplane.benchmarks.bitgn.server.message_fields import Fields, text_field
from controlplane.benchmarks.bitgn.server.runs import run_results
from controlplane.benchmarks.bitgn.server.runs.run_limits import RunLimits
from controlplane.benchmarks.bitgn.server.runs.served_run import (
    DONE,
    ERROR,
    NEW,
    RUNNING,
    ServedRun,
)
from controlplane.benchmarks.bitgn.server.runs.served_runs import ServedRuns
from controlplane.benchmarks.bitgn.server.server_options import ServerOptions
from controlplane.sandbox.interface import CallError, Plain, bounds, error_codes
from controlplane.selected_run import start_selected_run

STATE_COUNTS: Final = {
    "newCount": NEW,
    "runningCount": RUNNING,
    "doneCount": DONE,
    "errorCount": ERROR,
}
"""The reply fields that count a run's trials by state."""


class RunMethods:
    """Starts, describes and submits runs for clients.

    A request and a reply are mappings, as `{"runId": "x4T"}`. A run that is not known is
    refused with a `CallError`.
    """

    def __init__(
        self,
        benchmark: Benchmark,
        options: ServerOptions,
        runs: ServedRuns,
        limits: RunLimits,
    ) -> None:
        self._benchmark = benchmark
        self._options = options
        self._runs = runs
        self._limits = limits
        self._replies = HarnessReplies(options)

    def start_run(self, request: Fields, benchmark_id: str) -> Fields:
        """Start a run. Raises `CallError` if the client's key is wrong."""
        _check_key(text_field(request, "apiKey"), self._options.api_key)
        name = text_field(request, "name")
        started = start_selected_run(
            self._benchmark, self._options.selection, name=name, seed=self._options.seed
        )
        shown_name = name[: bounds.MOST_NAME_CHARS]
        run = self._runs.add(started, benchmark_id, shown_name)
        # End other runs, and delete old scores, if there are too many.
        self._limits.make_room(run)
        self._limits.forget_oldest()
        trial_ids: list[Plain] = [trial.trial_id for trial in run.trials]
        return {"runId": run.run_id, "benchmarkId": benchmark_id, "trialIds": trial_ids}

    def get_run(self, request: Fields) -> Fields:
        """Return a run, with a summary of each trial."""
        run = self._runs.run(text_field(request, "runId"))
        # The benchmark may have graded the run since it was submitted.
        run_results.refresh(run, self._benchmark)
        trials: list[Plain] = []
        for trial in run.trials:
            summary = self._replies.trial_fields(trial)
            summary["num"] = trial.number
            # Unknown until the trial starts
            summary["instruction"] = trial.instruction or None
            trials.append(summary)
        return {
            **self._replies.run_fields(run),
            "benchmarkId": run.benchmark_id,
            "name": run.name,
            "stats": _stats(run),
            "trials": trials,
            "policy": self._options.eval_policy,
        }

    def submit_run(self, request: Fields) -> Fields:
        """Close and grade a run. With `force`, trials that are still open score 0.

        Raises `CallError` without `force` if trials are open.
        """
        run = self._runs.run(text_field(request, "runId"))
        is_forced = request.get("force") is True
        _check_may_end(run, is_forced=is_forced)
        run_results.submit(run, self._benchmark, force=is_forced)
        trials: list[Plain] = []
        for trial in run.trials:
            summary = self._replies.trial_fields(trial)
            summary["num"] = trial.number
            summary["scoreDetail"] = self._replies.details(trial)
            trials.append(summary)
        return {**self._replies.run_fields(run), "trials": trials}


def _check_key(sent_key: str, api_key: str) -> None:
    """Raise `CallError` for a key that is not the server's, if it has one."""
    if api_key and not hmac.compare_digest(sent_key.encode(), api_key.encode()):
        raise CallError(error_codes.UNAUTHENTICATED, "the api_key is not valid")


def _check_may_end(run: ServedRun, *, is_forced: bool) -> None:
    """Raise `CallError` for a run that was submitted, or has open trials and no `force`."""
    if run.is_submitted:
        msg = f"run {run.run_id} was already submitted"
        raise CallError(error_codes.ALREADY_EXISTS, msg)
    if run.open_count and not is_forced:
        count = f"{run.open_count} of {len(run.trials)} trials are open"
        msg = f"run has unfinished trials: {count}; end them, or submit with force"
        raise CallError(error_codes.FAILED_PRECONDITION, msg)


def _stats(run: ServedRun) -> Fields:
    """Return how many trials of a run are in each state."""
    states = [trial.state for trial in run.trials]
    return {name: states.count(state) for name, state in STATE_COUNTS.items()}
