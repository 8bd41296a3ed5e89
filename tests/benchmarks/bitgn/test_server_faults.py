"""A fault is what it says it is, and equal seeds make equal faults."""

from __future__ import annotations

import time

import httpx2
import pytest

from benchmarks.bitgn.server import ServerOptions
from tests.benchmarks.bitgn.recording_world import ShelfBenchmark
from tests.support.server_faults import Faults, Outage, faulty_server

STATUS = "/bitgn.harness.HarnessService/Status"
RUN = "/bitgn.harness.HarnessService/StartRun"


@pytest.fixture(scope="module")
def benchmark():
    return ShelfBenchmark()


@pytest.fixture(scope="module")
def server(benchmark):
    with faulty_server(benchmark, ServerOptions()) as running:
        yield running


def outcomes(server, faults: Faults, calls: int = 1, path: str = STATUS) -> list[str]:
    """Return the status of each call, or what came instead of one."""
    server.faults.use(faults)
    seen = []
    timeout_s = 0.3 if faults.hang or faults.stall else 10.0
    with httpx2.Client(base_url=server.url, timeout=timeout_s) as http:
        for _ in range(calls):
            try:
                seen.append(str(http.post(path, json={"benchmarkId": "shelf"}).status_code))
            except httpx2.ReadTimeout:
                seen.append("no reply")
            except (httpx2.NetworkError, httpx2.RemoteProtocolError):
                seen.append("reset")
    return seen


@pytest.mark.parametrize(
    ("fault", "outcome", "happens"),
    [
        ("unavailable", "503", False),
        ("bare_unavailable", "503", False),
        ("too_many", "429", False),
        ("reset_before", "reset", False),
        ("reset_after", "reset", True),
        ("hang", "no reply", False),
        ("stall", "no reply", True),
    ],
)
def test_a_fault_is_what_its_name_says(server, benchmark, caplog, fault, outcome, happens):
    before = len(benchmark.requests)
    assert outcomes(server, Faults(**{fault: 1.0}), path=RUN) == [outcome]
    assert server.faults.made == {fault: 1}
    assert len(benchmark.requests) == before + happens
    assert outcomes(server, Faults()) == ["200"]
    assert caplog.text == ""


def test_equal_seeds_make_equal_faults_and_others_others(server):
    made = [outcomes(server, Faults(seed=seed, unavailable=0.3, reset_before=0.2), 40) for seed in (1, 1, 2)]
    assert made[0] == made[1] != made[2]
    assert 5 < made[0].count("503") < 20
    assert 2 < made[0].count("reset") < 16


def test_faults_hit_the_methods_that_they_are_for_and_an_outage_ends(server):
    assert outcomes(server, Faults(unavailable=1.0, methods=frozenset({"StartRun"}))) == ["200"]
    assert outcomes(server, Faults(outages=(Outage("Status", 0.3),)), 2) == ["503", "503"]
    time.sleep(0.35)
    assert httpx2.post(server.url + STATUS, json={}).status_code == 200


def test_a_call_before_the_named_time_is_counted_where_its_client_must_have_known(server):
    server.faults.use(Faults(too_many=1.0, retry_after_s=0.3))
    with httpx2.Client(base_url=server.url) as http, httpx2.Client(base_url=server.url) as another:
        assert http.post(STATUS, json={}).headers["retry-after"] == "0.3"
        assert server.faults.too_early == 0
        another.post(STATUS, json={})  # may have been on its way when the reply was read
        assert server.faults.too_early == 0
        http.post(STATUS, json={})
        assert server.faults.too_early == 1
        time.sleep(0.3)
        http.post(STATUS, json={})
        assert server.faults.too_early == 1
