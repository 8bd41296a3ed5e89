"""Attacks on the server by calls of many trials with texts of 1 MB, wherever a text can be.

Meanwhile, an honest client calls the server, and measures the memory of its processes.
"""

import time
from typing import Any

import httpx2
import psutil
import pytest

from controlplane.sandbox.interface import bounds
from tests.benchmarks.bitgn.raw_client import ECOM, HARNESS
from tests.benchmarks.bitgn.server.hostile_clients.honest_client import (
    ServerProcess,
    honest_client_of,
)

pytestmark = pytest.mark.second_tier


def post_until_accepted(
    http: httpx2.Client, method: str, fields: dict[str, object]
) -> dict[str, Any]:
    """Make a call, again while the server refuses it for now (503). Return its reply."""
    while True:
        reply = http.post(HARNESS + method, json=fields)
        if reply.status_code != 503:
            break
        time.sleep(0.1)
    assert reply.is_success, reply.text
    message: dict[str, Any] = reply.json()
    return message


def test_many_trials_with_large_calls_cost_little(
    server: ServerProcess, heavy: bool
) -> None:
    """A client starts more trials than may have a process, and sends 1 MB wherever it can.

    Meanwhile, an honest client calls the server, and measures the memory of its processes.
    """
    long_text = "/" + "x" * 1_000_000
    trial_count = bounds.MOST_TRIAL_PROCESSES + 4
    run_count = 2 if heavy else 1
    with (
        honest_client_of(server) as honest_client,
        httpx2.Client(base_url=server.url, timeout=60) as http,
    ):
        for _ in range(run_count):
            run = post_until_accepted(
                http, "StartRun", {"benchmarkId": "ecom", "name": long_text}
            )
            for trial_id in run["trialIds"][:trial_count]:
                trial = post_until_accepted(http, "StartTrial", {"trialId": trial_id})
                runtime = trial["harnessUrl"] + ECOM
                http.post(runtime + "List", json={"path": "/"})
                http.post(runtime + "Read", json={"path": long_text})
                http.post(
                    runtime + "Exec", json={"path": "/bin/id", "stdin": long_text}
                )
                http.post(
                    runtime + "Answer",
                    json={"message": long_text, "outcome": "OUTCOME_OK"},
                )
        shown_run = http.post(HARNESS + "GetRun", json={"runId": run["runId"]})

    assert len(shown_run.text) < 100_000  # The long name was cut.
    assert honest_client.most_memory_mb < 400  # Less than an attack sends.
    processes = psutil.Process(server.pid).children(recursive=True)
    # Besides those of trials, there is the process that forks them, and up to three that it keeps
    # ready.
    assert len(processes) <= bounds.MOST_TRIAL_PROCESSES + 4
