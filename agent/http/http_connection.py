"""POST requests over kept HTTP/1.1 connections, direct or through the environment's proxies.

An exchange has one deadline, a bounded reply, and a failure that says whether the request may have reached the server.
It is begun and finished by one thread, which may begin others in between.
"""

from __future__ import annotations

import base64
import os
import select
import socket
import ssl
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import cache, lru_cache
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Final, Literal, NamedTuple, TypeAlias
from urllib.parse import quote, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

import httptools

from agent.retry import retry_after_s

CONNECT_TIMEOUT_S: Final = 10.0
"""Seconds that a connection may take to open, if the exchange's deadline is not earlier."""
SHORTEST_SECRET: Final = 6
"""A shorter key is a placeholder, and cutting it out of texts would maim them."""
_PART_BYTES: Final = 64 * 1024
_HEAD_BYTES: Final = 256 * 1024
_OPENED_AT_ONCE: Final = 64
_GRACE_S: Final = 0.2
"""Seconds in which the thread that opens a connection notices the deadline."""
_FAILURES: Final = (OSError, HTTPException, UnicodeError, httptools.HttpParserError, httptools.HttpParserUpgrade)
Fault: TypeAlias = Literal["bad URL", "not connected", "no proxy", "connect timed out", "timed out", "lost", "too long"]
_Origin: TypeAlias = tuple[str, str, int]
"""Scheme, host and port."""
_Proxy: TypeAlias = tuple[str, int, dict[str, str]]
"""Host, port, and the header with its password."""


class HttpError(Exception):
    """An exchange failed. The text never holds the request; the cause is the system's error."""

    def __init__(self, *, fault: Fault, text: str, may_have_happened: bool = False) -> None:
        super().__init__(text)
        self.fault = fault
        self.may_have_happened = may_have_happened
        """Whether the whole request was sent, so that the server may have acted on it."""


class HttpReply(NamedTuple):
    """A whole reply. Names of headers are in lower case, and the body is as it was sent."""

    status: int
    headers: dict[str, str]
    body: bytes
    retry_after_s: float | None


class HttpConnections:
    """The connections of one client, and how it opens them. Used from many threads at once."""

    def __init__(self, *, idle_s: float, reply_bytes: int) -> None:
        """Open nothing yet; keep idle connections for `idle_s`, and read replies whose body is at most `reply_bytes`.

        Raises `ValueError` with one line if the environment names a proxy or certificates that cannot be used.
        """
        self.reply_bytes = reply_bytes
        self.opener = ThreadPoolExecutor(_OPENED_AT_ONCE, thread_name_prefix="connection")
        self.is_closed = False
        self._idle_s = idle_s
        self._proxies = _proxies()
        self._routes: dict[_Origin, _Proxy | None] = {}
        self._kept: dict[_Origin, list[tuple[socket.socket, float]]] = {}
        """The idle ones, with the time since when."""
        self._lock = threading.Lock()
        self._certificates = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
        if any(self._certificates):
            _tls(*self._certificates)

    def proxy_for(self, origin: _Origin) -> _Proxy | None:
        """Return the proxy through which a server is reached, if any."""
        if origin not in self._routes:
            scheme, host, port = origin
            is_direct = proxy_bypass(f"{host}:{port}")
            self._routes[origin] = None if is_direct else self._proxies.get(scheme, self._proxies.get("all"))
        return self._routes[origin]

    def take(self, origin: _Origin) -> socket.socket | None:
        """Return the connection that was used last, if one may be used."""
        now, poll = time.monotonic(), select.poll()
        while True:
            with self._lock:
                kept = self._kept.setdefault(origin, [])
                if not kept:
                    return None
                sock, since = kept.pop()
            poll.register(sock, select.POLLIN)
            if now - since <= self._idle_s and not poll.poll(0):
                return sock
            poll.unregister(sock)
            sock.close()  # the server closed it too, or sent what nobody asked for

    def open(self, origin: _Origin, timeout_s: float) -> socket.socket:
        """Return a new connection. Raises one of `_FAILURES`."""
        scheme, host, port = origin
        proxy_host, proxy_port, login = self.proxy_for(origin) or (host, port, None)
        if scheme == "http":
            opened = HTTPConnection(proxy_host, proxy_port, timeout=timeout_s)
        else:
            context = _tls(*self._certificates)
            opened = HTTPSConnection(proxy_host, proxy_port, timeout=timeout_s, context=context)
            if login is not None:
                opened.set_tunnel(host, port, login)
        opened.connect()
        return opened.sock

    def keep(self, origin: _Origin, sock: socket.socket) -> None:
        """Keep an idle connection, and close those that have idled for long."""
        now = time.monotonic()
        with self._lock:
            kept = self._kept[origin]
            kept.append((sock, now))
            while kept and (self.is_closed or now - kept[0][1] > self._idle_s):
                kept.pop(0)[0].close()

    def close(self) -> None:
        """Close every idle connection, and every other one after its exchange."""
        with self._lock:
            self.is_closed = True
            for kept in self._kept.values():
                while kept:
                    kept.pop()[0].close()


