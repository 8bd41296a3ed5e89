"""The HTTP client of endpoints, and what the user is told if an exchange ends without a reply.

If nothing answers at `http://127.0.0.1:8080`, the user is asked: is the server running, and is
OPENAI_BASE_URL right?
"""

from __future__ import annotations

import os
import socket
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cache
from typing import Any, Final
from urllib.request import getproxies, proxy_bypass
from weakref import WeakSet

import httpx2

from controlplane.agent.endpoint.errors import line_of
from controlplane.agent.endpoint.settings import EndpointSettings
from controlplane.agent.model import ModelError, Unconnected
from controlplane.sandbox.interface import bounds

# An HTTP client that waits for each whole reply only until a deadline.
#
# A usual client waits again for each part of a reply, so a server that sends one byte a second would
# keep it forever. Here each request has a thread of its own. If a server is so slow that even the
# operating system does not return, the thread keeps waiting, but the caller of `send` continues.
#
# If nobody wants replies any more, all connections are aborted, and no thread keeps waiting.

_MAX_EXCHANGES: Final = 2_000
"""Max requests at a time. Each trial makes one at a time."""
_LOOK_INTERVAL_S: Final = 0.1
"""Seconds between two looks whether a reply is still wanted."""
_UNUSABLE_PROXY: Final = (
    "the proxy that HTTP_PROXY, HTTPS_PROXY or ALL_PROXY names cannot be used: "
    "it takes http://HOST:PORT"
)
_TRANSFER_HEADERS: Final = frozenset(
    {b"content-encoding", b"content-length", b"transfer-encoding"}
)
"""Headers about the transferred bytes, which do not hold for the decompressed body."""


class _ReplyTooLong(httpx2.DecodingError):
    """The reply has more than `bounds.MOST_REPLY_BYTES`."""


@cache
def _certificates_of(file: str | None, folder: str | None) -> ssl.SSLContext:
    """Load the trusted certificates, which takes a while, so they are cached.

    `file` and `folder` only tell the cache when to load others: `httpx2` reads both from
    the environment. Raises `OSError` if they cannot be read.
    """
    del file, folder
    return httpx2.create_ssl_context()


