"""Attacks on a server by requests that do not end.

    connections = slow_bodies(server.connect)  # 60 requests, each with an incomplete body of 4 MB

Each attack opens connections, sends something on each, and returns them. They stay open, so that the
server has to keep what it has received.
"""

import socket

from tests.benchmarks.bitgn.server.hostile_clients.attack_connections import (
    HEAD,
    Connect,
    send_on_each,
)


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