@dataclass
class Exchange:
    """A request that is sent when this is made, and its reply.

    Where no connection is kept, a thread of its own opens one and sends: connections open side by side.
    """

    connections: HttpConnections
    url: str
    headers: Sequence[tuple[bytes, bytes]]
    """Without length and host, which are added."""
    body: bytes
    deadline_s: float
    is_repeatable: bool = False
    """Whether a second request does no harm where a kept connection ends without a reply."""
    sending: AbstractContextManager[object] = field(default_factory=nullcontext)
    """Entered around the first bytes; what it raises keeps the request back."""

    def __post_init__(self) -> None:
        """Send the request. Raises `HttpError`, and what kept the request back."""
        self._ends_at = time.monotonic() + self.deadline_s
        self._origin, authority, path = _target_of(self.url)
        lines = [b"%b: %b" % header for header in self.headers]
        if self._origin[0] == "http" and (proxy := self.connections.proxy_for(self._origin)):
            path = f"http://{authority}{path}"
            lines += [f"{name}: {value}".encode() for name, value in proxy[2].items()]
        start = f"POST {path} HTTP/1.1\r\nHost: {authority}\r\nContent-Length: {len(self.body)}"
        self._request = b"\r\n".join([start.encode(), *lines, b"", self.body])
        self._body, self._head_bytes = bytearray(), 0
        self._is_connected = self._is_sent = self._has_begun = self._has_head = self._is_whole = False
        kept = self.connections.take(self._origin)
        self._is_kept = kept is not None
        self._sent_on = self._sent(kept) if kept else self.connections.opener.submit(self._sent_on_new)

    def finish(self) -> HttpReply:
        """Return the whole reply. Raises `HttpError`, and what kept the request back."""
        try:
            return self._reply()
        except _FAILURES as error:
            # The server may have closed a kept connection unasked; whether it saw the request is not known.
            is_safe = self._is_kept and not self._has_begun and (self.is_repeatable or not self._is_sent)
            if isinstance(error, TimeoutError) or not is_safe:
                raise self._failure(error) from error
        self._is_kept = self._is_connected = self._is_sent = False
        self._sent_on = self.connections.opener.submit(self._sent_on_new)
        return self.finish()

    def _sent_on_new(self) -> socket.socket:
        left_s = max(self._ends_at - time.monotonic(), 0.001)
        return self._sent(self.connections.open(self._origin, min(left_s, CONNECT_TIMEOUT_S)))

    def _sent(self, sock: socket.socket) -> socket.socket:
        """Send the request. A server may refuse it before it has taken all; then its reply says why."""
        self._is_connected = True
        left = memoryview(self._request)
        try:
            with suppress(OSError):
                while left and (left_s := self._ends_at - time.monotonic()) > 0:
                    sock.settimeout(left_s)
                    with self.sending if len(left) == len(self._request) else nullcontext():
                        left = left[sock.send(left[:_PART_BYTES]) :]
                self._is_sent = not left
        except BaseException:
            sock.close()
            raise
        return sock

    def _reply(self) -> HttpReply:
        sock, reply = self._sent_on, None
        if isinstance(sock, Future):
            sock = sock.result(max(self._ends_at - time.monotonic(), 0.0) + _GRACE_S)
        self._parser = httptools.HttpResponseParser(self)
        try:
            while not self._is_whole:
                # What has arrived by the deadline is read.
                sock.settimeout(max(self._ends_at - time.monotonic(), 0.0))
                self._read(sock)
            reply = HttpReply(self._status, self._headers, bytes(self._body), retry_after_s(self._headers))
        finally:
            del self._parser  # it refers to this object
            if reply and self._is_reusable and not reply.retry_after_s:  # one that is to wait holds no connection
                self.connections.keep(self._origin, sock)
            else:
                sock.close()
        return reply

    def _read(self, sock: socket.socket) -> None:
        try:
            data = sock.recv(_PART_BYTES)
            self._parser.feed_data(data)
        except (BlockingIOError, ssl.SSLWantReadError):
            raise TimeoutError from None
        except httptools.HttpParserError:
            if not self._is_whole:
                raise
            self._is_reusable = False
        if not data:
            self._is_whole = self._has_head and not {"content-length", "transfer-encoding"} & self._headers.keys()
            if not self._is_whole:
                msg = "the server closed the connection"
                raise ConnectionResetError(msg)
        self._head_bytes += 0 if self._has_head else len(data)
        if len(self._body) > self.connections.reply_bytes or self._head_bytes > _HEAD_BYTES:
            raise HttpError(fault="too long", text="the reply is too long", may_have_happened=True)

    def _failure(self, error: Exception) -> HttpError:
        late: Fault = "timed out" if self._is_connected else "connect timed out"
        unreached: Fault = "no proxy" if self.connections.proxy_for(self._origin) else "not connected"
        fault = late if isinstance(error, TimeoutError) else "lost" if self._is_connected else unreached
        return HttpError(fault=fault, text=str(error) or type(error).__name__, may_have_happened=self._is_sent)

    # The parser calls these.

    def on_message_begin(self) -> None:
        if self._is_whole:
            raise ValueError  # nobody asked for a second reply
        self._has_begun, self._headers = True, dict[str, str]()

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self._has_head:  # a trailer counts for nothing
            key, text = name.decode("latin-1").lower(), value.decode("latin-1")
            self._headers[key] = f"{self._headers[key]}, {text}" if key in self._headers else text

    def on_headers_complete(self) -> None:
        self._status, self._is_reusable = self._parser.get_status_code(), self._parser.should_keep_alive()
        self._has_head = self._status >= 200  # an interim reply comes before it

    def on_body(self, part: bytes) -> None:
        self._body += part

    def on_message_complete(self) -> None:
        self._is_whole = self._has_head


