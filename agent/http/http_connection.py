"""POST requests over kept HTTP/1.1 connections, direct or through the environment's proxies.

An exchange has one deadline, a bounded reply, and a failure that says whether the request may have reached the server.
One thread begins and finishes an exchange, and may begin others in between.
"""

from __future__ import annotations

import base64
import os
import select
import socket
import ssl
import time
import zlib
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import cache, lru_cache
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Final, Literal, NamedTuple
from urllib.parse import SplitResult, quote, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

import httptools

from agent.retry import retry_after_s

CONNECT_TIMEOUT_S: Final = 10.0
"""Max seconds to open a connection, if the exchange's deadline is not earlier."""
SHORTEST_SECRET: Final = 6
"""Min characters of a secret: a shorter key is a placeholder, and removing it would garble texts."""
_PART_BYTES: Final = 64 * 1024
_HEAD_BYTES: Final = 256 * 1024
_LATE_S: Final = 1.0
"""Seconds that reading may take, beyond the deadline, of a reply whose thread was busy when it arrived."""
_FAILURES: Final = (OSError, HTTPException, UnicodeError, httptools.HttpParserError, httptools.HttpParserUpgrade)
_LATE: Final = (TimeoutError, BlockingIOError, ssl.SSLWantReadError)
Fault = Literal["bad request", "not connected", "no proxy", "connect timed out", "timed out", "lost", "too long"]


class HttpError(Exception):
    """An exchange failed. The text never holds the request; the cause is the system's error."""

    def __init__(self, *, fault: Fault, text: str, may_have_happened: bool = False) -> None:
        super().__init__(text)
        self.fault = fault
        self.may_have_happened = may_have_happened
        """True if the whole request was sent, so that the server may have acted on it."""


class HttpReply(NamedTuple):
    """A whole reply. Names of headers are in lower case, and the body is as it was sent."""

    status: int
    headers: dict[str, str]
    body: bytes
    retry_after_s: float | None

    def unpacked(self, most_bytes: int) -> bytes:
        """Return the body, unpacked if it came as gzip. Raises `ValueError` that says what is wrong with it."""
        coding = self.headers.get("content-encoding", "identity").strip().lower()
        if coding in ("", "identity"):
            return self.body
        fault = f"its content-encoding is {coding[:40]!r}, and gzip was asked for"
        if coding in ("gzip", "x-gzip"):
            inflate = zlib.decompressobj(wbits=31)
            try:
                content = inflate.decompress(self.body, most_bytes)
            except zlib.error as error:
                raise ValueError(str(error)) from error
            if inflate.eof:
                return content
            fault = f"it is longer than {most_bytes} bytes" if inflate.unconsumed_tail else "it was cut off"
        raise ValueError(fault)


class _Route(NamedTuple):
    origin: tuple[str, str, int]
    """Scheme, host and port."""
    proxy: SplitResult | None
    login: dict[str, str]
    """The header with the proxy's password."""
    start: bytes
    """The first lines of every request."""
    kept: deque[tuple[socket.socket, float]]
    """The idle connections to the server, with the time at which each became idle."""


