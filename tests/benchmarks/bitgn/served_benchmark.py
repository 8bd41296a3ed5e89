"""What several tests need: the platform's client on a server that serves a benchmark."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from unittest import mock

import httpx2

from benchmarks.bitgn.client.remote_benchmark import RemoteBenchmark
from benchmarks.bitgn.server import ServerOptions
from benchmarks.bitgn.server.served_runs import ServedRuns
from controlplane import Benchmark, BenchmarkContext
from tests.benchmarks.bitgn.recording_world import ShelfBenchmark
from tests.support.running_server import running_server
from tests.support.server_faults import Faults, FaultyServer, faulty_server

KEY = "canary-key-5f1d"
PLAIN = ServerOptions(api_key=KEY)


@dataclass(frozen=True)
class Wire:
    remote: RemoteBenchmark
    server: FaultyServer
    notices: list[str]


@contextmanager
def wire(
    benchmark: Benchmark,
    options: ServerOptions = PLAIN,
    faults: Faults = Faults(),  # noqa: B008 - it is frozen
    *,
    served_as: str = "",
    **settings: str,
) -> Iterator[Wire]:
    """Serve `benchmark` with faults, and open the platform's client on it."""
    with faulty_server(benchmark, options, faults) as server, client(server, served_as, **settings) as wired:
        yield wired


@contextmanager
def client(server: FaultyServer, served_as: str = "", faults: Faults | None = None, **settings: str) -> Iterator[Wire]:
    """Open the platform's client on a server, which makes `faults` meanwhile, where they are given."""
    with ExitStack() as stack:
        stack.enter_context(mock.patch.dict(os.environ, {"BITGN_API_KEY": KEY}))
        if faults is not None:
            server.faults.use(faults)
            stack.callback(server.faults.use, Faults())
        notices: list[str] = []
        context = BenchmarkContext(notify=notices.append)
        remote = RemoteBenchmark(served_as or "shelf", {"host": server.url, **settings}, context)
        stack.callback(remote.close)
        yield Wire(remote, server, notices)


HARNESS = "/bitgn.harness.HarnessService/"
ECOM = "/bitgn.vm.ecom.EcomRuntime/"
RIGHT = {"message": "Emma", "outcome": "OUTCOME_OK", "refs": ["/books/emma.json"]}


class Platform:
    def __init__(self, http: httpx2.Client, runs: ServedRuns) -> None:
        self.http = http
        self.runs = runs

    def __call__(self, method: str, **fields):
        return self.http.post(HARNESS + method, json=fields).json()

    def run(self):
        return self("StartRun", benchmarkId="shelf", name="a run")

    def start(self, trial_id: str) -> str:
        return self("StartTrial", trialId=trial_id)["harnessUrl"] + ECOM

    def answer(self, runtime: str, **fields):
        return self.http.post(runtime + "Answer", json=fields).json()


@contextmanager
def platform(benchmark: ShelfBenchmark | None = None, **options):
    with ExitStack() as stack:
        server = stack.enter_context(running_server(benchmark or ShelfBenchmark(), ServerOptions(**options)))
        yield Platform(stack.enter_context(httpx2.Client(base_url=server.url, timeout=20)), server.runs)
