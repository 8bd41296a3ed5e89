"""A served benchmark, and its methods called by name."""

from contextlib import ExitStack, contextmanager

import httpx2

from benchmarks.bitgn.server import ServerOptions
from benchmarks.bitgn.server.served_runs import ServedRuns
from tests.benchmarks.bitgn.recording_world import ShelfBenchmark
from tests.support.running_server import running_server

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