class HttpConnections:
    """The connections of one client, and how it opens them. Used from many threads at once."""

    def __init__(self, *, idle_s: float, reply_bytes: int) -> None:
        """Keep idle connections for `idle_s`, and read replies whose body is at most `reply_bytes`.

        Raises `ValueError` with one line if the environment names a proxy or certificates that cannot be used.
        """
        self.reply_bytes = reply_bytes
        self.opener = ThreadPoolExecutor(64, thread_name_prefix="connection")
        self._idle_s = idle_s
        self._proxies = _proxies()
        self.route_to = lru_cache(4096)(self._route_to)
        self._kept: dict[tuple[str, str, int], deque[tuple[socket.socket, float]]] = {}
        self._certificates = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
        if any(self._certificates):
            _tls(*self._certificates)

    def take(self, route: _Route) -> socket.socket | None:
        """Return the usable connection that was used last, or None."""
        with suppress(IndexError):  # no connection is kept
            while True:
                sock, since = route.kept.pop()
                poll = select.poll()
                poll.register(sock, select.POLLIN)
                if time.monotonic() - since <= self._idle_s and not poll.poll(0):
                    return sock
                sock.close()  # the server closed it too, or sent what nobody asked for
        return None

    def keep(self, route: _Route, sock: socket.socket) -> None:
        """Keep an idle connection, and close those that have idled for long."""
        now = time.monotonic()
        route.kept.append((sock, now))
        with suppress(IndexError):  # other threads take from it meanwhile
            while now - route.kept[0][1] > self._idle_s:
                route.kept.popleft()[0].close()

    def open(self, route: _Route, timeout_s: float) -> socket.socket:
        """Return a new connection. Raises one of `_FAILURES`."""
        (scheme, host, port), proxy = route.origin, route.proxy
        at = (proxy.hostname or "", proxy.port or 80) if proxy else (host, port)
        if scheme == "http":
            opened = HTTPConnection(*at, timeout=timeout_s)
        else:
            opened = HTTPSConnection(*at, timeout=timeout_s, context=_tls(*self._certificates))
            if proxy:
                opened.set_tunnel(host, port, route.login)
        try:
            opened.connect()
        except BaseException:
            opened.close()
            raise
        return opened.sock

    def _route_to(self, url: str) -> _Route:
        """Return the route to a URL. Raises `HttpError` if it is not a URL of HTTP."""
        try:
            parts = urlsplit(url)
            port = parts.port or {"http": 80, "https": 443}[parts.scheme]
            host = (parts.hostname or "").encode("idna").decode()
        except (ValueError, KeyError):
            host = ""
        if not host:
            raise HttpError(fault="bad request", text="the URL does not begin with http:// or https:// and a host")
        proxy, login = self._proxies.get(parts.scheme, self._proxies.get("all")), {}
        if proxy and proxy_bypass(f"{host}:{port}"):
            proxy = None
        if proxy and proxy.username:
            password = base64.b64encode(unquote(f"{proxy.username}:{proxy.password or ''}").encode()).decode()
            login = {"Proxy-Authorization": f"Basic {password}"}
        authority = (f"[{host}]" if ":" in host else host) + (f":{parts.port}" if parts.port else "")
        path = quote(f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}", safe="/%?=&:;@!$'()*+,~[]")
        is_relayed = proxy is not None and parts.scheme == "http"
        start = [f"POST {f'http://{authority}' if is_relayed else ''}{path} HTTP/1.1", f"Host: {authority}"]
        start += [f"{name}: {value}" for name, value in login.items() if is_relayed]
        origin = (parts.scheme, host, port)
        return _Route(origin, proxy, login, "\r\n".join(start).encode(), self._kept.setdefault(origin, deque()))

    def close(self) -> None:
        """Close every idle connection, and every other one after its exchange."""
        self._idle_s = -1.0
        for kept in list(self._kept.values()):
            with suppress(IndexError):
                while True:
                    kept.pop()[0].close()


