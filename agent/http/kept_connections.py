"""HTTP/1.1 requests over kept connections: direct or by proxy, one deadline each, bounded replies.

One thread sends a request and reads its reply, and may send others in between. Redirects are replies like others:
following one would carry the key to another host.
"""

from __future__ import annotations

import base64
import http.client
import os
import select
import socket
import ssl
import threading
import time
import zlib
from collections import deque
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple
from urllib.parse import SplitResult, quote, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

import httptools

IDLE_S: Final = 4.0
"""Seconds to keep an idle connection: fewer than common servers, which then close it."""
REPLY_BYTES: Final = 64 * 1024 * 1024
"""The longest reply that is accepted, decompressed."""
_PORTS: Final = {"http": 80, "https": 443}


class NotConnectedError(Exception):
    """No connection was made, so that the server has done nothing; the cause is the system's error."""

    def __init__(self, text: str, *, by_proxy: bool = False) -> None:
        super().__init__(text)
        self.by_proxy = by_proxy


class UnusableUrlError(Exception):
    """The address is not a URL of HTTP, or a header is not one."""


class HttpRequest(NamedTuple):
    """A request. Its headers lack host, length and accepted encodings, which are added."""

    url: str
    headers: Iterable[tuple[bytes, bytes]]
    body: bytes
    deadline_s: float
    method: str = "POST"


class HttpReply(NamedTuple):
    """A whole reply. Names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    content: bytes


class _Route(NamedTuple):
    origin: tuple[str, str, int]
    """Scheme, host and port."""
    head: bytes
    """The first lines of every request, without the method."""
    proxy: SplitResult | None
    login: dict[str, str]
    """The header with the proxy's password."""
    kept: deque[tuple[socket.socket, float]]
    """Idle connections, with the time since when each is idle."""


class KeptConnections:
    """The connections of one client. Used from many threads at once."""

    def __init__(self, *, reply_bytes: int = REPLY_BYTES) -> None:
        """Open nothing yet. Raises `ValueError` with one line if the environment names a proxy or certificates that
        cannot be used."""
        self.reply_bytes = reply_bytes
        self._route_to = lru_cache(4096)(self._routed)
        self._kept: dict[tuple[str, str, int], deque[tuple[socket.socket, float]]] = {}
        self._proxies = {scheme: _proxy(url) for scheme, url in getproxies().items() if scheme in (*_PORTS, "all")}
        self._closing = threading.Event()
        self._certificates = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
        if any(self._certificates):
            _tls(*self._certificates)

    def send(self, request: HttpRequest) -> Exchange:
        """Send a request, over a new connection if none is idle.

        Raises `UnusableUrlError` and `NotConnectedError`, and `OSError` if the connection breaks.
        """
        route = self._route_to(request.url)
        sock = self._take(route) or self._open(route, min(request.deadline_s, 10.0))
        return Exchange(self, route, sock, request)

    def send_if_idle(self, request: HttpRequest) -> Exchange | None:
        """Send a request if a connection is idle, else return None. Raises `UnusableUrlError` and `OSError`."""
        route = self._route_to(request.url)
        sock = self._take(route)
        return None if sock is None else Exchange(self, route, sock, request)

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
        target = quote(f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}", safe="/%?=:@!$&'()*+,;~[]")
        is_relayed = proxy is not None and parts.scheme == "http"
        authority = (f"[{host}]" if ":" in host else host) + (f":{parts.port}" if parts.port else "")
        lines = [f" {f'http://{authority}' if is_relayed else ''}{target} HTTP/1.1", f"Host: {authority}"]
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

    def keep(self, route: _Route, sock: socket.socket) -> None:
        """Keep an idle connection, and close those that have idled for long."""
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
            connection = http.client.HTTPSConnection(*at, timeout=timeout_s, context=_tls(*self._certificates))
            if proxy:
                connection.set_tunnel(host, port, route.login)
        try:
            connection.connect()
        except (OSError, http.client.HTTPException, UnicodeError) as error:
            connection.close()
            text = str(error).removeprefix("Tunnel connection failed: ")
            text = f"no connection in {timeout_s:g} s" if isinstance(error, TimeoutError) else text
            raise NotConnectedError(text or type(error).__name__, by_proxy=proxy is not None) from error
        return connection.sock


