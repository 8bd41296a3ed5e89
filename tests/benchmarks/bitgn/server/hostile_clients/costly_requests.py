"""Attacks on a server by whole requests that cost it more than they cost the client.

    connections = pipelined_calls(server.connect)  # 20 connections, with 20,000 calls on each

Each attack opens connections, sends something on each, and returns them. They stay open, so that the
server has to keep what it has received.
"""

import socket

from tests.benchmarks.bitgn.server.hostile_clients.attack_connections import (
    HEAD,
    Connect,
    send_on_each,
)


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
