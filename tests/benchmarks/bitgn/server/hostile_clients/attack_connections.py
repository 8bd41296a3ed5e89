"""Connections to a server under attack, on which a client sends as much as the server takes.

    send_on_each(server.connect, 40, HEAD + b"a: b\\r\\n")     # 40 open connections

They stay open, so that the server has to keep what it has received, until they are closed.
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