class Exchange:
    """A request, sent when this object is made, and its reply. The parser calls the methods that begin with `on_`."""

    def __init__(self, connections: KeptConnections, route: _Route, sock: socket.socket, request: HttpRequest) -> None:
        self._connections = connections
        self._route = route
        self._sock = sock
        self._ends_at = time.monotonic() + request.deadline_s
        self._headers: dict[str, str] = {}
        self._body = bytearray()
        self._status = 0
        self._is_whole = self._is_reusable = self._has_head = False
        self._read_bytes = 0
        lines = [b"%b: %b" % header for header in request.headers]
        head = [request.method.encode() + route.head, *lines, b"Content-Length: %d" % len(request.body)]
        try:
            if b"\n" in b"".join(lines):
                msg = "a header holds a line break"
                raise UnusableUrlError(msg)
            _limit_wait(sock, request.deadline_s)
            sock.sendall(b"\r\n".join([*head, b"", request.body]))
        except BaseException:
            sock.close()
            raise

    def finish(self) -> HttpReply:
        """Return the whole reply. Raises `OSError`, and `ValueError` for one that is too long or cannot be decoded."""
        self._parser: Any = httptools.HttpResponseParser(self)
        now = time.monotonic()
        until = max(self._ends_at, now + 1.0)  # the thread may have been busy when the reply arrived
        try:
            while not self._is_whole:
                _limit_wait(self._sock, self._ends_at - now)  # what has arrived by the deadline is read
                self._feed(self._sock.recv(64 * 1024))
                now = time.monotonic()
                if now >= until and not self._is_whole:
                    raise TimeoutError
            content = self._unpacked()
            self._is_reusable &= "retry-after" not in self._headers  # a client that has to wait keeps no connection
        except BaseException:
            self._is_reusable = False
            raise
        finally:
            del self._parser  # it refers to this object
            if self._is_reusable:
                self._connections.keep(self._route, self._sock)
            else:
                self._sock.close()
        return HttpReply(self._status, self._headers, content)

    def _feed(self, data: bytes) -> None:
        """Parse what has arrived; nothing: the server has closed the connection."""
        self._read_bytes += len(data)
        if self._read_bytes > 256 * 1024 + (self._connections.reply_bytes if self._has_head else 0):
            raise self._too_long()
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            if not self._is_whole:
                raise ConnectionError(str(error)) from None
            self._is_reusable = False  # the server sends more after the reply
        if not data:
            self._is_reusable = False
            self._is_whole = self._has_head and not {"content-length", "transfer-encoding"} & self._headers.keys()
            if not self._is_whole:
                msg = "the server closed the connection"
                raise ConnectionResetError(msg)

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self._has_head:  # trailers are ignored
            self._headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        self._status, self._is_reusable = self._parser.get_status_code(), self._parser.should_keep_alive()
        self._has_head = self._status >= 200  # an interim reply comes before it

    def on_body(self, part: bytes) -> None:
        self._body += part

    def on_message_complete(self) -> None:
        self._is_whole = self._has_head

    def _unpacked(self) -> bytes:
        """Return the body, decompressed if it is gzip."""
        coding = self._headers.pop("content-encoding", "identity").strip().lower()
        if coding in ("", "identity"):
            return bytes(self._body)
        if coding not in ("gzip", "x-gzip"):
            msg = f"its content-encoding is {coding[:40]!r}, and gzip was requested"
            raise ValueError(msg)
        inflate = zlib.decompressobj(wbits=31)
        try:
            content = inflate.decompress(self._body, self._connections.reply_bytes)
        except zlib.error as error:
            raise ValueError(str(error)) from error
        if inflate.unconsumed_tail:
            raise self._too_long()
        if not inflate.eof:
            msg = "it was cut off"
            raise ValueError(msg)
        return content

    def _too_long(self) -> ValueError:
        return ValueError(f"it is longer than {self._connections.reply_bytes} bytes")


def _limit_wait(sock: socket.socket, left_s: float) -> None:
    """Make the next send or receive end in `left_s`, or 0.05 s later: a new time-out each time costs more."""
    held_s, left_s = sock.gettimeout(), max(left_s, 0.001)
    if held_s is None or not left_s <= held_s <= left_s + 0.05:
        sock.settimeout(left_s)


def _proxy(url: str) -> SplitResult:
    """Return a proxy's address. Raises `ValueError` without any password in its text."""
    with suppress(ValueError):
        parts = urlsplit(url if "://" in url else f"http://{url}")
        if parts.scheme == "http" and parts.hostname and parts.port != 0:
            return parts
    msg = "the proxy that HTTP_PROXY, HTTPS_PROXY or ALL_PROXY names cannot be used: it takes http://HOST:PORT"
    raise ValueError(msg) from None


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