class HttpClient(httpx2.Client):
    """An HTTP client whose `send` returns the whole reply, or fails at a deadline.

    Redirects are not followed, because they would carry the key to another host.
    """

    take_part: Callable[[bytes], None] | None = None
    """Gets each part of a successful reply as it arrives, so that the user sees the text grow.
    Parts don't say to which request they belong, so set it only for one at a time."""

    def __init__(self) -> None:
        """Prepare the client without connecting.

        Raises `ValueError` with one line if the environment variables name a proxy or certificates
        that cannot be used.
        """
        # Close idle connections before common servers do, so that none breaks in use.
        limits = httpx2.Limits(keepalive_expiry=bounds.IDLE_CONNECTION_S)
        try:
            certificates = _certificates_of(
                os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
            )
            super().__init__(verify=certificates, limits=limits)
        except (ValueError, ImportError, httpx2.InvalidURL):
            # The proxy's address is the only input that raises these: it has an unknown
            # protocol, is not an address, or begins with socks:// while the library for
            # it is not installed.
            raise ValueError(_UNUSABLE_PROXY) from None
        except OSError as error:
            msg = f"the certificates that SSL_CERT_FILE names cannot be used: {error.strerror}"
            raise ValueError(msg) from error
        self._threads = ThreadPoolExecutor(
            _MAX_EXCHANGES, thread_name_prefix="exchange"
        )
        self.stop = threading.Event()
        """Set when replies are no longer wanted. Then requests fail, also those in flight."""
        self._sockets = WeakSet[socket.socket]()
        """Those of the open connections."""
        self._lock = threading.Lock()
        """Protects `_sockets`."""

    def send(self, request: httpx2.Request, **_: Any) -> httpx2.Response:
        """Send a request and return the whole reply, decompressed.

        The request's read time-out is the time limit of the whole exchange. The options
        of `httpx2.Client.send` (`stream`, `auth`, `follow_redirects`) have no effect.

        Raises `httpx2.TransportError`, also if the reply is no longer wanted, or
        `httpx2.DecodingError` if the reply cannot be decoded or is too long. If no connection to a
        proxy can be made, it is `ProxyError`, so that the user is told about the proxy.
        """
        if self.stop.is_set():
            raise _unwanted(request)
        request.extensions["trace"] = self._note_connection
        limit_s = request.extensions["timeout"]["read"]
        deadline = time.monotonic() + limit_s
        exchange = self._threads.submit(self._exchange, request, deadline)
        # The thread watches the same limit, but only when a part of the reply arrives.
        # So this wait has a limit, too. It is a little longer, so that the thread can
        # report its own error first.
        while not exchange.done():
            if self.stop.is_set():
                self._abort_all()
                raise _unwanted(request)
            remaining_s = deadline + bounds.REPLY_GRACE_S - time.monotonic()
            if remaining_s <= 0:
                raise _too_late(request)
            wait([exchange], min(remaining_s, _LOOK_INTERVAL_S))
        return exchange.result()

    def _note_connection(self, event: str, details: Mapping[str, Any]) -> None:
        """Keep the socket of a new connection. The HTTP library calls this for all that it does.

        The event is `connection.connect_tcp.complete`, for example.
        """
        if not event.endswith(("connect_tcp.complete", "start_tls.complete")):
            return
        connected = details["return_value"].get_extra_info("socket")
        with self._lock:
            self._sockets.add(connected)
        if self.stop.is_set():  # `_abort_all` may have missed this one.
            self._abort_all()

    def _abort_all(self) -> None:
        """End all connections, so that no thread waits for a reply that nobody wants."""
        with self._lock:
            for connected in self._sockets:
                with suppress(OSError):  # It is closed.
                    connected.shutdown(socket.SHUT_RDWR)

    def _exchange(self, request: httpx2.Request, deadline: float) -> httpx2.Response:
        """Do what `send` does, in a thread of its own. `deadline` is of `time.monotonic`."""
        try:
            response = super().send(request, stream=True)
        except httpx2.ConnectError as error:
            proxies = getproxies()
            has_proxy = proxies.get(request.url.scheme) or proxies.get("all")
            if has_proxy and not proxy_bypass(request.url.host):
                raise httpx2.ProxyError(str(error), request=request) from error
            raise
        with closing(response):
            content = self._read_body(response, deadline)

        headers = []
        for name, value in response.headers.raw:
            if name.lower() not in _TRANSFER_HEADERS:
                headers.append((name, value))
        return httpx2.Response(
            response.status_code, headers=headers, content=content, request=request
        )

    def _read_body(self, response: httpx2.Response, deadline: float) -> bytes:
        """Return the decompressed body, read within limits of time and length."""
        request = response.request
        encoding = response.headers.get("content-encoding", "").strip().lower()
        accepted = request.headers.get("accept-encoding", "").split(", ")
        if encoding not in ("", "identity", *accepted):
            msg = f"its content-encoding is {encoding[:40]!r}, which was not asked for"
            raise httpx2.DecodingError(msg, request=request)

        # httpx2 waits this long for each part, so it is set to the time that is left. After the
        # deadline there are a few seconds more, for parts that have arrived before.
        remaining_s = deadline - time.monotonic()
        request.extensions["timeout"]["read"] = max(remaining_s, bounds.REPLY_GRACE_S)
        content = bytearray()
        for part in response.iter_bytes():
            content += part
            take_part = self.take_part  # None while a late reply still arrives
            if take_part is not None and response.status_code == 200:
                take_part(part)
            if len(content) > bounds.MOST_REPLY_BYTES:
                msg = f"it is longer than {bounds.MOST_REPLY_BYTES} bytes"
                raise _ReplyTooLong(msg, request=request)
            if time.monotonic() > deadline + bounds.REPLY_GRACE_S:
                raise _too_late(request)
        return bytes(content)

    def close(self) -> None:
        """Close the connections."""
        self._threads.shutdown(wait=False)
        super().close()


def _too_late(request: httpx2.Request) -> httpx2.ReadTimeout:
    """Return the error of a request whose reply did not arrive in time."""
    return httpx2.ReadTimeout("no whole reply in time", request=request)


def _unwanted(request: httpx2.Request) -> httpx2.ReadError:
    """Return the error of a request whose reply nobody wants any more."""
    return httpx2.ReadError("the reply is no longer wanted", request=request)


# What broke if an exchange ended without a reply, and what the user can do about it:
#
#     the model endpoint http://127.0.0.1:8080 cannot be reached (Connection refused); is the server
#     running, and is OPENAI_BASE_URL right?


