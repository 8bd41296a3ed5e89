"""The remote platform (BitGN) as a `Benchmark`: `bitgn:BENCHMARK_ID`.

The platform runs the trials: it starts them, has their files and tools, and grades them.
This side plays them, by calls over HTTP.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from pydantic import SecretStr

from controlplane.agent.model import Model
from controlplane.benchmark import (
    BenchmarkContext,
    BenchmarkError,
    BenchmarkIdentity,
    Description,
    OpenedBenchmark,
    RunRequest,
    RunResult,
    StartedRun,
    Trial,
    TrialScore,
)
from controlplane.benchmarks.bitgn.client.client_settings import (
    benchmark_options,
    read_settings,
)
from controlplane.benchmarks.bitgn.client.connection.platform_client import (
    PlatformClient,
)
from controlplane.benchmarks.bitgn.client.connection.wire_errors import WireError
from controlplane.benchmarks.bitgn.client.runs.harness import Harness
from controlplane.benchmarks.bitgn.client.runs.remote_description import (
    RemoteDescription,
)
from controlplane.benchmarks.bitgn.client.runs.remote_trials import RemoteTrials
from controlplane.benchmarks.bitgn.client.runs.run_scores import RunScores
from controlplane.benchmarks.bitgn.client.runs.run_start import RunStarter
from controlplane.benchmarks.bitgn.remote_runtime import TOOL_SCHEMA
from controlplane.benchmarks.shop.bindings import shop_bindings
from controlplane.benchmarks.shop.declarations import FUNCTION_MODULES
from controlplane.sandbox.interface import error_codes

INVALID: Final = error_codes.INVALID_ARGUMENT
OPTIONS: Final = benchmark_options()


def open_benchmark(
    argument: str, settings: Mapping[str, str], context: BenchmarkContext
) -> OpenedBenchmark:
    """Open the platform's benchmark named by `argument`, without calling the platform.

    Raises `BenchmarkError` if the id is missing or a setting is not valid.
    """
    remote = RemoteBenchmark(argument, settings, context)
    return OpenedBenchmark(
        remote,
        function_modules=FUNCTION_MODULES,
        bindings=shop_bindings,  # Its trials are set in a shop, as those of `ecom` are.
        tool_schemas=lambda task_ids: [TOOL_SCHEMA],
        resume_identity=remote.identity,
        scale=remote.settings.score_scale,
    )


@contextmanager
def _wire_errors_translated() -> Iterator[None]:
    """Raise each `WireError` as a `BenchmarkError`.

    The methods of a `Benchmark` are decorated with it, so that their whole body is in its
    `with` block.
    """
    try:
        yield
    except WireError as error:
        raise BenchmarkError(
            error.code, error.message, retry_after_s=error.retry_after_s
        ) from None


class RemoteBenchmark:
    """One benchmark of the platform.

    Created for each run; used from many threads at once. It can be pickled, so that a
    worker process can open the benchmark, too.
    """

    def __init__(
        self, argument: str, settings: Mapping[str, str], context: BenchmarkContext
    ) -> None:
        """Read the configuration, without calling the platform. Raises `BenchmarkError`."""
        self._argument = argument
        self._given_settings = dict(settings)
        self.settings = read_settings(settings)
        """The given settings, and for others those of the environment or the defaults."""
        self.benchmark_id = argument or os.environ.get("BENCH_ID", "")
        if not self.benchmark_id:
            msg = "name the benchmark: bitgn:<benchmark id>, or set BENCH_ID"
            raise BenchmarkError(INVALID, msg)
        key = SecretStr(os.environ.get("BITGN_API_KEY", ""))
        self._client = PlatformClient(
            self.settings.connections,
            secrets=(key.get_secret_value(),),
            notify=context.notify,
        )
        context.stop.listen(self._client.stop_waiting)
        harness = Harness(self._client, self.settings)
        self._description = RemoteDescription(harness, self.benchmark_id)
        self._starter = RunStarter(harness, self.benchmark_id, key, context.notify)
        self._scores = RunScores(harness, context.notify)
        self._trials = RemoteTrials(self._client, harness, self.settings.call_policy)

    def __reduce__(
        self,
    ) -> tuple[Callable[..., RemoteBenchmark], tuple[str, dict[str, str]]]:
        """Pickle what the benchmark was opened with, but not the key.

        A process that unpickles it opens the benchmark anew, with the key in its environment.
        """
        return _unpickled, (self._argument, self._given_settings)

    @property
    def identity(self) -> BenchmarkIdentity:
        """The name and settings that open the same benchmark when a run is resumed.

        They name the benchmark and the host, because the variables BENCH_ID and BITGN_HOST
        may have changed by then.
        """
        name = f"bitgn:{self.benchmark_id}"
        settings = {**self._given_settings, "host": self.settings.host}
        return BenchmarkIdentity(name, settings)

    @_wire_errors_translated()
    def describe(self, preview_seed: int | None = None) -> Description:
        """Return the name, policy and tasks. The platform is asked for them only once.

        `preview_seed` is ignored: the platform chooses the example instructions of tasks.
        """
        return self._description.get()

    @_wire_errors_translated()
    def start_run(self, request: RunRequest) -> StartedRun:
        """Start a run and return all its trials. Trials that are not played never start."""
        return self._starter.start(request)

    @_wire_errors_translated()
    def submit_run(self, run_id: str, *, force: bool) -> RunResult:
        """Submit a run. A run that was submitted before is only looked up.

        With `force`, trials that are still open score 0; without it, they are an error.
        """
        return self._scores.submit(run_id, force=force)

    @_wire_errors_translated()
    def get_run(self, run_id: str) -> RunResult:
        """Return the state and scores of a run, and the grader's details when it is evaluated."""
        return self._scores.result(run_id)

    @_wire_errors_translated()
    def start_trial(self, trial_id: str) -> Trial:
        """Start a trial. If it was started before, the platform returns the same trial again."""
        return self._trials.start(trial_id)

    @_wire_errors_translated()
    def end_trial(self, trial_id: str) -> TrialScore | None:
        """End a trial and refuse its later calls. Return its score; None if it is not known yet.

        The platform may hide scores until the run is submitted.
        """
        return self._trials.end(trial_id)

    def player(self) -> Model | None:
        """Return None: the platform has no built-in player."""
        return None

    def close(self) -> None:
        """End the waiting of all calls and close the connections."""
        self._client.close()


def _unpickled(argument: str, settings: dict[str, str]) -> RemoteBenchmark:
    """Open the benchmark in the process that gets the pickled one."""
    return RemoteBenchmark(argument, settings, BenchmarkContext())
