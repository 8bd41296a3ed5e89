"""Kept HTTP connections, direct or through the environment's proxies, and single exchanges over them.

An exchange has a connection to itself until it is closed, so a reply is read before the next request can follow it.
Errors are those of `httpcore2`.
"""

from __future__ import annotations

import contextlib
import os
import ssl
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import Final, cast
from urllib.request import getproxies, proxy_bypass

import httpcore2
import httpx2

from agent.http.deadline_network import DeadlineNetwork

CONNECT_TIMEOUT_S: Final = 10.0
"""Seconds that a connection may take to open, if the exchange's deadline is not earlier."""
HTTP_ERRORS: Final = (
    httpcore2.TimeoutException,
    httpcore2.NetworkError,
    httpcore2.ProtocolError,
    httpcore2.ProxyError,
    httpcore2.UnsupportedProtocol,
)
"""What an exchange raises."""


@dataclass(slots=True)
class _Channel:
    """One connection, and the network that bounds it."""

    connection: httpcore2.HTTPConnection | httpcore2.ConnectionPool
    network: DeadlineNetwork
    kept: deque[_Channel]
    """Where it waits for the next exchange with the same server."""
    idle_since: float = 0.0

    @property
    def is_reusable(self) -> bool:
        """Whether the exchange left it ready for another; a proxy's pool replaces its connection by itself."""
        return not isinstance(self.connection, httpcore2.HTTPConnection) or self.connection.is_available()

    @property
    def has_expired(self) -> bool:
        return isinstance(self.connection, httpcore2.HTTPConnection) and self.connection.has_expired()


class Connections:
    """The connections of one client. Used from many threads at once; how many exchange at once is the callers' choice.

    The one used last is used next, and those beyond need expire.
    """

    def __init__(self, *, idle_s: float, network: httpcore2.NetworkBackend | None = None) -> None:
        """Keep an idle connection for `idle_s` seconds. Nothing is opened yet.

        Raises `ValueError` with one line if the environment names a proxy or certificates that cannot be used.
        """
        self._idle_s = idle_s
        self._network = network or httpcore2.SyncBackend()
        try:
            self._tls = _tls_context(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))
        except OSError as error:
            msg = f"the certificates that SSL_CERT_FILE names cannot be used: {error.strerror}"
            raise ValueError(msg) from error
        self._proxies = _proxies_of(getproxies())
        self._kept: dict[tuple[bytes, bytes, int | None], deque[_Channel]] = {}
        self.is_closed = False

    def take(self, url: httpcore2.URL) -> _Channel:
        """Return an idle connection to the server of `url`, or a new one that is not open yet."""
        kept = self._kept.setdefault((url.scheme, url.host, url.port), deque())
        with contextlib.suppress(IndexError):  # nothing is kept, or another thread took it
            while (channel := kept.pop()).has_expired:
                channel.connection.close()
            return channel
        return self._new_channel(url, kept)

    def give_back(self, channel: _Channel) -> None:
        """Keep a connection whose exchange is over, or close it; close those that have been idle for long."""
        kept, now = channel.kept, time.monotonic()
        if self.is_closed or not channel.is_reusable:
            channel.connection.close()
            return
        channel.idle_since = now
        kept.append(channel)
        with contextlib.suppress(IndexError):  # other threads take from it meanwhile
            while now - kept[0].idle_since > self._idle_s:
                kept.popleft().connection.close()

    def close(self) -> None:
        """Close every idle connection, and every other one after its exchange."""
        self.is_closed = True
        for kept in list(self._kept.values()):
            with contextlib.suppress(IndexError):
                while True:
                    kept.pop().connection.close()

    def _new_channel(self, url: httpcore2.URL, kept: deque[_Channel]) -> _Channel:
        scheme = url.scheme.decode()
        if scheme not in ("http", "https"):
            msg = f"Request URL has an unsupported protocol '{scheme}://'."
            raise httpcore2.UnsupportedProtocol(msg)
        network = DeadlineNetwork(self._network)
        proxy = self._proxies.get(scheme) or self._proxies.get("all")
        host = url.host.decode("ascii")
        if proxy is None or proxy_bypass(host if url.port is None else f"{host}:{url.port}"):
            direct = httpcore2.HTTPConnection(
                url.origin, ssl_context=self._tls, keepalive_expiry=self._idle_s, network_backend=network
            )
            return _Channel(direct, network, kept)
        kind = httpcore2.SOCKSProxy if proxy.url.scheme.startswith("socks") else httpcore2.HTTPProxy
        pool: httpcore2.ConnectionPool = kind(
            core_url(proxy.url),
            proxy_auth=proxy.raw_auth,
            ssl_context=self._tls,
            max_connections=1,
            keepalive_expiry=self._idle_s,
            network_backend=network,
        )
        return _Channel(pool, network, kept)


class Exchange:
    """One request that was sent, and the head of its reply; iterate over it for the body, then close it."""

    __slots__ = ("_channel", "_connections", "_reply", "headers", "status")

    def __init__(
        self,
        connections: Connections,
        request: httpcore2.Request,
        *,
        ends_at: float,
        before_sending: Callable[[], None] | None = None,
    ) -> None:
        """Send `request` and read the head of its reply; all of the exchange ends at `ends_at` (monotonic clock).

        Raises an error of `httpcore2`, or what `before_sending` raises when the connection stands and nothing is sent.
        """
        self._connections = connections
        self._channel = channel = connections.take(request.url)
        channel.network.ends_at = ends_at
        channel.network.before_sending = before_sending
        try:
            self._reply = channel.connection.handle_request(request)
        except BaseException:
            channel.connection.close()
            raise
        self.status: int = self._reply.status
        self.headers: list[tuple[bytes, bytes]] = self._reply.headers

    def __iter__(self) -> Iterator[bytes]:
        """Yield the body as it comes."""
        return iter(cast(Iterable[bytes], self._reply.stream))

    def close(self) -> None:
        """End the exchange; its connection is kept if the body was read to its end."""
        self._reply.close()
        self._connections.give_back(self._channel)


def core_url(url: httpx2.URL) -> httpcore2.URL:
    """Return a URL as `httpcore2` takes it."""
    return httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)


@cache
def _tls_context(*environment: str | None) -> ssl.SSLContext:
    """Return what every client of this process trusts, loaded once for each environment: that takes a while."""
    del environment
    return httpx2.create_ssl_context()


def _proxies_of(environment: Mapping[str, str]) -> dict[str, httpx2.Proxy]:
    """Return the proxies that the environment names, by scheme (`http`, `https`, `all`). Raises `ValueError`."""
    proxies = {}
    for scheme in ("http", "https", "all"):
        address = environment.get(scheme)
        if not address:
            continue
        try:
            proxy = httpx2.Proxy(address if "://" in address else f"http://{address}")
            is_usable = bool(proxy.url.host) and (proxy.url.scheme in ("http", "https") or find_spec("socksio"))
        except (httpx2.InvalidURL, ValueError):
            is_usable = False
        if not is_usable:
            # The reason is left out: a proxy's address can hold a password.
            msg = (
                "the proxy that HTTP_PROXY, HTTPS_PROXY or ALL_PROXY names cannot be used: it takes http://HOST:PORT "
                "(socks5:// with the package socksio alone)"
            )
            raise ValueError(msg)
        proxies[scheme] = proxy
    return proxies
