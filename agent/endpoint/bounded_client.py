"""The HTTP client of an endpoint: one deadline for each call, whatever a server drips, and bounded replies."""

from __future__ import annotations

import math
import ssl
import time
import zlib
from contextvars import ContextVar
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, Final

import httpcore2
import httpx2

from agent.endpoint import endpoint_errors

CONNECT_TIMEOUT_S: Final = 10.0
"""Max seconds to open a connection, if the call's deadline is not earlier."""
IDLE_S: Final = 5.0
"""Seconds that an idle connection is kept."""
CALL_ENDS_AT: Final[ContextVar[float]] = ContextVar("CALL_ENDS_AT", default=math.inf)
"""The deadline of the call that this thread makes, by `time.monotonic`."""


class ReplyTooLong(httpx2.TransportError):
    """The reply is longer than a reply may be."""


def bounded_client() -> httpx2.Client:
    """Return a client that keeps no cookies and follows no redirects.

    Raises `ValueError` with one line if the environment names a proxy or certificates that cannot be used.
    """
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=None, keepalive_expiry=IDLE_S)
    try:
        client = httpx2.Client(
            limits=limits,
            headers={"accept-encoding": "gzip"},
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
        )
    except OSError as error:
        msg = f"the certificates that SSL_CERT_FILE names cannot be used: {error.strerror}"
        raise ValueError(msg) from error
    except (ValueError, ImportError, httpx2.InvalidURL):
        msg = "the proxy that HTTP_PROXY, HTTPS_PROXY or ALL_PROXY names cannot be used: it takes http://HOST:PORT"
        raise ValueError(msg) from None
    client._transport = _BoundedTransport(client._transport)
    client._mounts = {
        pattern: transport and _BoundedTransport(transport) for pattern, transport in client._mounts.items()
    }
    return client


class _BoundedTransport(httpx2.BaseTransport):
    """Reads each reply to its end, unpacked, within the bound of its bytes."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        inner._pool._network_backend = _DeadlineBackend()

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        response = self._inner.handle_request(request)
        coding = response.headers.get("content-encoding", "identity").strip().lower()
        try:
            if coding not in ("", "identity", "gzip", "x-gzip"):
                msg = f"its content-encoding is {coding[:40]!r}, and gzip was asked for"
                raise httpx2.DecodingError(msg)
            content = _bounded(response.stream, most_bytes=endpoint_errors.REPLY_BYTES)
            if coding.endswith("gzip"):
                content = _unpacked(content, most_bytes=endpoint_errors.REPLY_BYTES)
        finally:
            response.close()
        headers = [(name, value) for name, value in response.headers.raw if name.lower() != b"content-encoding"]
        return httpx2.Response(response.status_code, headers=headers, content=content)

    def close(self) -> None:
        self._inner.close()


def _bounded(stream: Any, most_bytes: int) -> bytes:
    content = bytearray()
    for part in stream:
        content += part
        if len(content) > most_bytes:
            msg = "the reply is too long"
            raise ReplyTooLong(msg)
    return bytes(content)


def _unpacked(packed: bytes, most_bytes: int) -> bytes:
    inflate = zlib.decompressobj(wbits=31)
    try:
        content = inflate.decompress(packed, most_bytes)
    except zlib.error as error:
        raise httpx2.DecodingError(str(error)) from error
    if inflate.eof:
        return content
    msg = f"it is longer than {most_bytes} bytes" if inflate.unconsumed_tail else "it was cut off"
    raise httpx2.DecodingError(msg)


class _DeadlineBackend(httpcore2.SyncBackend):
    """Connections whose every read ends at the call's deadline; the library bounds each read alone."""

    def connect_tcp(self, *given: Any, **more: Any) -> httpcore2.NetworkStream:
        return _DeadlineStream(super().connect_tcp(*given, **more))


class _DeadlineStream(httpcore2.NetworkStream):
    def __init__(self, inner: httpcore2.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        left_s = CALL_ENDS_AT.get() - time.monotonic()
        if left_s <= 0:
            raise httpcore2.ReadTimeout
        return self._inner.read(max_bytes, min(left_s, math.inf if timeout is None else timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, timeout)

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        return _DeadlineStream(self._inner.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)
