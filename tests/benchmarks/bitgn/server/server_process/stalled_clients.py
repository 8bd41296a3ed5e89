"""Clients that send the beginning of a request to a server, and nothing more.

    with stalled_clients(server.url, INCOMPLETE_BODY) as connections:
        connections[0].recv(4096)     # what the server replies to the first of 50 clients

The request is `POST .../Status HTTP/1.1`, with a body of 9 bytes.
"""

import contextlib
import socket
from collections.abc import Iterator

import httpx2

from tests.benchmarks.bitgn.raw_client import HARNESS

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
