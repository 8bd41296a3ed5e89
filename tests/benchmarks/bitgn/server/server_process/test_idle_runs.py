"""The end of idle runs on the server, by a thread whose faults stop nothing else.

The server offers a benchmark's tasks to agents over HTTP, in the protocol of the platform BitGN. A
thread of the server ends runs that get no calls. If it hangs or fails, the server works on.
"""

import threading

import httpx2
import pytest

from controlplane.benchmarks.bitgn.server import ServerOptions
from controlplane.benchmarks.bitgn.server.runs.run_limits import RunLimits
from tests.benchmarks.bitgn.raw_client import HARNESS
from tests.benchmarks.bitgn.shelf_benchmark import ShelfBenchmark
from tests.support.command import wait_until
from tests.support.running_server import running_server


def test_server_works_and_ends_while_the_ending_of_idle_runs_hangs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The thread calls `RunLimits.end_idle`, which hangs here until the end of the test."""
    has_begun = threading.Event()
    may_return = threading.Event()

    def hang(limits: RunLimits, idle_s: float) -> None:
        has_begun.set()
        may_return.wait(20)

    monkeypatch.setattr(RunLimits, "end_idle", hang)
    with running_server(ShelfBenchmark(), ServerOptions()) as server:
        try:
            assert has_begun.wait(20)
            reply = httpx2.post(server.url + HARNESS + "Status", json={})
            assert reply.status_code == 200
        finally:
            may_return.set()


def test_server_works_and_tries_again_if_the_ending_of_idle_runs_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A fault of the served benchmark must not stop the server."""
    attempts: list[float] = []

    def fail(limits: RunLimits, idle_s: float) -> None:
        attempts.append(idle_s)
        raise RuntimeError("the benchmark broke")

    monkeypatch.setattr(RunLimits, "end_idle", fail)
    with running_server(ShelfBenchmark(), ServerOptions()) as server:
        wait_until(lambda: len(attempts) >= 2)

        reply = httpx2.post(server.url + HARNESS + "Status", json={})
        assert reply.status_code == 200
