"""Calls to a trial of the embedded shop on our server, as a client of the platform makes them.

with calls_of_served_shop() as call_runtime:
    call_runtime("Find", root="/docs", name="checkout.md")  # {"paths": ["/docs/checkout.md"]}
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx2

from controlplane import BenchmarkContext, TaskSelection
from controlplane.benchmarks.bitgn.server import ServerOptions
from controlplane.configuration.named_modules import open_benchmark
from tests.benchmarks.bitgn.raw_client import RawClient
from tests.support.running_server import running_server

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
