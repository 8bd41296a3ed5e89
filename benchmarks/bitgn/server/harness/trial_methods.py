"""The platform's methods about trials: StartTrial, GetTrial and EndTrial.

A client starts a trial and gets its instruction and the URL of its runtime, where it reads
files and runs tools. Then it ends the trial, and asks for its score when the run is over.
"""

from __future__ import annotations

from controlplane.benchmark import Benchmark
from controlplane.benchmarks.bitgn.server.call_target import trial_url
from controlplane.benchmarks.bitgn.server.harness.harness_replies import HarnessReplies
from controlplane.benchmarks.bitgn.server.message_fields import Fields, text_field
from controlplane.benchmarks.bitgn.server.runs import run_results
from controlplane.benchmarks.bitgn.server.runs.run_limits import RunLimits
from controlplane.benchmarks.bitgn.server.runs.served_run import (
    DONE,
    NEW,
    ServedTrial,
)
from controlplane.benchmarks.bitgn.server.runs.served_runs import ServedRuns
from controlplane.sandbox import ForkServer, Worker
from controlplane.sandbox.interface import CallError, error_codes


class TrialMethods:
    """Starts, describes and ends trials for clients.

    A request and a reply are mappings, such as `{"trialId": "k9w"}`. Clients know a trial by
    a random id. The benchmark knows it by its `id_in_benchmark`.
    """

    def __init__(
        self,
        benchmark: Benchmark,
        runs: ServedRuns,
        limits: RunLimits,
        replies: HarnessReplies,
        fork_server: ForkServer | None,
    ) -> None:
        """Set up the methods. `fork_server` starts the processes in which trials' calls run."""
        self._benchmark = benchmark
        self._runs = runs
        self._limits = limits
        self._replies = replies
        self._fork_server = fork_server

    def start_trial(self, request: Fields, address: str) -> Fields:
        """Start a trial and return its runtime's URL. A running trial is returned again.

        `address` is the base URL that the client used.
        """
        trial = self._runs.trial(text_field(request, "trialId"))
        if not trial.is_open:
            msg = f"trial {trial.trial_id} has already ended"
            raise CallError(error_codes.FAILED_PRECONDITION, msg)
        if trial.environment is None:
            self._start(trial)
            # If too many trials of all clients are running now, end the runs of some others.
            self._limits.make_room(trial.run)
        return {
            "trialId": trial.trial_id,
            "benchmarkId": trial.run.benchmark_id,
            "taskId": trial.task_id,
            "runId": trial.run.run_id,
            "instruction": trial.instruction,
            "harnessUrl": trial_url(address, trial.trial_id),
        }

    def _start(self, trial: ServedTrial) -> None:
        """Start a trial in the benchmark, with a process of its own if it can use one."""
        started = self._benchmark.start_trial(trial.id_in_benchmark)
        if self._fork_server is not None and started.use_worker is not None:
            # Keep the worker before the environment uses it: should `use_worker` fail, then
            # `trial.close` still ends the process.
            trial.worker = Worker(self._fork_server)
            started.use_worker(trial.worker)
        trial.begin(started)

    def end_trial(self, request: Fields) -> Fields:
        """End a trial. Its score is available after the run is submitted."""
        trial = self._runs.trial(text_field(request, "trialId"))
        if trial.state == NEW:
            msg = f"trial {trial.trial_id} has not started"
            raise CallError(error_codes.FAILED_PRECONDITION, msg)
        if not trial.is_open:
            msg = f"trial {trial.trial_id} has already ended"
            raise CallError(error_codes.ALREADY_EXISTS, msg)
        self._benchmark.end_trial(trial.id_in_benchmark)
        trial.close(DONE)
        return {"trialId": trial.trial_id, "state": trial.state}

    def get_trial(self, request: Fields) -> Fields:
        """Return a trial, and its score when clients may see it."""
        trial = self._runs.trial(text_field(request, "trialId"))
        run_results.refresh(trial.run, self._benchmark)
        return {
            **self._replies.trial_fields(trial),
            "instruction": trial.instruction,
            "benchmarkId": trial.run.benchmark_id,
            "scoreDetail": self._replies.details(trial),
            "runId": trial.run.run_id,
        }
