"""POST requests over kept HTTP/1.1 connections: direct or by proxy, one deadline each, bounded replies.

Redirects are replies like others: following one would carry the key to another host.
"""

from __future__ import annotations

import base64
import http.client
import select
import socket
import ssl
import threading
import time
import zlib
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple
from urllib.parse import SplitResult, quote, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

import httptools

CONNECT_TIMEOUT_S: Final = 10.0
IDLE_S: Final = 4.0
"""Seconds to keep an idle connection: fewer than common servers, which then close it."""
REPLY_BYTES: Final = 64 * 1024 * 1024
"""The longest reply that is accepted, decompressed."""
_PART_BYTES: Final = 64 * 1024
_HEAD_BYTES: Final = 256 * 1024
_PORTS: Final = {"http": 80, "https": 443}


class NotConnectedError(Exception):
    """No connection was made, so that the server has done nothing; the cause is the system's error."""

    def __init__(self, text: str, *, by_proxy: bool = False) -> None:
        super().__init__(text)
        self.by_proxy = by_proxy


class UnusableUrlError(Exception):
    """The address is not a URL of HTTP."""


class HttpReply(NamedTuple):
    """A whole reply. Names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    content: bytes


class _Route(NamedTuple):
    origin: tuple[str, str, int]
    """Scheme, host and port."""
    head: bytes
    """The first lines of every request."""
    proxy: SplitResult | None
    login: dict[str, str]
    """The header with the proxy's password."""
    kept: deque[tuple[socket.socket, float]]
    """Idle connections, with the time since when each is idle."""


class KeptConnections:
    """The connections of one client. Used from many threads at once."""

    def __init__(self) -> None:
        """Open nothing yet. Raises `ValueError` if the environment names a proxy that cannot be used."""
        self._route_to = lru_cache(4096)(self._routed)
        self._kept: dict[tuple[str, str, int], deque[tuple[socket.socket, float]]] = {}
        self._proxies = {scheme: _proxy(url) for scheme, url in getproxies().items() if scheme in (*_PORTS, "all")}
        self._closing = threading.Event()

    def post(self, url: str, headers: Mapping[str, str], body: bytes, deadline_s: float) -> HttpReply:
        """Return the whole reply.

        Raises `UnusableUrlError` and `NotConnectedError` for a request that was not sent; `OSError`; `ValueError`
        for a reply that is too long or cannot be decompressed.
        """
        ends_at, route = time.monotonic() + deadline_s, self._route_to(url)
        sock = self._take(route) or self._open(route, min(deadline_s, CONNECT_TIMEOUT_S))
        lines = [b"%b: %b" % (name.encode(), value.encode()) for name, value in headers.items()]
        request = b"\r\n".join([route.head, *lines, b"Content-Length: %d" % len(body), b"", body])
        reply = _Reply()
        try:
            sock.settimeout(max(ends_at - time.monotonic(), 0.001))
            sock.sendall(request)
            while not reply.is_whole:
                sock.settimeout(max(ends_at - time.monotonic(), 0.001))
                reply.feed(sock.recv(_PART_BYTES))
                if time.monotonic() >= ends_at and not reply.is_whole:
                    raise TimeoutError
            content = _unpacked(reply.headers, bytes(reply.body))
            reply.is_reusable &= "retry-after" not in reply.headers
        except BaseException:
            reply.is_reusable = False
            raise
        finally:
            reply.close()
            if reply.is_reusable:
                self._keep(route, sock)
            else:
                sock.close()
        return HttpReply(reply.status, reply.headers, content)

    def close(self) -> None:
        """Close every idle connection, and every other one after its exchange."""
        self._closing.set()
        for kept in list(self._kept.values()):
            with suppress(IndexError):
                while True:
                    kept.pop()[0].close()

    def _routed(self, url: str) -> _Route:
        try:
            parts = urlsplit(url)
            host, port = (parts.hostname or "").encode("idna").decode(), parts.port or _PORTS[parts.scheme]
        except (ValueError, KeyError):
            host = ""
        if not host:
            msg = "the URL does not begin with http:// or https:// and a host"
            raise UnusableUrlError(msg)
        proxy, login = self._proxies.get(parts.scheme, self._proxies.get("all")), {}
        if proxy and proxy_bypass(f"{host}:{port}"):
            proxy = None
        if proxy and proxy.username:
            password = base64.b64encode(unquote(f"{proxy.username}:{proxy.password or ''}").encode()).decode()
            login = {"Proxy-Authorization": f"Basic {password}"}
        origin = (parts.scheme, host, port)
        target = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~")
        is_relayed = proxy is not None and parts.scheme == "http"
        authority = (f"[{host}]" if ":" in host else host) + (f":{parts.port}" if parts.port else "")
        lines = [f"POST {f'http://{authority}' if is_relayed else ''}{target} HTTP/1.1", f"Host: {authority}"]
        lines += [f"{name}: {value}" for name, value in login.items() if is_relayed]
        head = "\r\n".join([*lines, "Accept-Encoding: gzip"]).encode()
        return _Route(origin, head, proxy, login, self._kept.setdefault(origin, deque()))

    def _take(self, route: _Route) -> socket.socket | None:
        """Return the usable connection that was used last, or None."""
        with suppress(IndexError):  # no connection is kept
            while True:
                sock, since = route.kept.pop()
                poll = select.poll()
                poll.register(sock, select.POLLIN)
                if time.monotonic() - since <= IDLE_S and not poll.poll(0):
                    return sock
                sock.close()  # the server closed it too, or sent what nobody asked for
        return None

    def _keep(self, route: _Route, sock: socket.socket) -> None:
        if self._closing.is_set():
            sock.close()
            return
        now = time.monotonic()
        route.kept.append((sock, now))
        with suppress(IndexError):  # other threads take from it meanwhile
            while now - route.kept[0][1] > IDLE_S:
                route.kept.popleft()[0].close()

    def _open(self, route: _Route, timeout_s: float) -> socket.socket:
        (scheme, host, port), proxy = route.origin, route.proxy
        at = (proxy.hostname or "", proxy.port or 80) if proxy else (host, port)
        connection = http.client.HTTPConnection(*at, timeout=timeout_s)
        if scheme == "https":
            connection = http.client.HTTPSConnection(*at, timeout=timeout_s, context=_tls())
            if proxy:
                connection.set_tunnel(host, port, route.login)
        try:
            connection.connect()
        except (OSError, http.client.HTTPException, UnicodeError) as error:
            connection.close()
            text = f"no connection in {timeout_s:g} s" if isinstance(error, TimeoutError) else str(error)
            raise NotConnectedError(text or type(error).__name__, by_proxy=proxy is not None) from error
        return connection.sock


