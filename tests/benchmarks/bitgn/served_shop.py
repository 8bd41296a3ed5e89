"""Calls to a trial of the embedded shop on our server, as a client of the platform makes them.

with calls_of_served_shop() as call_runtime:
    call_runtime("Find", root="/docs", name="checkout.md")  # {"paths": ["/docs/checkout.md"]}
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx2

from controlplane import Benchmark, BenchmarkContext, TaskSelection
from controlplane.benchmarks.bitgn.server import ServerOptions
from controlplane.configuration.named_modules import open_benchmark
from tests.support.running_server import running_server

# A client that sends any request to a server of a benchmark, as the platform (BitGN) has it.
#
# The platform has a service for runs and trials, and one for the files and tools of each trial:
#
#     with raw_client_of(ShelfBenchmark()) as client:
#         run = client.harness("StartRun", benchmarkId="shelf")
#         runtime_url = client.start_trial(run["trialIds"][0])
#         client.runtime(runtime_url, "Read", path="/AGENTS.MD")  # {"content": "# Rules ..."}

HARNESS = "/bitgn.harness.HarnessService/"
"""The path of the service for runs and trials. A method, such as `StartRun`, follows it."""

ECOM = "/bitgn.vm.ecom.EcomRuntime/"
"""The path of the service for the files and tools of a trial, below the trial's own URL."""


class RawClient:
    """Sends any request to a server, as JSON, and returns the reply, be it a refusal.

    A refusal is `{"code": "not_found", "message": "..."}`.
    """

    def __init__(self, http: httpx2.Client) -> None:
        self.http = http

    def harness(self, method: str, **fields: object) -> dict[str, Any]:
        """Call a method for runs and trials: `harness("GetRun", runId="r")`. Return the reply."""
        reply: dict[str, Any] = self.http.post(HARNESS + method, json=fields).json()
        return reply

    def start_run(self) -> dict[str, Any]:
        """Start a run of `ShelfBenchmark`: `{"runId": "...", "trialIds": ["...", ...]}`."""
        return self.harness("StartRun", benchmarkId="shelf", name="a run")

    def start_trial(self, trial_id: str) -> str:
        """Start a trial, and return the URL of its runtime. `runtime` adds a method to it."""
        trial = self.harness("StartTrial", trialId=trial_id)
        return str(trial["harnessUrl"]) + ECOM

    def runtime(
        self, runtime_url: str, method: str, **fields: object
    ) -> dict[str, Any]:
        """Call a method for the files, tools and answer of a trial. Return the reply.

        `runtime(client.start_trial(trial_id), "Read", path="/AGENTS.MD")`
        """
        reply: dict[str, Any] = self.http.post(runtime_url + method, json=fields).json()
        return reply


@contextmanager
def raw_client_of(
    benchmark: Benchmark, options: ServerOptions | None = None
) -> Iterator[RawClient]:
    """Serve a benchmark, and yield a client of the server."""
    with (
        running_server(benchmark, options or ServerOptions()) as server,
        httpx2.Client(base_url=server.url, timeout=20) as http,
    ):
        yield RawClient(http)


CallRuntime = Callable[..., dict[str, Any]]
"""Sends a request to a trial and returns the reply: `call_runtime("Read", path="/AGENTS.MD")`."""


@contextmanager
def calls_of_served_shop() -> Iterator[CallRuntime]:
    """Serve the shop, start a trial, and give the function that calls it."""
    opened = open_benchmark("ecom", {"profile": "dev"}, BenchmarkContext())
    options = ServerOptions(
        worker_modules=opened.worker_modules, selection=TaskSelection(limit=1)
    )
    with (
        running_server(opened.benchmark, options) as server,
        httpx2.Client(base_url=server.url, timeout=60) as http,
    ):
        client = RawClient(http)
        run = client.harness("StartRun", benchmarkId="ecom")
        runtime_url = client.start_trial(run["trialIds"][0])

        def call(method: str, **fields: Any) -> dict[str, Any]:
            return client.runtime(runtime_url, method, **fields)

        yield call
