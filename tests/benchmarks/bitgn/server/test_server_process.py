"""The server as a whole: it ends in order, and a fault of one client or run does not stop it."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator

import httpx2
import pytest

from controlplane.benchmarks.bitgn.server import ServerOptions
from controlplane.benchmarks.bitgn.server.runs.run_limits import RunLimits
from controlplane.sandbox.interface import bounds
from tests.benchmarks.bitgn.raw_client import HARNESS
from tests.benchmarks.bitgn.shelf_benchmark import ShelfBenchmark
from tests.support.command import wait_until
from tests.support.running_server import running_server


def status_of(url: str) -> httpx2.Response:
    """Ask a server whether it works."""
    return httpx2.post(url + HARNESS + "Status", json={})


EXIT_SUCCESS = 0

SERVER_PROGRAM = """
from controlplane.benchmarks.bitgn.server import ServerOptions, serve
from tests.benchmarks.bitgn.shelf_benchmark import ShelfBenchmark

def print_url(url):
    print(url, flush=True)

serve(ShelfBenchmark(call_s=0.3), ServerOptions(), on_listening=print_url)
print("ended", flush=True)
"""
"""Serves the small benchmark until a signal ends it, and prints its URL, and "ended" at the end."""


class TestSignals:
    """A signal ends the server in order."""

    @pytest.mark.parametrize("signal_number", [signal.SIGTERM, signal.SIGINT])
    def test_signal_ends_the_server_in_order(
        self, signal_number: signal.Signals
    ) -> None:
        """The process goes on behind `serve`, and shows no error."""
        with subprocess.Popen(
            [sys.executable, "-c", SERVER_PROGRAM],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=dict(os.environ),
        ) as process:
            assert process.stdout is not None
            url = process.stdout.readline().strip()
            assert re.fullmatch(r"http://127\.0\.0\.1:\d+", url)
            assert status_of(url).json()["status"] == "ok"

            process.send_signal(signal_number)
            output, errors = process.communicate(timeout=20)

        assert process.returncode == EXIT_SUCCESS
        assert output == "ended\n"
        assert errors == ""


class TestIdleRuns:
    """A thread of the server ends runs that get no calls, and its faults stop nothing else.

    `status_of` asks the server whether it works.
    """

    def test_server_works_and_ends_while_the_ending_of_idle_runs_hangs(
        self, monkeypatch: pytest.MonkeyPatch
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
                assert status_of(server.url).status_code == 200
            finally:
                may_return.set()

    def test_server_works_and_tries_again_if_the_ending_of_idle_runs_fails(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A fault of the served benchmark must not stop the server."""
        attempts: list[float] = []

        def fail(limits: RunLimits, idle_s: float) -> None:
            attempts.append(idle_s)
            raise RuntimeError("the benchmark broke")

        monkeypatch.setattr(RunLimits, "end_idle", fail)
        with running_server(ShelfBenchmark(), ServerOptions()) as server:
            wait_until(lambda: len(attempts) >= 2)

            assert status_of(server.url).status_code == 200


INCOMPLETE_HEAD = (
    f"POST {HARNESS}Status HTTP/1.1\r\n"
    "Host: x\r\n"
    "Content-Type: application/json\r\n"
    "Content-Length: 9\r\n"
).encode()
"""A request that stops within its head. It announces a body of 9 bytes."""
INCOMPLETE_BODY = INCOMPLETE_HEAD + b"\r\n{"
"""The same request, which stops after the first byte of its body."""


@contextlib.contextmanager
def stalled_clients(url: str, beginning: bytes) -> Iterator[list[socket.socket]]:
    """Open 50 connections that send the beginning of a request, and nothing more."""
    address = ("127.0.0.1", httpx2.URL(url).port)
    with contextlib.ExitStack() as stack:
        connections: list[socket.socket] = []
        for _ in range(50):
            connection = socket.create_connection(address, timeout=10)
            stack.enter_context(connection)
            connection.sendall(beginning)
            connections.append(connection)
        yield connections


def is_silent(connection: socket.socket) -> bool:
    """Return True if the server has neither sent anything nor closed the connection."""
    connection.setblocking(False)
    try:
        connection.recv(1)
    except BlockingIOError:
        return True
    return False


def assert_refused_at_the_deadline(connection: socket.socket) -> None:
    """Read from a connection until the reply has come that the deadline is over."""
    reply = b""
    while b"deadline_exceeded" not in reply:
        received = connection.recv(4096)
        assert received, "the connection was closed without a reply"
        reply += received


class TestStalledClients:
    """Clients may send the beginning of a request and then nothing more.

    50 of them stall in the head of a request, or after the first byte of its body.
    """

    @pytest.mark.parametrize(
        "beginning",
        [
            pytest.param(INCOMPLETE_HEAD, id="in the head"),
            pytest.param(INCOMPLETE_BODY, id="in the body"),
        ],
    )
    def test_stalled_clients_do_not_delay_others(self, beginning: bytes) -> None:
        """The server answers another client while 50 clients still stall."""
        with (
            running_server(ShelfBenchmark(), ServerOptions()) as server,
            stalled_clients(server.url, beginning) as connections,
        ):
            reply = status_of(server.url)
            is_each_stalled = [is_silent(connection) for connection in connections]

        assert reply.status_code == 200
        assert all(is_each_stalled)

    def test_client_that_stalls_within_a_body_is_refused_at_a_deadline(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The deadline for a body is lowered to half a second. All 50 clients get a reply."""
        monkeypatch.setattr(bounds, "LONGEST_BODY_S", 0.5)
        with (
            running_server(ShelfBenchmark(), ServerOptions()) as server,
            stalled_clients(server.url, INCOMPLETE_BODY) as connections,
        ):
            for connection in connections:
                assert_refused_at_the_deadline(connection)