@dataclass(eq=False)
class Exchange:
    """A request, sent when this object is made, and its reply. A thread opens a connection for it if none is kept."""

    connections: HttpConnections
    url: str
    headers: Sequence[tuple[bytes, bytes]]
    """Without length and host, which are added."""
    body: bytes
    deadline_s: float
    is_repeatable: bool = False
    """Allows a second request if a kept connection ends without a reply."""
    sending: AbstractContextManager[object] = field(default_factory=nullcontext)
    """Entered around the first bytes; an exception from it stops the request."""

    def __post_init__(self) -> None:
        """Send the request. Raises `HttpError`, and the exception that stopped the request."""
        self._ends_at = time.monotonic() + self.deadline_s
        self._route = route = self.connections.route_to(self.url)
        lines = [b"%b: %b" % header for header in self.headers]
        if b"\n" in b"".join(lines):
            raise HttpError(fault="bad request", text="a header holds a line break")
        self._request = b"\r\n".join([route.start, *lines, b"Content-Length: %d" % len(self.body), b"", self.body])
        self._body, self._read_bytes = bytearray(), 0
        self._is_connected = self._is_sent = self._has_head = self._is_whole = False
        kept = self.connections.take(route)
        self._is_kept = kept is not None
        try:
            self._sent_on = self._sent(kept) if kept else self.connections.opener.submit(self._sent_on_new)
        except _FAILURES as error:
            raise self._failure(error) from error

    def finish(self) -> HttpReply:
        """Return the whole reply. Raises `HttpError`, and the exception that stopped the request."""
        try:
            return self._reply()
        except _FAILURES as error:
            # The server may have closed a kept connection unasked; whether it saw the request is not known.
            is_safe = self._is_kept and not self._read_bytes and (self.is_repeatable or not self._is_sent)
            if isinstance(error, _LATE) or not is_safe:
                raise self._failure(error) from error
        self._is_kept = self._is_connected = self._is_sent = False
        self._sent_on = self.connections.opener.submit(self._sent_on_new)
        return self.finish()

    def _sent_on_new(self) -> socket.socket:
        left_s = max(self._ends_at - time.monotonic(), 0.001)
        return self._sent(self.connections.open(self._route, min(left_s, CONNECT_TIMEOUT_S)))

    def _sent(self, sock: socket.socket) -> socket.socket:
        """Send the request. A server may refuse it before it has taken all; then its reply says why."""
        self._is_connected = True
        left = memoryview(self._request)
        try:
            with suppress(ConnectionError, ssl.SSLEOFError, ssl.SSLZeroReturnError):
                while left:
                    if (left_s := self._ends_at - time.monotonic()) <= 0:
                        raise TimeoutError
                    sock.settimeout(left_s)
                    with self.sending if len(left) == len(self._request) else nullcontext():
                        left = left[sock.send(left[:_PART_BYTES]) :]
                self._is_sent = True
        except BaseException:
            sock.close()
            raise
        return sock

    def _reply(self) -> HttpReply:
        sock, reply = self._sent_on, None
        if isinstance(sock, Future):
            # Its thread notices the deadline within a moment, unless it waits for a host's address.
            sock = sock.result(max(self._ends_at - time.monotonic(), 0.0) + 0.2)
        self._parser = httptools.HttpResponseParser(self)
        until = max(self._ends_at, time.monotonic() + _LATE_S)
        try:
            while not self._is_whole:
                if (now := time.monotonic()) > until:
                    raise TimeoutError
                sock.settimeout(max(self._ends_at - now, 0.0))  # what has arrived by the deadline is read
                self._take(sock.recv(_PART_BYTES))
            reply = HttpReply(self._status, self._headers, bytes(self._body), retry_after_s(self._headers))
        finally:
            del self._parser  # it refers to this object
            if reply and self._is_reusable and not reply.retry_after_s:  # a client that has to wait keeps no connection
                self.connections.keep(self._route, sock)
            else:
                sock.close()
        return reply

    def _take(self, data: bytes) -> None:
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError:
            if not self._is_whole:
                raise
            self._is_reusable = False  # the server sends more after the reply
        if not data:
            self._is_whole = self._has_head and not {"content-length", "transfer-encoding"} & self._headers.keys()
            if not self._is_whole:
                msg = "the server closed the connection"
                raise ConnectionResetError(msg)
        self._read_bytes += len(data)
        if self._read_bytes > _HEAD_BYTES + (self.connections.reply_bytes if self._has_head else 0):
            raise HttpError(fault="too long", text="the reply is too long", may_have_happened=True)

    def _failure(self, error: Exception) -> HttpError:
        late: Fault = "timed out" if self._is_connected else "connect timed out"
        unreached: Fault = "no proxy" if self._route.proxy else "not connected"
        fault = late if isinstance(error, _LATE) else "lost" if self._is_connected else unreached
        return HttpError(fault=fault, text=str(error) or type(error).__name__, may_have_happened=self._is_sent)

    # The parser calls these.

    def on_message_begin(self) -> None:
        if self._is_whole:
            raise ValueError  # nobody asked for a second reply
        self._headers: dict[str, str] = {}

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self._has_head:  # trailers are ignored
            key, text = name.decode("latin-1").lower(), value.decode("latin-1")
            self._headers[key] = f"{self._headers[key]}, {text}" if key in self._headers else text

    def on_headers_complete(self) -> None:
        self._status, self._is_reusable = self._parser.get_status_code(), self._parser.should_keep_alive()
        self._has_head = self._status >= 200  # an interim reply comes before it

    def on_body(self, part: bytes) -> None:
        self._body += part

    def on_message_complete(self) -> None:
        self._is_whole = self._has_head


def _proxies() -> dict[str, SplitResult]:
    """Return the environment's proxies by scheme, or `all`. Raises `ValueError` without any password in its text."""
    named = {scheme: at for scheme, at in getproxies().items() if at and scheme in ("http", "https", "all")}
    with suppress(ValueError):
        proxies = {scheme: urlsplit(at if "://" in at else f"http://{at}") for scheme, at in named.items()}
        if all(proxy.scheme == "http" and proxy.hostname and proxy.port != 0 for proxy in proxies.values()):
            return proxies
    msg = "the proxy that HTTP_PROXY, HTTPS_PROXY or ALL_PROXY names cannot be used: it takes http://HOST:PORT"
    raise ValueError(msg)


@cache
def _tls(*certificates: str | None) -> ssl.SSLContext:
    """Return the trusted certificates, loaded once per environment, because that takes a while. Raises `ValueError`."""
    del certificates
    import httpx2

    try:
        return httpx2.create_ssl_context()
    except OSError as error:
        msg = f"the certificates that SSL_CERT_FILE names cannot be used: {error.strerror}"
        raise ValueError(msg) from error