@dataclass(frozen=True, slots=True)
class _Breakage:
    """What broke in an exchange with an endpoint."""

    causes: tuple[type[BaseException], ...]
    """Exceptions of the HTTP client, or of the operating system."""
    text: str
    """What happened, to follow the endpoint's name. `{reason}` stands for the exception's text."""
    remedy: str
    """What the user can do or check."""
    retryable: bool = True
    """True if the fault may pass, so that the same request is retried."""
    error_class: type[ModelError] = ModelError
    """The exception that tells it."""


_BREAKAGES: Final = (
    # The special cases come first: a `ConnectTimeout` is also a `TimeoutException`, and a host name
    # that is not found gives a `ConnectError`, too. The last one fits all.
    _Breakage(
        (_ReplyTooLong,), "sent more than {most_mib} MiB", "is OPENAI_BASE_URL right?"
    ),
    _Breakage(
        (httpx2.ConnectTimeout,),
        "cannot be reached (no connection in time)",
        "is the server up, and is OPENAI_BASE_URL right?",
        error_class=Unconnected,
    ),
    _Breakage(
        (httpx2.TimeoutException,),
        "did not answer within {timeout_s:g} s",
        "a slow model needs a longer --model-timeout",
    ),
    _Breakage(
        (httpx2.UnsupportedProtocol, httpx2.LocalProtocolError, httpx2.InvalidURL),
        "is not an address",
        "set OPENAI_BASE_URL to one that begins with https://",
        retryable=False,
    ),
    _Breakage(
        (ssl.SSLCertVerificationError,),
        "has a certificate that is not trusted ({reason})",
        "set SSL_CERT_FILE to its authority's certificate",
        retryable=False,
    ),
    _Breakage(
        (ssl.SSLError,),
        "does not speak TLS there ({reason})",
        "should OPENAI_BASE_URL begin with http://?",
        retryable=False,
    ),
    _Breakage(
        (httpx2.ProxyError,),
        "cannot be reached through the proxy ({reason})",
        "fix HTTPS_PROXY, or name the endpoint's host in NO_PROXY",
        error_class=Unconnected,
    ),
    _Breakage(
        (socket.gaierror,),
        "has a host name that is not found ({reason})",
        "is OPENAI_BASE_URL right, and is the network up?",
        error_class=Unconnected,
    ),
    _Breakage(
        (httpx2.ConnectError,),
        "cannot be reached ({reason})",
        "is the server running, and is OPENAI_BASE_URL right?",
        error_class=Unconnected,
    ),
    _Breakage((Exception,), "broke off ({reason})", "is the server still running?"),
)


def connection_error(
    error: Exception,
    settings: EndpointSettings,
    began_at: float,
    last_reply_at: float | None,
) -> ModelError:
    """Return the error of an exchange that ended without a reply, with a message of one line.

    `error` was raised by OpenAI's library, and says nothing but "Connection error." Its causes,
    from the outermost to the innermost, say more:

        openai.APIConnectionError    raised by OpenAI's library
        httpx2.ConnectError          raised by the HTTP client that it uses
        ConnectionRefusedError       raised by the operating system: `Connection refused`

    `began_at` is when the request was sent, and `last_reply_at` when any trial got a reply last, by
    `time.monotonic`; None if none has got one.
    """
    causes: list[BaseException] = [error]
    cause = error.__cause__ or error.__context__
    while cause is not None:
        causes.append(cause)
        cause = cause.__cause__ or cause.__context__
    shown = causes[-1]
    for cause in reversed(causes):
        # What the operating system says does not mention a proxy.
        if isinstance(cause, OSError | httpx2.ProxyError):
            shown = cause
    reason = str(shown).strip() or type(shown).__name__
    for breakage in _BREAKAGES:
        if any(isinstance(cause, breakage.causes) for cause in causes):
            break
    text = breakage.text.format(
        # It may quote a line of the server, which may be long, or have the key.
        reason=line_of(settings.without_secrets(reason)),
        timeout_s=settings.timeout_s,
        most_mib=bounds.MOST_REPLY_BYTES // 2**20,
    )

    # All trials meet the error, because they all use this endpoint, as far as is known.
    affects_all = True
    if httpx2.TimeoutException in breakage.causes:
        # If another trial has got a reply meanwhile, this conversation takes too long.
        affects_all = last_reply_at is None or last_reply_at <= began_at
    elif _ReplyTooLong in breakage.causes:
        # What has replied before is the endpoint of a model, and no address of large files.
        affects_all = last_reply_at is None
    message = f"{settings.shown_name} {text}; {breakage.remedy}"
    return breakage.error_class(
        message, retryable=breakage.retryable, affects_all=affects_all
    )
