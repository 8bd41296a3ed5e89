"""A server of runs works on while it fails to end the idle ones: those that get no calls.

Every second, the server calls `RunLimits.end_idle` in a thread. The tests replace this method by
one that hangs or fails, and call the server meanwhile.
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


def test_server_works_while_the_ending_of_idle_runs_hangs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hangs = threading.Event()
    may_return = threading.Event()

    def hang(limits: RunLimits, idle_s: float) -> None:
        hangs.set()
        may_return.wait(20)

    monkeypatch.setattr(RunLimits, "end_idle", hang)
    with running_server(ShelfBenchmark(), ServerOptions()) as server:
        try:
            assert hangs.wait(20)
            reply = httpx2.post(server.url + HARNESS + "Status", json={})
            assert reply.status_code == 200
        finally:
            may_return.set()  # The server waits for the thread when it is closed.


def test_server_works_and_tries_again_if_the_ending_of_idle_runs_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The benchmark grades a run that ends, and may have a fault."""
    attempts: list[float] = []

    def fail(limits: RunLimits, idle_s: float) -> None:
        attempts.append(idle_s)
        raise RuntimeError("the benchmark broke")

    monkeypatch.setattr(RunLimits, "end_idle", fail)
    with running_server(ShelfBenchmark(), ServerOptions()) as server:
        wait_until(lambda: len(attempts) >= 2)

        reply = httpx2.post(server.url + HARNESS + "Status", json={})
        assert reply.status_code == 200
