"""Attacks on the server by clients cost it little memory, and delay no honest client.

An attack sends something on many connections and leaves them open, sends nothing, or makes large
calls of many trials. Meanwhile, an honest client calls the server again and again, and measures the
memory of its processes.
"""

import contextlib
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import httpx2
import psutil
import pytest

from controlplane.sandbox.interface import bounds
from tests.bench.sides.process_costs import tree_pss_mb
from tests.benchmarks.bitgn.served_shop import ECOM, HARNESS
from tests.support.command import wait_until

# An honest client of a server under attack: it calls again and again, and measures the server's memory.
#
# with honest_client_of(server) as honest_client:
#     ...  # the attack
# honest_client.answer_count    # how many calls were answered meanwhile
# honest_client.most_memory_mb  # the most memory of all processes of the server


class ServerProcess(NamedTuple):
    """A running server: its URL, and the id of its process."""

    url: str
    pid: int

    def connect(self) -> socket.socket:
        url = httpx2.URL(self.url)
        return socket.create_connection((url.host, url.port), timeout=5)


@dataclass
class HonestClient:
    """A client that calls the server again and again, and what it has seen so far."""

    answer_count: int = 0
    """How many of its calls were answered."""
    most_memory_mb: float = 0.0
    """The most memory of the server's processes after a call."""


def is_answered(url: str) -> bool:
    """Call the server once. Return False if it refuses the call or closes the connection."""
    connection_errors = (httpx2.NetworkError, httpx2.RemoteProtocolError)
    with httpx2.Client(base_url=url, timeout=20, verify=False) as http:
        try:
            reply = http.post(HARNESS + "Status", json={})
        except connection_errors:
            return False
    return reply.status_code == 200


@contextlib.contextmanager
def honest_client_of(server: ServerProcess) -> Iterator[HonestClient]:
    """Call the server for the length of the block. A call that fails is made again."""
    client = HonestClient()
    block_has_ended = threading.Event()

    def make_calls() -> None:
        while not block_has_ended.is_set():
            while not is_answered(server.url):
                pass
            client.answer_count += 1
            memory_mb = tree_pss_mb(server.pid)
            client.most_memory_mb = max(client.most_memory_mb, memory_mb)
            time.sleep(0.02)

    thread = threading.Thread(target=make_calls)
    thread.start()
    try:
        yield client
    finally:
        block_has_ended.set()
        thread.join()


@pytest.fixture(scope="session")
def server() -> Iterator[ServerProcess]:
    """A server of the embedded shop. Its first line is `listening on http://127.0.0.1:4812`."""
    command = [sys.executable, "-m", "controlplane", "serve", "--benchmark", "ecom"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        url = process.stdout.readline().split()[-1]
        yield ServerProcess(url, process.pid)
        process.terminate()


# Connections to a server under attack, on which a client sends as much as the server takes.
#
#     send_on_each(server.connect, 40, HEAD + b"a: b\r\n")     # 40 open connections
#
# They stay open, so that the server has to keep what it has received, until they are closed.

Connect = Callable[[], socket.socket]
"""Opens a connection to the server."""


HEAD = (
    b"POST /bitgn.harness.HarnessService/Status HTTP/1.1\r\n"
    b"Host: x\r\n"
    b"Content-Type: application/json\r\n"
)
"""The head of a request, to which further headers and a blank line are added."""


def send(connection: socket.socket, data: bytes) -> socket.socket:
    """Send data until the server takes no more for 2 s, or closes the connection."""
    connection.settimeout(2)
    with contextlib.suppress(OSError):
        connection.sendall(data)
    return connection


def send_on_each(connect: Connect, count: int, data: bytes) -> list[socket.socket]:
    """Send the same data on each of `count` connections."""
    return [send(connect(), data) for _ in range(count)]


# Attacks on a server by whole requests that cost it more than they cost the client.
#
#     connections = pipelined_calls(server.connect)  # 20 connections, with 20,000 calls on each
#
# Each attack opens connections, sends something on each, and returns them. They stay open, so that the
# server has to keep what it has received.


def pipelined_calls(connect: Connect) -> list[socket.socket]:
    """Send 20,000 calls on each connection, without waiting for a reply."""
    whole_call = HEAD + b"Content-Length: 2\r\n\r\n{}"
    return send_on_each(connect, 20, whole_call * 20_000)


def large_json(connect: Connect) -> list[socket.socket]:
    """Send JSON that takes a hundred times its size once it is parsed."""
    bodies = [
        b"[" + b"{}," * 1_000_000 + b"{}]",
        b"[" * 1_000_000,
        b'{"a":' * 500_000,
        b'"",' * 1_000_000,
    ]
    connections: list[socket.socket] = []
    for body in bodies:
        length = b"Content-Length: %d\r\n\r\n" % len(body)
        connections += send_on_each(connect, 5, HEAD + length + body)
    return connections


def unread_replies(connect: Connect) -> list[socket.socket]:
    """Ask for long replies, again and again, and read none."""
    body = b'{"benchmarkId": "ecom"}'
    head = HEAD.replace(b"/Status", b"/GetBenchmark")
    length = b"Content-Length: %d\r\n\r\n" % len(body)
    return send_on_each(connect, 100, (head + length + body) * 200)


# Attacks on a server by requests that do not end.
#
#     connections = slow_bodies(server.connect)  # 60 requests, each with an incomplete body of 4 MB
#
# Each attack opens connections, sends something on each, and returns them. They stay open, so that the
# server has to keep what it has received.


def slow_bodies(connect: Connect) -> list[socket.socket]:
    """Announce 4 MB each, send almost all of it, and wait."""
    almost_all = b" " * 3_900_000
    return send_on_each(
        connect, 60, HEAD + b"Content-Length: 4000000\r\n\r\n" + almost_all
    )


def tiny_chunks(connect: Connect) -> list[socket.socket]:
    """Send a body byte by byte, each byte a chunk of its own."""
    head = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
    return send_on_each(connect, 10, head + b"1\r\na\r\n" * 8_000)


def endless_headers(connect: Connect) -> list[socket.socket]:
    """Send a header that does not end."""
    return send_on_each(connect, 40, HEAD + b"X-Long: " + b"a" * 2_000_000)


def countless_headers(connect: Connect) -> list[socket.socket]:
    """Send 200,000 headers on each connection, and no end of the head."""
    return send_on_each(connect, 40, HEAD + b"a: b\r\n" * 200_000)


def silent_connections(connect: Connect) -> list[socket.socket]:
    """Open connections and send nothing."""
    return [connect() for _ in range(700)]


# An attack on the server: calls of many trials, with a text of 1 MB wherever a text can be.
#
# The server has a limited number of processes for trials. If a further trial needs one, the server
# ends the process of another trial. It refuses calls for now, by 503, while it has too much to do.
#
# `honest_client` calls the server during the attack, and measures the memory of the server's
# processes.

large_calls_pytestmark = pytest.mark.second_tier


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


pytestmark = pytest.mark.second_tier


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
    attack: Callable[[Connect], list[socket.socket]], server: ServerProcess
) -> None:
    """The honest client is answered three more times while the connections are open."""
    with honest_client_of(server) as honest_client:
        connections = attack(server.connect)
        answers_before = honest_client.answer_count
        wait_until(lambda: honest_client.answer_count >= answers_before + 3)
    for connection in connections:
        connection.close()

    assert honest_client.most_memory_mb < 400  # Less than an attack sends.
