"""Calls on their way from a client to a wire server, and what a rule may do to each.

A relay stands between the two. A *rule* gets each call, and says what becomes of it:

    def rule(call: RelayedCall) -> bytes | None:
        if call.method == "StartTrial" and call.number == 2:
            return protocol_refusal(503, "unavailable")  # The server never sees this call.
        return None  # All others pass.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class RelayedCall:
    """One call on its way from the client to the server."""

    method: str
    """The end of the request's path, such as `StartTrial`."""
    number: int
    """Which call of its method it is, from 1."""
    request: bytes
    """The client's whole HTTP request: head and body."""
    forward: Callable[[], Awaitable[bytes]]
    """Sends the request to the server, and returns the server's whole reply."""
    gone: Callable[[], Awaitable[object]]
    """Waits until the client has closed the connection."""


ReplacedReply = Callable[[RelayedCall, asyncio.StreamWriter], Awaitable[None]]
"""Writes to the client whatever it gets in place of the server's reply."""
Rule = Callable[[RelayedCall], bytes | ReplacedReply | None]
"""Says what becomes of a call:

- None: the call passes, and the client gets the server's reply;
- bytes: the client gets these, and the server never sees the call;
- a function: it writes to the client, and may forward the call or not.
"""


def pass_all(call: RelayedCall) -> None:
    """Let every call pass: the rule of a relay that changes nothing."""


def injected_response(
    status: int, body: str = "", kind: str = "application/json", **headers: str
) -> bytes:
    """Return a reply that something between client and server could send.

    `injected_response(429, retry_after="2")` has the header `retry-after: 2`.
    """
    content = body.encode()
    lines = [
        f"HTTP/1.1 {status} X",
        f"content-type: {kind}",
        f"content-length: {len(content)}",
    ]
    for name, value in headers.items():
        lines.append(f"{name.replace('_', '-')}: {value}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + content


def protocol_refusal(
    status: int, code: str, message: str = "no", **headers: str
) -> bytes:
    """Return a refusal of the server's protocol, which names a `code` such as `not_found`."""
    body = json.dumps({"code": code, "message": message})
    return injected_response(status, body, **headers)


HTML_PAGE_RESPONSE = injected_response(
    200, "<html><title>Sign in</title><p>Who are you?</p></html>", "text/html"
)
"""The page of a proxy that wants somebody to sign in, sent as if all were well."""
