"""The platform's service for runs and trials, provided for any `Benchmark`.

A client starts a run (StartRun) and gets the ids of its trials. It starts each trial
(StartTrial), works on it at the URL that it gets, and ends it (EndTrial). Then it submits
the run (SubmitRun) and reads the scores (GetRun, GetTrial).
"""

from __future__ import annotations

from typing import Final

from controlplane.benchmark import Benchmark
from controlplane.benchmarks.bitgn.server.harness.benchmark_methods import (
    BenchmarkMethods,
)
from controlplane.benchmarks.bitgn.server.harness.harness_replies import HarnessReplies
from controlplane.benchmarks.bitgn.server.harness.run_methods import RunMethods
from controlplane.benchmarks.bitgn.server.harness.trial_methods import TrialMethods
from controlplane.benchmarks.bitgn.server.message_fields import Fields
from controlplane.benchmarks.bitgn.server.runs.run_limits import RunLimits
from controlplane.benchmarks.bitgn.server.runs.served_runs import ServedRuns
from controlplane.benchmarks.bitgn.server.server_options import ServerOptions
from controlplane.sandbox import ForkServer
from controlplane.sandbox.interface import CallError, error_codes

ID_FIELDS: Final = {
    "SubmitRun": "runId",
    "StartTrial": "trialId",
    "EndTrial": "trialId",
}
"""The request field with the id of the run or trial that a method changes.

Calls with the same id are handled one at a time. Methods that are not listed here do
not wait for others.
"""


class HarnessService:
    """Handles calls about runs and trials. Created once for each server.

    It is called from many threads, but by one at a time for each run and trial.
    """

    def __init__(
        self,
        benchmark: Benchmark,
        options: ServerOptions,
        fork_server: ForkServer | None = None,
    ) -> None:
        """Set up the service. `fork_server` starts the processes in which trials' calls run."""
        self.runs = ServedRuns()
        self.limits = RunLimits(self.runs, benchmark)
        self._benchmark_methods = BenchmarkMethods(benchmark, options)
        self._run_methods = RunMethods(benchmark, options, self.runs, self.limits)
        self._trial_methods = TrialMethods(
            benchmark, self.runs, self.limits, HarnessReplies(options), fork_server
        )

    def handle(self, method: str, request: Fields, address: str) -> Fields:
        """Return the reply to a request, both with the fields of a message as proto3 JSON.

        `address` is the base URL that the client used. Raises `CallError` and
        `BenchmarkError`.
        """
        match method:
            case "Status":
                return self._benchmark_methods.status()
            case "GetBenchmark":
                return self._benchmark_methods.get_benchmark(request)
            case "StartRun":
                benchmark_id = self._benchmark_methods.requested_id(request)
                return self._run_methods.start_run(request, benchmark_id)
            case "GetRun":
                return self._run_methods.get_run(request)
            case "SubmitRun":
                return self._run_methods.submit_run(request)
            case "StartTrial":
                return self._trial_methods.start_trial(request, address)
            case "GetTrial":
                return self._trial_methods.get_trial(request)
            case "EndTrial":
                return self._trial_methods.end_trial(request)
            case "StartPlayground":
                msg = "StartPlayground is deprecated; start a run"
                raise CallError(error_codes.UNIMPLEMENTED, msg)
            case _:
                msg = f"there is no method {method}"
                raise CallError(error_codes.UNIMPLEMENTED, msg)
