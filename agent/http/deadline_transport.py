"""An `httpx2.Client` whose exchanges keep one deadline and whose replies keep a size."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpcore2
import httpx2

from agent.http.connections import CONNECT_TIMEOUT_S, HTTP_ERRORS, Connections, Exchange, core_url


def deadline_client(
    connections: Connections, *, timeout_s: float, reply_bytes: int, compressed_bytes: int
) -> httpx2.Client:
    """Return a client over `connections` that gives an exchange `timeout_s` seconds in all, its body included.

    A body beyond `reply_bytes`, or `compressed_bytes` if it is compressed, ends in `ReplyTooLong`.
    """
    transport = _DeadlineTransport(connections, reply_bytes=reply_bytes, compressed_bytes=compressed_bytes)
    timeout = httpx2.Timeout(timeout_s, connect=min(timeout_s, CONNECT_TIMEOUT_S))
    return httpx2.Client(transport=transport, timeout=timeout, follow_redirects=False)


class ReplyTooLong(httpx2.TransportError):
    """A body is longer than what is read."""


class _DeadlineTransport(httpx2.BaseTransport):
    """The time-out for reading is the deadline of the whole exchange."""

    def __init__(self, connections: Connections, *, reply_bytes: int, compressed_bytes: int) -> None:
        self._connections = connections
        self._reply_bytes = reply_bytes
        self._compressed_bytes = compressed_bytes

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        timeouts = request.extensions["timeout"]
        asked = httpcore2.Request(
            request.method,
            core_url(request.url),
            headers=request.headers.raw,
            content=request.stream,
            extensions={"timeout": {"connect": timeouts["connect"]}},
        )
        with _translated_errors():
            exchange = Exchange(self._connections, asked, ends_at=time.monotonic() + timeouts["read"])
        headers = httpx2.Headers(exchange.headers)
        is_plain = headers.get("content-encoding", "identity") in ("", "identity")
        body = _Body(exchange, self._reply_bytes if is_plain else self._compressed_bytes)
        return httpx2.Response(exchange.status, headers=headers, stream=body)

    def close(self) -> None:
        self._connections.close()


class _Body(httpx2.SyncByteStream):
    """A reply's body, up to a size."""

    def __init__(self, exchange: Exchange, most_bytes: int) -> None:
        self._exchange = exchange
        self._most_bytes = most_bytes

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        with _translated_errors():
            for chunk in self._exchange:
                size += len(chunk)
                if size > self._most_bytes:
                    msg = "the body is too long"
                    raise ReplyTooLong(msg)
                yield chunk

    def close(self) -> None:
        self._exchange.close()


@contextmanager
def _translated_errors() -> Iterator[None]:
    """Turn an error of `httpcore2` into the one of the same name in `httpx2`."""
    try:
        yield
    except HTTP_ERRORS as error:
        translated: type[httpx2.TransportError] = getattr(httpx2, type(error).__name__)
        raise translated(str(error)) from error
