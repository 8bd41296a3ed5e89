"""An attack on the server: calls of many trials, with a text of 1 MB wherever a text can be.

The server has a limited number of processes for trials. If a further trial needs one, the server
ends the process of another trial. It refuses calls for now, by 503, while it has too much to do.

`honest_client` calls the server during the attack, and measures the memory of the server's
processes.
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
    """Make a call, again while the server refuses it by 503. Return the reply."""
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
    """The server may answer or refuse the large calls. Only its memory and processes count."""
    long_text = "/" + "x" * 1_000_000
    more_trials_than_processes = bounds.MOST_TRIAL_PROCESSES + 4
    run_count = 2 if heavy else 1
    with (
        honest_client_of(server) as honest_client,
        httpx2.Client(base_url=server.url, timeout=60) as http,
    ):
        for _ in range(run_count):
            run = post_until_accepted(
                http, "StartRun", {"benchmarkId": "ecom", "name": long_text}
            )
            for trial_id in run["trialIds"][:more_trials_than_processes]:
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
    # The fork server is a process, too, and keeps up to three others ready.
    fork_server_and_reserve = 1 + 3
    assert len(processes) <= bounds.MOST_TRIAL_PROCESSES + fork_server_and_reserve
