"""Attacks on a server by what is sent on its connections, or is not.

    connections = slow_bodies(server.connect)  # 60 requests, each with an incomplete body of 4 MB

Each attack opens connections, sends something on each, and returns them. They stay open, so that the
server has to keep what it has received, until they are closed.
"""

import contextlib
import socket
from collections.abc import Callable

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
