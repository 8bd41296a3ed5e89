"""What the platform's client makes of a server that does to a connection whatever a test says."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from benchmarks.bitgn.client.platform_client import Call, CallPolicy, PlatformClient, Service, WireError
from tests.support.byte_server import Behaviour, ByteServer


def reply(body: bytes, *, status: str = "200 OK", kind: str = "application/json", headers: str = "") -> Behaviour:
    """Send one whole reply."""

    def behave(client: socket.socket, _: bytes) -> None:
        head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n{headers}\r\n"
        client.sendall(head.encode() + body)

    return behave


@contextmanager
def stub(behave: Behaviour) -> Iterator[tuple[str, list[bytes]]]:
    """Listen for as long as the block lasts; yield the base URL and the requests that came in."""
    with ByteServer(behave) as server:
        yield server.url, server.requests


SECRET = "canary-key-77aa"


def to_call(url, client, message=None, *, look=None, **policy) -> Call:
    """Return one call; what the policy does not say is that nothing is made again."""
    settled = CallPolicy(**({"deadline_s": 5.0, "retry_s": 0.0} | policy))
    return Call(client, Service(url, "a.Service"), "Do", message or {}, settled, lambda reply: reply, look)


def make(url, client, message=None, **more):
    return to_call(url, client, message, **more).finish()


def call(url, message=None, *, secrets=(SECRET,), **policy):
    client = PlatformClient(2, secrets=secrets)
    try:
        return make(url, client, message, **policy)
    finally:
        client.close()


def failure(behave, *, message=None, **policy) -> WireError:
    with stub(behave) as (url, _), pytest.raises(WireError) as raised:
        call(url, message, **policy)
    return raised.value
