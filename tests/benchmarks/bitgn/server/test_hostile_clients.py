"""Attacks on the server: whatever clients send, it keeps little of it, and serves others.

The server runs in a process of its own. During each attack, an honest client calls it again
and again: it must be answered, and the memory of the server's processes must stay below
`MAX_MEMORY_MB`.
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
from tests.bench.trial_cost import tree_pss_mb
from tests.benchmarks.bitgn.protocol_clients import ECOM, HARNESS
from tests.support.command import wait_until

pytestmark = pytest.mark.second_tier

MAX_MEMORY_MB = 400
"""More than the server's processes need without an attack, and less than an attack sends."""


class ServerProcess(NamedTuple):
    """A running server: its URL, and the id of its process."""

    url: str
    pid: int

    def connect(self) -> socket.socket:
        url = httpx2.URL(self.url)
        return socket.create_connection((url.host, url.port), timeout=5)


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    """A server of the embedded shop. It prints a line at first, whose last word is its URL."""
    command = [sys.executable, "-m", "controlplane", "serve", "--benchmark", "ecom"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        url = process.stdout.readline().split()[-1]
        yield ServerProcess(url, process.pid)
        process.terminate()


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


# The attacks. Each returns connections, which stay open until the attack is over.

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


def slow_bodies(connect: Connect) -> list[socket.socket]:
    """Announce 4 MB each, send almost all of it, and wait."""
    almost_all = b" " * 3_900_000
    return send_on_each(
        connect, 60, HEAD + b"Content-Length: 4000000\r\n\r\n" + almost_all
    )


def endless_headers(connect: Connect) -> list[socket.socket]:
    """Send a header that does not end."""
    return send_on_each(connect, 40, HEAD + b"X-Long: " + b"a" * 2_000_000)


def countless_headers(connect: Connect) -> list[socket.socket]:
    """Send 200,000 headers on each connection, and no end of the head."""
    return send_on_each(connect, 40, HEAD + b"a: b\r\n" * 200_000)


def silent_connections(connect: Connect) -> list[socket.socket]:
    """Open connections and send nothing."""
    return [connect() for _ in range(700)]


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


def tiny_chunks(connect: Connect) -> list[socket.socket]:
    """Send a body byte by byte, each byte a chunk of its own."""
    head = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
    return send_on_each(connect, 10, head + b"1\r\na\r\n" * 8_000)


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
    """While the connections of the attack are open, an honest client is answered again and again."""
    with honest_client_of(server) as honest_client:
        connections = attack(server.connect)
        answers_before = honest_client.answer_count
        wait_until(lambda: honest_client.answer_count >= answers_before + 3)
    for connection in connections:
        connection.close()

    assert honest_client.most_memory_mb < MAX_MEMORY_MB


def accepted_reply(
    http: httpx2.Client, method: str, fields: dict[str, object]
) -> dict[str, Any]:
    """Make a call, again while the server refuses it for now. Return its reply."""
    while True:
        reply = http.post(HARNESS + method, json=fields)
        if reply.status_code != 503:
            break
        time.sleep(0.1)
    assert reply.is_success, reply.text
    message: dict[str, Any] = reply.json()
    return message


def play_large_run(http: httpx2.Client, text: str, trial_count: int) -> str:
    """Start a run and some of its trials, each with large calls. Return the id of the run.

    The text is the name of the run, too.
    """
    run = accepted_reply(http, "StartRun", {"benchmarkId": "ecom", "name": text})
    for trial_id in run["trialIds"][:trial_count]:
        trial = accepted_reply(http, "StartTrial", {"trialId": trial_id})
        runtime_url = trial["harnessUrl"] + ECOM
        http.post(runtime_url + "List", json={"path": "/"})
        make_large_calls(http, runtime_url, text)
    return str(run["runId"])


def make_large_calls(http: httpx2.Client, runtime_url: str, text: str) -> None:
    """Call methods of a trial with a long text as a path, as input and as an answer."""
    for method, parameter in (
        ("Read", "path"),
        ("Exec", "stdin"),
        ("Answer", "message"),
    ):
        fields = {parameter: text, "outcome": "OUTCOME_OK"}
        http.post(runtime_url + method, json=fields)


def test_many_trials_and_large_calls_cost_little(
    server: ServerProcess, heavy: bool
) -> None:
    """A client starts more trials than there may be processes, and sends 1 MB texts."""
    long_text = "/" + "x" * 1_000_000
    run_count = 2 if heavy else 1
    trial_count = bounds.MOST_TRIAL_PROCESSES + 4
    with (
        honest_client_of(server) as honest_client,
        httpx2.Client(base_url=server.url, timeout=60) as http,
    ):
        for _ in range(run_count):
            run_id = play_large_run(http, long_text, trial_count)
        last_run = http.post(HARNESS + "GetRun", json={"runId": run_id})

    assert len(last_run.text) < 100_000  # The long name was cut.
    assert honest_client.most_memory_mb < MAX_MEMORY_MB
    processes = psutil.Process(server.pid).children(recursive=True)
    processes_of_server_itself = 4
    most_processes = bounds.MOST_TRIAL_PROCESSES + processes_of_server_itself
    assert len(processes) <= most_processes
