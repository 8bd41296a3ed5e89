"""Attacks on the server: whatever clients send, it keeps little of it, and serves others.

The server runs in a process of its own. During each attack, an honest client calls it again
and again: it must be answered, and the memory of the server's processes must stay below
`MAX_MEMORY_MB`.
"""

import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import psutil
import pytest

from controlplane.sandbox.interface import bounds
from tests.benchmarks.bitgn.raw_client import ECOM, HARNESS
from tests.benchmarks.bitgn.server.connection_attacks import (
    Connect,
    countless_headers,
    endless_headers,
    large_json,
    pipelined_calls,
    silent_connections,
    slow_bodies,
    tiny_chunks,
    unread_replies,
)
from tests.benchmarks.bitgn.server.honest_client import ServerProcess, honest_client_of
from tests.support.command import wait_until

pytestmark = pytest.mark.second_tier

MAX_MEMORY_MB = 400
"""More than the server's processes need without an attack, and less than an attack sends."""


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    """A server of the embedded shop. Its first line is `listening on http://127.0.0.1:4812`."""
    command = [sys.executable, "-m", "controlplane", "serve", "--benchmark", "ecom"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        url = process.stdout.readline().split()[-1]
        yield ServerProcess(url, process.pid)
        process.terminate()


class TestAttacks:
    """Whatever clients send on their connections, the server keeps little of it.

    An attack opens connections, sends something on each, and leaves them open. Meanwhile, an honest
    client calls the server again and again, and measures the memory of its processes.
    """

    @pytest.mark.parametrize(
        "attack",
        [
            slow_bodies,
            endless_headers,
            countless_headers,
            silent_connections,
            pipelined_calls,
            large_json,
            unread_replies,
            tiny_chunks,
        ],
    )
    def test_attack_costs_little_memory_and_delays_nobody(
        self, attack: Callable[[Connect], list[socket.socket]], server: ServerProcess
    ) -> None:
        """The honest client is answered three more times while the connections are open."""
        with honest_client_of(server) as honest_client:
            connections = attack(server.connect)
            answers_before = honest_client.answer_count
            wait_until(lambda: honest_client.answer_count >= answers_before + 3)
        for connection in connections:
            connection.close()

        assert honest_client.most_memory_mb < MAX_MEMORY_MB


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
    assert honest_client.most_memory_mb < MAX_MEMORY_MB
    processes = psutil.Process(server.pid).children(recursive=True)
    # Besides those of trials, there is the process that forks them, and up to three that it keeps
    # ready.
    assert len(processes) <= bounds.MOST_TRIAL_PROCESSES + 4