@lru_cache(4096)
def _target_of(url: str) -> tuple[_Origin, str, str]:
    """Return the origin, the host as a request names it, and the path. Raises `HttpError`."""
    try:
        parts = urlsplit(url)
        port = parts.port or {"http": 80, "https": 443}[parts.scheme]
        host = (parts.hostname or "").encode("idna").decode()
    except (ValueError, KeyError):
        host = ""
    if not host:
        raise HttpError(fault="bad URL", text="it does not begin with http:// or https:// and a host")
    shown = f"[{host}]" if ":" in host else host
    path = quote(f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}", safe="/%?=&:;@!$'()*+,~[]")
    return (parts.scheme, host, port), f"{shown}:{parts.port}" if parts.port else shown, path


def _proxies() -> dict[str, _Proxy]:
    """Return the environment's proxies by scheme, or `all`. Raises `ValueError`, which holds no password of theirs."""
    proxies, named = dict[str, _Proxy](), getproxies()
    for scheme in {"http", "https", "all"} & named.keys():
        try:
            parts = urlsplit(named[scheme] if "://" in named[scheme] else f"http://{named[scheme]}")
            host, port = parts.hostname, parts.port or 80
        except ValueError:
            host = None
        if not host or parts.scheme != "http":
            msg = "the proxy that HTTP_PROXY, HTTPS_PROXY or ALL_PROXY names cannot be used: it takes http://HOST:PORT"
            raise ValueError(msg)
        login = base64.b64encode(unquote(f"{parts.username}:{parts.password or ''}").encode()).decode()
        proxies[scheme] = host, port, {"Proxy-Authorization": f"Basic {login}"} if parts.username else {}
    return proxies


@cache
def _tls(*certificates: str | None) -> ssl.SSLContext:
    """Return what this process trusts, loaded once for each environment: that takes a while. Raises `ValueError`."""
    del certificates
    import httpx2

    try:
        return httpx2.create_ssl_context()
    except OSError as error:
        msg = f"the certificates that SSL_CERT_FILE names cannot be used: {error.strerror}"
        raise ValueError(msg) from error
