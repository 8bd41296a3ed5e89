"""Behaviours of a server that stands in for the platform, reply by reply.

    with ByteServer(RepliesInTurn(lose_connection, http_reply(b"{}"))) as platform:
        ...  # The first call to platform.url loses its connection, the next ones succeed.

A call that succeeds has the status 200. A refused one has a code and a message:
`{"code": "not_found", "message": "no such file"}`.
"""

import json
import socket
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from controlplane.benchmarks.bitgn.client.calls import Call, CallPolicy, PlatformRequest
from controlplane.benchmarks.bitgn.client.connection import (
    Message,
    PlatformClient,
    Service,
    WireError,
)
from tests.support.phonebook_model import Behaviour, ByteServer

# Single calls of the platform (BitGN), made by the product's client to a stand-in for the platform.
#
#     replies = RepliesInTurn(lose_connection, SUCCESS)
#     call_platform(replies, retry_s=5.0)     # {"done": true}, by the second attempt
#
# The platform is a server that offers tasks to agents. `retry_s` says for how long a call that fails
# is made again.

CANARY_KEY = "canary-key-77aa"
"""A key that must never be shown."""


def new_call(
    url: str,
    client: PlatformClient,
    message: dict[str, Any] | None = None,
    *,
    before_repeat: Callable[[], Message | None] | None = None,
    deadline_s: float = 5.0,
    retry_s: float = 0.0,
    **policy: Any,
) -> Call[Message]:
    """Return a call of the method `Do`, which has not been made yet.

    `new_call(platform.url, client, {"path": "/a.txt"}, retry_s=5.0).finish()` makes it, again and
    again for 5 seconds if it fails; by default only once. `before_repeat` may find out that the
    call has happened, and return its result. `policy` has further fields of `CallPolicy`.
    """
    return Call(
        PlatformRequest(Service(client, url, "a.Service"), "Do", message or {}),
        CallPolicy(deadline_s=deadline_s, retry_s=retry_s, **policy),
        parse_reply=lambda reply: reply,
        before_repeat=before_repeat,
    )


def call_platform(
    behaviour: Behaviour, message: dict[str, Any] | None = None, **options: Any
) -> Message:
    """Make one call, to which the platform replies in this way, and return the reply's message.

    `options` are those of `new_call`.
    """
    with (
        ByteServer(behaviour) as platform,
        closing(PlatformClient(connections=2, secrets=(CANARY_KEY,))) as client,
    ):
        return new_call(platform.url, client, message, **options).finish()


def error_of_call(
    behaviour: Behaviour, message: dict[str, Any] | None = None, **options: Any
) -> WireError:
    """Make one call to which the platform replies in this way, and return its error."""
    with pytest.raises(WireError) as caught:
        call_platform(behaviour, message, **options)
    return caught.value


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