class _Reply:
    """A reply while it arrives; the parser calls its methods whose names begin with `on_`."""

    def __init__(self) -> None:
        self.headers: dict[str, str] = {}
        self.body = bytearray()
        self.status = 0
        self.is_whole = self.is_reusable = self._has_head = False
        self._read_bytes = 0
        self._parser: Any = httptools.HttpResponseParser(self)

    def feed(self, data: bytes) -> None:
        """Take what has arrived; nothing: the server has closed the connection. Raises `OSError` and `ValueError`."""
        self._read_bytes += len(data)
        if self._read_bytes > _HEAD_BYTES + (REPLY_BYTES if self._has_head else 0):
            raise _too_long()
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            if not self.is_whole:
                raise ConnectionError(str(error)) from None
            self.is_reusable = False  # the server sends more after the reply
        if not data:
            self.is_reusable = False
            self.is_whole = self._has_head and not {"content-length", "transfer-encoding"} & self.headers.keys()
            if not self.is_whole:
                msg = "the server closed the connection"
                raise ConnectionResetError(msg)

    def close(self) -> None:
        """Drop the parser, which refers to this object."""
        del self._parser

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self._has_head:  # trailers are ignored
            self.headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        self.status, self.is_reusable = self._parser.get_status_code(), self._parser.should_keep_alive()
        self._has_head = self.status >= 200  # an interim reply comes before it

    def on_body(self, part: bytes) -> None:
        self.body += part

    def on_message_complete(self) -> None:
        self.is_whole = self._has_head


def _unpacked(headers: Mapping[str, str], body: bytes) -> bytes:
    """Return a body, decompressed if it is gzip. Raises `ValueError`."""
    coding = headers.get("content-encoding", "identity").strip().lower()
    if coding in ("", "identity"):
        return body
    if coding != "gzip":
        msg = f"its content-encoding is {coding[:40]!r}, and gzip was requested"
        raise ValueError(msg)
    inflate = zlib.decompressobj(wbits=31)
    try:
        content = inflate.decompress(body, REPLY_BYTES)
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if inflate.unconsumed_tail:
        raise _too_long()
    if not inflate.eof:
        msg = "it was cut off"
        raise ValueError(msg)
    return content


def _too_long() -> ValueError:
    return ValueError(f"it is longer than {REPLY_BYTES} bytes")


def _proxy(url: str) -> SplitResult:
    """Return a proxy's address. Raises `ValueError` without any password in its text."""
    with suppress(ValueError):
        parts = urlsplit(url if "://" in url else f"http://{url}")
        if parts.scheme == "http" and parts.hostname and parts.port != 0:
            return parts
    msg = "the proxy that HTTP_PROXY, HTTPS_PROXY or ALL_PROXY names cannot be used: it takes http://HOST:PORT"
    raise ValueError(msg) from None


@cache
def _tls() -> ssl.SSLContext:
    """Return the trusted certificates, loaded once, because that takes a while."""
    import httpx2

    return httpx2.create_ssl_context()
