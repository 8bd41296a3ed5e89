"""Clients of the server that send the beginning of a request, and then nothing more.

The server offers a benchmark's tasks to agents over HTTP, in the protocol of the platform BitGN.
50 of them stall in the head of a request, or after the first byte of its body. The server must not
wait for them.
"""

import socket

import httpx2
import pytest

from controlplane.benchmarks.bitgn.server import ServerOptions
from controlplane.sandbox.interface import bounds
from tests.benchmarks.bitgn.raw_client import HARNESS
from tests.benchmarks.bitgn.server.server_process.stalled_clients import (
    INCOMPLETE_BODY,
    INCOMPLETE_HEAD,
    stalled_clients,
)
from tests.benchmarks.bitgn.shelf_benchmark import ShelfBenchmark
from tests.support.running_server import running_server


def is_silent(connection: socket.socket) -> bool:
    """Return True if the server has neither sent anything nor closed the connection."""
    connection.setblocking(False)
    try:
        connection.recv(1)
    except BlockingIOError:
        return True
    return False


@pytest.mark.parametrize(
    "beginning",
    [
        pytest.param(INCOMPLETE_HEAD, id="in the head"),
        pytest.param(INCOMPLETE_BODY, id="in the body"),
    ],
)
def test_stalled_clients_do_not_delay_others(beginning: bytes) -> None:
    """The server answers another client while 50 clients still stall."""
    with (
        running_server(ShelfBenchmark(), ServerOptions()) as server,
        stalled_clients(server.url, beginning) as connections,
    ):
        reply = httpx2.post(server.url + HARNESS + "Status", json={})
        is_each_stalled = [is_silent(connection) for connection in connections]

    assert reply.status_code == 200
    assert all(is_each_stalled)


def test_client_that_stalls_within_a_body_is_refused_at_a_deadline(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The deadline for a body is lowered to half a second. All 50 clients get a reply."""
    monkeypatch.setattr(bounds, "LONGEST_BODY_S", 0.5)
    with (
        running_server(ShelfBenchmark(), ServerOptions()) as server,
        stalled_clients(server.url, INCOMPLETE_BODY) as connections,
    ):
        for connection in connections:
            reply = b""
            while b"deadline_exceeded" not in reply:
                received = connection.recv(4096)
                assert received, "the connection was closed without a reply"
                reply += received
