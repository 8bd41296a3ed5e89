"""Behaviours of a server that stands in for the platform, reply by reply.

    with ByteServer(RepliesInTurn(lose_connection, http_reply(b"{}"))) as platform:
        ...  # The first call to platform.url loses its connection, the next ones succeed.

A call that succeeds has the status 200. A refused one has a code and a message:
`{"code": "not_found", "message": "no such file"}`.
"""

import json
import socket

from tests.support.byte_server import Behaviour


def http_reply(
    body: bytes,
    *,
    status: str = "200 OK",
    content_type: str = "application/json",
    headers: str = "",
) -> Behaviour:
    """Send one whole reply. `headers` are further ones: `Retry-After: 7\\r\\n`."""
    head = (
        f"HTTP/1.1 {status}\r\n"
        f"Content-Type: {content_type}\r\n"
        f"Content-Length: {len(body)}\r\n"
        f"{headers}\r\n"
    )

    def behave(connection: socket.socket, request: bytes) -> None:
        connection.sendall(head.encode() + body)

    return behave


SUCCESS = http_reply(b'{"done": true}')


def refusal(status: int, code: str, message: str, headers: str = "") -> Behaviour:
    """Refuse a call as the platform does."""
    body = json.dumps({"code": code, "message": message}).encode()
    return http_reply(body, status=f"{status} X", headers=headers)


def lose_connection(connection: socket.socket, request: bytes) -> None:
    """Close the connection instead of a reply, so that nobody knows what happened."""
    connection.shutdown(socket.SHUT_RDWR)


class RepliesInTurn:
    """Behaves in these ways, one for each call, and in the last one for all further calls."""

    def __init__(self, *behaviours: Behaviour) -> None:
        self._behaviours = list(behaviours)
        self.calls = 0
        """The number of calls so far."""

    def __call__(self, connection: socket.socket, request: bytes) -> None:
        index = min(self.calls, len(self._behaviours) - 1)
        self.calls += 1
        self._behaviours[index](connection, request)


def reply_by_method(
    method: bytes, reply_to_method: Behaviour, reply_to_others: Behaviour
) -> Behaviour:
    """Reply in one way to a method, such as `/GetRun`, and in another to all others."""

    def behave(connection: socket.socket, request: bytes) -> None:
        if method in request:
            reply_to_method(connection, request)
        else:
            reply_to_others(connection, request)

    return behave
