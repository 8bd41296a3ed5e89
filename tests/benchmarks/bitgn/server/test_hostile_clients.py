"""Whatever clients send, the server keeps little of it, and serves an honest client meanwhile."""

import contextlib
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import httpx2
import psutil
import pytest

from controlplane.sandbox.interface import bounds
from tests.bench.trial_cost import tree_pss_mb
from tests.benchmarks.bitgn.recording_world import ECOM, HARNESS

pytestmark = pytest.mark.second_tier

MOST_MB = 400
HEAD = b"POST /bitgn.harness.HarnessService/Status HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
Connect = Callable[[], socket.socket]


@pytest.fixture(scope="module")
def address() -> Iterator[tuple[str, int]]:
    """A server of the embedded world in a process of its own."""
    serve = [sys.executable, "-m", "controlplane", "serve", "--benchmark", "ecom"]
    with subprocess.Popen(serve, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        yield server.stdout.readline().split()[-1], server.pid
        server.terminate()


def slow_bodies(connect: Connect) -> list[socket.socket]:
    """Announce 4 MB each, send almost all of it, and wait."""
    return [
        sent(connect(), HEAD + b"Content-Length: 4000000\r\n\r\n" + b" " * 3_900_000)
        for _ in range(60)
    ]


def endless_heads(connect: Connect) -> list[socket.socket]:
    return [
        sent(connect(), HEAD + b"X-%d: " % number + b"a" * 2_000_000)
        for number in range(40)
    ]


def countless_headers(connect: Connect) -> list[socket.socket]:
    return [sent(connect(), HEAD + b"a: b\r\n" * 200_000) for _ in range(40)]


def silent_connections(connect: Connect) -> list[socket.socket]:
    return [connect() for _ in range(700)]


def pipelined_calls(connect: Connect) -> list[socket.socket]:
    return [
        sent(connect(), (HEAD + b"Content-Length: 2\r\n\r\n{}") * 20_000)
        for _ in range(20)
    ]


def deep_bodies(connect: Connect) -> list[socket.socket]:
    """Send JSON that takes a hundred times its size once it is parsed."""
    bodies = [
        b"[" + b"{}," * 1_000_000 + b"{}]",
        b"[" * 1_000_000,
        b'{"a":' * 500_000,
        b'"",' * 1_000_000,
    ]
    return [
        sent(connect(), HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        for body in bodies * 5
    ]


def unread_replies(connect: Connect) -> list[socket.socket]:
    """Ask for long replies, again and again, and read none."""
    body = b'{"benchmarkId": "ecom"}'
    head = HEAD.replace(
        b"/Status", b"/GetBenchmark"
    ) + b"Content-Length: %d\r\n\r\n" % len(body)
    return [sent(connect(), (head + body) * 200) for _ in range(100)]


def tiny_chunks(connect: Connect) -> list[socket.socket]:
    """Send bodies byte by byte, each byte a chunk of its own."""
    head = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
    return [sent(connect(), head + b"1\r\na\r\n" * 8_000) for _ in range(10)]


def sent(client: socket.socket, data: bytes) -> socket.socket:
    client.settimeout(2)
    with contextlib.suppress(OSError):
        client.sendall(data)
    return client


MOST_WAIT_S = 60
"""Seconds that another client may wait: it is served
during the attack, however slow the machine is."""


@pytest.mark.parametrize(
    "attack",
    [
        slow_bodies,
        endless_heads,
        countless_headers,
        silent_connections,
        pipelined_calls,
        deep_bodies,
        unread_replies,
        tiny_chunks,
    ],
)
def test_connections_that_ask_for_too_much_cost_little(attack, address):
    url, pid = address
    place = (httpx2.URL(url).host, httpx2.URL(url).port)
    held: list[socket.socket] = []
    with served_meanwhile(url, pid) as seen:
        held += attack(lambda: socket.create_connection(place, timeout=5))
    for client in held:
        client.close()

    assert seen.most_mb < MOST_MB
    assert max(seen.times_s) < MOST_WAIT_S


@dataclass
class Seen:
    times_s: list[float] = field(default_factory=list)
    most_mb: float = 0.0


@contextlib.contextmanager
def served_meanwhile(url: str, pid: int) -> Iterator[Seen]:
    """Call the server as an honest client does, for
    the length of the block; note the times and the memory."""
    seen = Seen()
    ended = threading.Event()

    def call() -> None:
        while not ended.is_set():
            began = time.monotonic()
            while not is_served(url):
                pass
            seen.times_s.append(time.monotonic() - began)
            seen.most_mb = max(seen.most_mb, tree_pss_mb(pid))
            time.sleep(0.02)

    thread = threading.Thread(target=call)
    thread.start()
    try:
        yield seen
    finally:
        ended.set()
        thread.join()


def is_served(url: str) -> bool:
    """Call the server once; a connection that ended,
    or was refused for now, is tried again, as clients do."""
    with (
        httpx2.Client(base_url=url, timeout=20, verify=False) as http,
        contextlib.suppress(httpx2.NetworkError, httpx2.RemoteProtocolError),
    ):
        return http.post(HARNESS + "Status", json={}).status_code == 200
    return False


def test_many_runs_trials_and_large_calls_cost_little(address, heavy):
    url, pid = address
    large = "/" + "x" * 1_000_000
    with (
        served_meanwhile(url, pid) as seen,
        httpx2.Client(base_url=url, timeout=60) as http,
    ):
        for _ in range(2 if heavy else 1):
            run = started(http, "StartRun", {"benchmarkId": "ecom", "name": large})
            for trial_id in run["trialIds"][: bounds.MOST_TRIAL_PROCESSES + 4]:
                runtime = (
                    started(http, "StartTrial", {"trialId": trial_id})["harnessUrl"]
                    + ECOM
                )
                http.post(runtime + "List", json={"path": "/"})
                for method, name in (
                    ("Read", "path"),
                    ("Exec", "stdin"),
                    ("Answer", "message"),
                ):
                    http.post(
                        runtime + method, json={name: large, "outcome": "OUTCOME_OK"}
                    )
        assert (
            len(http.post(HARNESS + "GetRun", json={"runId": run["runId"]}).text)
            < 100_000
        )

    assert seen.most_mb < MOST_MB
    assert (
        len(psutil.Process(pid).children(recursive=True))
        <= bounds.MOST_TRIAL_PROCESSES + 4
    )


def started(http: httpx2.Client, method: str, fields: dict) -> dict:
    """Start a run or a trial as honest clients do:
    what the server refuses for now is sent again."""
    while (reply := http.post(HARNESS + method, json=fields)).status_code == 503:
        time.sleep(0.1)
    assert reply.is_success, reply.text
    return reply.json()
