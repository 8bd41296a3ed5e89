"""A stock `httpx2` client, whose exchanges also end at a deadline and within a bound of bytes.

Redirects are replies like others: following one would carry the key to another host.
"""

from __future__ import annotations

import os
import ssl
import time
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import Any, Final
from urllib.request import getproxies, proxy_bypass

import httpx2

IDLE_S: Final = 4.0
"""Seconds to keep an idle connection: fewer than common servers, which then close it."""
CONNECT_S: Final = 10.0
"""Seconds in which a connection is made."""
GRACE_S: Final = 0.5
"""Seconds beyond its deadline in which a reply is still read, since threads may have been busy when it arrived."""


class BoundedClient(httpx2.Client):
    """Makes exchanges on threads of its own, which are left alone with a server that is too slow."""

    def __init__(self, *, reply_bytes: int, exchanges: int) -> None:
        """`exchanges` is the most at a time, and `reply_bytes` the longest reply, decompressed. Opens nothing yet.

        Raises `ValueError` with one line if the environment names a proxy or certificates that cannot be used.
        """
        try:
            limits = httpx2.Limits(max_keepalive_connections=exchanges, keepalive_expiry=IDLE_S)
            super().__init__(verify=_trusted(*map(os.environ.get, ("SSL_CERT_FILE", "SSL_CERT_DIR"))), limits=limits)
        except (ValueError, ImportError, httpx2.InvalidURL):
            msg = "the proxy that HTTP_PROXY, HTTPS_PROXY or ALL_PROXY names cannot be used: it takes http://HOST:PORT"
            raise ValueError(msg) from None
        except OSError as error:
            msg = f"the certificates that SSL_CERT_FILE names cannot be used: {error.strerror}"
            raise ValueError(msg) from error
        self._reply_bytes = reply_bytes
        self._exchanges = ThreadPoolExecutor(exchanges, thread_name_prefix="exchange")

    def begin(self, request: httpx2.Request) -> Future[httpx2.Response]:
        """Send a request beside others; its time-out for reading is the deadline of the whole exchange.

        The result is the whole reply, decompressed. It raises `httpx2.TransportError` and `httpx2.DecodingError`, the
        latter also for a reply that is too long. Raises `RuntimeError` if the client was closed.
        """
        return self._exchanges.submit(self._exchange, request)

    def send(self, request: httpx2.Request, **_: Any) -> httpx2.Response:
        """Send a request, and return the whole reply as `begin` does."""
        try:
            return self.begin(request).result(request.extensions["timeout"]["read"] + GRACE_S)
        except TimeoutError:
            msg = "no whole reply in time"
            raise httpx2.ReadTimeout(msg, request=request) from None

    def close(self) -> None:
        """Close the connections, and every other one after its exchange."""
        self._exchanges.shutdown(wait=False, cancel_futures=True)
        super().close()

    def _exchange(self, request: httpx2.Request) -> httpx2.Response:
        timeouts = request.extensions["timeout"]
        ends_at = time.monotonic() + timeouts["read"]
        try:
            response = super().send(request, stream=True)
        except httpx2.ConnectError as error:
            if _is_by_proxy(request.url):
                raise httpx2.ProxyError(str(error), request=request) from error
            raise
        try:
            coding = response.headers.get("content-encoding", "").strip().lower()
            if coding not in f"identity, {request.headers.get('accept-encoding', '')}".split(", ") and coding:
                msg = f"its content-encoding is {coding[:40]!r}, which was not asked for"
                raise httpx2.DecodingError(msg, request=request)
            content = bytearray()
            timeouts["read"] = max(ends_at - time.monotonic(), GRACE_S)
            for part in response.iter_bytes():
                content += part
                if len(content) > self._reply_bytes:
                    msg = f"it is longer than {self._reply_bytes} bytes"
                    raise httpx2.DecodingError(msg, request=request)
                if time.monotonic() > ends_at + GRACE_S:
                    msg = "no whole reply in time"
                    raise httpx2.ReadTimeout(msg, request=request)
        finally:
            response.close()
        encoding = (b"content-encoding", b"content-length", b"transfer-encoding")
        headers = [header for header in response.headers.raw if header[0].lower() not in encoding]
        return httpx2.Response(response.status_code, headers=headers, content=bytes(content), request=request)


@cache
def _trusted(*certificates: str | None) -> ssl.SSLContext:
    """Return the trusted certificates, loaded once per environment, because that takes a while. Raises `OSError`."""
    del certificates
    return httpx2.create_ssl_context()


def _is_by_proxy(url: httpx2.URL) -> bool:
    proxies = getproxies()
    return bool(proxies.get(url.scheme) or proxies.get("all")) and not proxy_bypass(url.host)
