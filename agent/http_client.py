"""A plain `httpx2` client, whose exchanges also end at a deadline and within a bound of bytes.

Redirects are replies like others: following one would carry the key to another host.
"""

from __future__ import annotations

import os
import socket
import ssl
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, Final
from urllib.request import getproxies, proxy_bypass

import httpx2

from agent.model.model_protocol import ModelError

REPLY_BYTES: Final = 32 * 1024 * 1024
"""Max bytes of a reply, decompressed."""
GRACE_S: Final = 0.5
"""Seconds beyond its deadline in which a reply is still read, since threads may have been busy when it arrived."""
_OF_THE_WIRE: Final = frozenset({b"content-encoding", b"content-length", b"transfer-encoding"})
"""Headers that are not true of a decompressed reply."""


_BROKEN: Final[tuple[tuple[type[Exception], bool, str], ...]] = (
    # What happened, whether it may pass, and what to do.
    (httpx2.ConnectTimeout, True, "cannot be reached (no connection in time); is the server up, and {address}?"),
    (httpx2.TimeoutException, True, "did not answer within {limit:g} s; a slow model needs a longer --model-timeout"),
    (httpx2.UnsupportedProtocol, False, "is not an address; set OPENAI_BASE_URL to one that begins with https://"),
    (httpx2.LocalProtocolError, False, "is not an address; set OPENAI_BASE_URL to one that begins with https://"),
    (httpx2.InvalidURL, False, "is not an address; set OPENAI_BASE_URL to one that begins with https://"),
    (ssl.SSLCertVerificationError, False, "has a certificate that is not trusted ({text}); {certificates}"),
    (ssl.SSLError, False, "does not speak TLS there ({text}); should OPENAI_BASE_URL begin with http://?"),
    (httpx2.ProxyError, True, "cannot be reached through the proxy ({text}); {proxy}"),
    (socket.gaierror, True, "has a host name that is not found ({text}); {address}, and is the network up?"),
    (httpx2.ConnectError, True, "cannot be reached ({text}); is the server running, and {address}?"),
    (Exception, True, "broke off ({text}); is the server still running?"),
)
_REMEDIES: Final = {
    "address": "is OPENAI_BASE_URL right",
    "certificates": "set SSL_CERT_FILE to its authority's certificate",
    "proxy": "fix HTTPS_PROXY, or name the endpoint's host in NO_PROXY",
}


class BoundedClient(httpx2.Client):
    """Makes exchanges on threads of its own: a server that is too slow keeps such a thread, and nobody waits for it."""

    def __init__(self, *, exchanges: int) -> None:
        """`exchanges` is the most at a time. Opens nothing yet.

        Raises `ValueError` with one line if the environment names a proxy or certificates that cannot be used.
        """
        try:
            trusted = _trusted(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))
            # Seconds to keep an idle connection: fewer than common servers, which then close it.
            super().__init__(verify=trusted, limits=httpx2.Limits(keepalive_expiry=4.0))
        except (ValueError, ImportError, httpx2.InvalidURL):
            msg = "the proxy that HTTP_PROXY, HTTPS_PROXY or ALL_PROXY names cannot be used: it takes http://HOST:PORT"
            raise ValueError(msg) from None
        except OSError as error:
            msg = f"the certificates that SSL_CERT_FILE names cannot be used: {error.strerror}"
            raise ValueError(msg) from error
        self.on_part: Callable[[bytes], None] | None = None
        """Gets each part of a reply with status 200 as it arrives; for a client that makes one exchange at a time."""
        self._threads = ThreadPoolExecutor(exchanges, thread_name_prefix="exchange")

    def send(self, request: httpx2.Request, **_: Any) -> httpx2.Response:
        """Send a request and return the whole reply, decompressed.

        The request's time-out for reading is the deadline of the whole exchange. Raises `httpx2.TransportError`, and
        `httpx2.DecodingError` also for a reply that is too long.
        """
        deadline_s = request.extensions["timeout"]["read"]
        exchange = self._threads.submit(self._exchange, request)
        try:
            return exchange.result(deadline_s + GRACE_S)
        except TimeoutError:
            raise _too_late(request) from None

    def close(self) -> None:
        """Close the connections."""
        self._threads.shutdown(wait=False)
        super().close()

    def _exchange(self, request: httpx2.Request) -> httpx2.Response:
        ends_at = time.monotonic() + request.extensions["timeout"]["read"]
        try:
            response = super().send(request, stream=True)
            try:
                content = self._content(response, ends_at)
            finally:
                response.close()
        except httpx2.ConnectError as error:
            if _is_by_proxy(request.url):
                raise httpx2.ProxyError(str(error), request=request) from error
            raise
        headers = [header for header in response.headers.raw if header[0].lower() not in _OF_THE_WIRE]
        return httpx2.Response(response.status_code, headers=headers, content=content, request=request)

    def _content(self, response: httpx2.Response, ends_at: float) -> bytes:
        coding = response.headers.get("content-encoding", "identity").strip().lower()
        accepted = f"identity, {response.request.headers.get('accept-encoding', '')}".split(", ")
        if coding and coding not in accepted:
            msg = f"its content-encoding is {coding[:40]!r}, which was not asked for"
            raise httpx2.DecodingError(msg, request=response.request)
        content = bytearray()
        response.request.extensions["timeout"]["read"] = max(ends_at - time.monotonic(), GRACE_S)
        for part in response.iter_bytes():
            content += part
            if self.on_part is not None and response.status_code == 200:
                self.on_part(part)
            if len(content) > REPLY_BYTES:
                msg = f"it is longer than {REPLY_BYTES} bytes"
                raise httpx2.DecodingError(msg, request=response.request)
            if time.monotonic() > ends_at + GRACE_S:
                raise _too_late(response.request)
        return bytes(content)


def _too_late(request: httpx2.Request) -> httpx2.ReadTimeout:
    return httpx2.ReadTimeout("no whole reply in time", request=request)


@cache
def _trusted(*certificates: str | None) -> ssl.SSLContext:
    """Return the trusted certificates, loaded once per environment, because that takes a while. Raises `OSError`."""
    del certificates
    return httpx2.create_ssl_context()


def _is_by_proxy(url: httpx2.URL) -> bool:
    proxies = getproxies()
    return bool(proxies.get(url.scheme) or proxies.get("all")) and not proxy_bypass(url.host)


def connection_error(error: Exception, *, where: str, timeout_s: float, clean: Callable[[str], str]) -> ModelError:
    """Return an error of one line: what broke and what to do. `clean` removes secrets from the system's text."""
    causes: list[BaseException] = []
    each: BaseException | None = error
    while each is not None:
        causes.append(each)
        each = each.__cause__ or each.__context__
    cause = next((each for each in causes if isinstance(each, OSError)), None) or causes[-1]
    fault = next((each for each in causes if isinstance(each, httpx2.HTTPError | httpx2.InvalidURL)), error)
    _, may_pass, said = next(row for row in _BROKEN if isinstance(fault, row[0]) or isinstance(cause, row[0]))
    if "longer than" in str(fault):
        may_pass, said = True, f"sent more than {REPLY_BYTES // 2**20} MiB; {{address}}?"
    shown = str(fault if isinstance(fault, httpx2.ProxyError) else cause)
    text = clean(" ".join(shown.split())) or type(cause).__name__
    said = said.format(text=text, limit=timeout_s, **_REMEDIES)
    return ModelError(f"{where} {said}", retryable=may_pass, affects_all=True)
