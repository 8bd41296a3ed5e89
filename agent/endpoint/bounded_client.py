"""An HTTP client that limits the time and the bytes of each exchange: a request and its reply.

The time-outs of `httpx2` start again with each byte, so a server that sends one byte a
second would block a trial forever. `BoundedClient` runs each exchange on a separate
thread, and stops waiting for it at a deadline. It does not follow redirects, because
they would carry the key to another host.
"""

from __future__ import annotations

import os
import ssl
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, Final
from urllib.request import getproxies, proxy_bypass

import httpx2

from controlplane.sandbox.interface import bounds

TRANSFER_HEADERS: Final = frozenset(
    {b"content-encoding", b"content-length", b"transfer-encoding"}
)
"""Headers about the transferred bytes, which do not hold for the decompressed reply."""

UNUSABLE_PROXY: Final = (
    "the proxy that HTTP_PROXY, HTTPS_PROXY or ALL_PROXY names cannot be used: "
    "it takes http://HOST:PORT"
)


class ReplyTooLong(httpx2.DecodingError):
    """The reply has more than `bounds.MOST_REPLY_BYTES`."""


class BoundedClient(httpx2.Client):
    """A client whose `send` returns the whole reply, or fails at a deadline.

    If a server is too slow, the thread of the exchange keeps waiting, but the caller of
    `send` continues.
    """

    def __init__(self, *, exchanges: int) -> None:
        """Prepare the client without connecting.

        `exchanges` is how many can run at a time.

        Raises `ValueError` with one line if the environment variables name a proxy or
        certificates that cannot be used.
        """
        try:
            certificates = trusted_certificates(
                os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
            )
            # Close idle connections before common servers do, so that none breaks in use.
            limits = httpx2.Limits(keepalive_expiry=bounds.IDLE_CONNECTION_S)
            super().__init__(verify=certificates, limits=limits)
        except (ValueError, ImportError, httpx2.InvalidURL):
            # The proxy's address is the only input that raises these: it has an unknown
            # protocol, is not an address, or begins with socks:// while the library for
            # it is not installed.
            raise ValueError(UNUSABLE_PROXY) from None
        except OSError as error:
            msg = f"the certificates that SSL_CERT_FILE names cannot be used: {error.strerror}"
            raise ValueError(msg) from error
        self.on_part: Callable[[bytes], None] | None = None
        """Gets each part of a successful reply as it arrives.

        Parts don't say to which exchange they belong, so set it only for one at a time.
        """
        self._threads = ThreadPoolExecutor(exchanges, thread_name_prefix="exchange")

    def send(self, request: httpx2.Request, **_: Any) -> httpx2.Response:
        """Send a request and return the whole reply, decompressed.

        The request's read time-out is the time limit of the whole exchange. The options
        of `httpx2.Client.send` (`stream`, `auth`, `follow_redirects`) have no effect.

        Raises `httpx2.TransportError`, or `httpx2.DecodingError` if the reply cannot be
        decoded or is too long.
        """
        limit_s = request.extensions["timeout"]["read"]
        exchange = self._threads.submit(self._exchange, request)
        # The thread watches the same limit, but only when a part of the reply arrives.
        # So this wait has a limit, too. It is a little longer, so that the thread can
        # report its own error first.
        try:
            return exchange.result(limit_s + bounds.REPLY_GRACE_S)
        except TimeoutError:
            raise _too_late(request) from None

    def _exchange(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request and return the whole reply. This runs on the thread of the exchange."""
        deadline = time.monotonic() + request.extensions["timeout"]["read"]
        try:
            response = super().send(request, stream=True)
        except httpx2.ConnectError as error:
            if _uses_proxy(request.url):
                raise httpx2.ProxyError(str(error), request=request) from error
            raise
        try:
            content = self._read_content(response, deadline)
        finally:
            response.close()

        headers = []
        for name, value in response.headers.raw:
            if name.lower() not in TRANSFER_HEADERS:
                headers.append((name, value))
        return httpx2.Response(
            response.status_code, headers=headers, content=content, request=request
        )

    def _read_content(self, response: httpx2.Response, deadline: float) -> bytes:
        """Return the decompressed body. `deadline` is a moment of `time.monotonic`."""
        request = response.request
        encoding = response.headers.get("content-encoding", "identity").strip().lower()
        accepted = request.headers.get("accept-encoding", "").split(", ")
        if encoding and encoding != "identity" and encoding not in accepted:
            msg = f"its content-encoding is {encoding[:40]!r}, which was not asked for"
            raise httpx2.DecodingError(msg, request=request)

        # httpx2 starts this time-out anew for each part, so it is set to the time that is left.
        remaining_s = deadline - time.monotonic()
        request.extensions["timeout"]["read"] = max(remaining_s, bounds.REPLY_GRACE_S)
        content = bytearray()
        for part in response.iter_bytes():
            content += part
            if self.on_part is not None and response.status_code == 200:
                self.on_part(part)
            if len(content) > bounds.MOST_REPLY_BYTES:
                msg = f"it is longer than {bounds.MOST_REPLY_BYTES} bytes"
                raise ReplyTooLong(msg, request=request)
            if time.monotonic() > deadline + bounds.REPLY_GRACE_S:
                raise _too_late(request)
        return bytes(content)

    def close(self) -> None:
        """Close the connections."""
        self._threads.shutdown(wait=False)
        super().close()


def _too_late(request: httpx2.Request) -> httpx2.ReadTimeout:
    return httpx2.ReadTimeout("no whole reply in time", request=request)


@cache
def trusted_certificates(file: str | None, folder: str | None) -> ssl.SSLContext:
    """Return the trusted certificates. Raises `OSError` if they cannot be read.

    They take a while to load, so they are cached. `file` and `folder` only tell the
    cache when to load others: `httpx2` reads both from the environment.
    """
    del file, folder
    return httpx2.create_ssl_context()


def _uses_proxy(url: httpx2.URL) -> bool:
    """Return True if the environment variables name a proxy for this address."""
    proxies = getproxies()
    has_proxy = bool(proxies.get(url.scheme) or proxies.get("all"))
    return has_proxy and not proxy_bypass(url.host)
