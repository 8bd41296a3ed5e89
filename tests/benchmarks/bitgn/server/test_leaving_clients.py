"""A client may break off a request, or leave without waiting for the reply.

The server goes on in any case, and makes a call that has arrived.
"""

import socket
import struct

import httpx2
import pytest

from tests.benchmarks.bitgn.raw_client import HARNESS
from tests.benchmarks.bitgn.server.wire_calls import call, start_trial
from tests.support.command import wait_until


def connection_to(http: httpx2.Client) -> socket.socket:
    """Return a connection to the server, to send bytes of any kind."""
    return socket.create_connection((http.base_url.host, http.base_url.port))


@pytest.mark.parametrize(
    "request_bytes",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"GARBAGE\r\n\r\n", id="garbage"),
        pytest.param(b"POST / HTTP/1.1\r\n", id="incomplete head"),
        pytest.param(
            b"POST / HTTP/1.1\r\nContent-Length: 99\r\n\r\n{", id="incomplete body"
        ),
        pytest.param(b"\x16\x03\x01\x02", id="TLS"),
    ],
)
def test_the_server_goes_on_after_a_client_that_breaks_off(
    http: httpx2.Client, request_bytes: bytes
) -> None:
    with connection_to(http) as connection:
        connection.sendall(request_bytes)
        # With this option, closing the connection resets it.
        linger_for_no_time = struct.pack("ii", 1, 0)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger_for_no_time)

    assert call(http, HARNESS + "Status").json()["status"] == "ok"


def test_the_call_of_a_client_that_has_left_is_still_made(http: httpx2.Client) -> None:
    """A client sends a write and leaves at once. Some time later, the file is there."""
    runtime_url = start_trial(http)
    path = runtime_url.removeprefix(str(http.base_url).rstrip("/"))
    body = b'{"path":"/new.txt","content":"x"}'
    head = (
        f"POST {path}Write HTTP/1.1\r\n"
        "Host: x\r\n"
        "Content-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )

    with connection_to(http) as connection:
        connection.sendall(head.encode() + body)

    def read_file() -> httpx2.Response:
        return call(http, runtime_url + "Read", {"path": "/new.txt"})

    wait_until(lambda: read_file().status_code == 200)
    assert read_file().json()["content"] == "x"
