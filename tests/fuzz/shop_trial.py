"""A trial of the embedded shop that the fuzzer plays against: its calls, and what reads its files."""

from typing import Any

from controlplane import Benchmark, RunRequest, TaskTry
from controlplane.sandbox import ForkServer, Worker
from controlplane.sandbox.interface import CallError
from controlplane.sandbox.interface.limits import WorkerLimits


class ShopTrial:
    """A trial of the embedded shop, with fresh records: its calls, and the worker that runs its tools.

    A worker is a process that is ended when one call has used 0.25 s of CPU. Call `end` at last.
    """

    LIMITS = WorkerLimits(call_cpu_s=0.25, trial_cpu_s=1e6)
    """All calls of the trial together may take any time."""

    def __init__(self, benchmark: Benchmark, server: ForkServer, attempt: int) -> None:
        """Start the trial. `attempt` is also the seed of the records."""
        task = TaskTry("basket-checkout.1", attempt)
        run = benchmark.start_run(RunRequest("fuzz", (task,), seed=attempt))
        self._benchmark = benchmark
        self._trial_id = run.trials[0].trial_id
        trial = benchmark.start_trial(self._trial_id)
        self._environment = trial.environment
        self._worker = Worker(server, limits=self.LIMITS)
        assert trial.use_worker is not None
        trial.use_worker(self._worker)

    def call(self, operation: str, arguments: dict[str, Any]) -> Any:
        """Return the result of a call. Raises `CallError`."""
        return self._environment.call(operation, arguments)

    def paths_of_files(self) -> list[str]:
        """Return the paths of all files of the shop."""
        all_files = {"name": "*", "root": "/", "kind": "files", "limit": 0}
        paths: list[str] = self.call("find", all_files)["paths"]
        return paths

    def text_at(self, path: str) -> str:
        """Return the text of a file, or an empty record if there is none."""
        try:
            return str(self.call("read", {"path": path})["content"])
        except CallError:
            return "{}"

    def result_of_ordinary_call(self) -> Any:
        """Return what jq makes of `{"n": 42}`. It must be the same after all other calls."""
        arguments = {"path": "/bin/jq", "args": [".n"], "stdin": '{"n": 42}'}
        return self.call("exec", arguments)

    def end(self) -> None:
        """End the trial, and its worker."""
        self._benchmark.end_trial(self._trial_id)
        self._worker.close()
