"""An HTTP client whose exchanges end when they are told to, however slowly the other end talks.

A time-out of the library starts anew with every byte that arrives; a deadline does not. It holds for all that one
thread does within `ends_at`: connecting, TLS, sending, the head of the reply and its body.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final, cast

import httpcore
import httpx

_SHORTEST_S: Final = 0.001
_WRITTEN_BYTES: Final = 64 * 1024
"""Bytes that are written under one time-out, which would begin anew for every one that the other end takes."""


class _Deadline(threading.local):
    """The moment, on the monotonic clock, at which this thread's exchange ends."""

    at: float | None = None

    def left_s(self, timeout_s: float | None) -> float | None:
        """Return the shorter of `timeout_s` and what is left; never 0, which sockets take for not waiting at all."""
        if self.at is None:
            return timeout_s
        left_s = max(self.at - time.monotonic(), _SHORTEST_S)
        return left_s if timeout_s is None else min(timeout_s, left_s)

    @property
    def has_passed(self) -> bool:
        """Whether nothing is left."""
        return self.at is not None and time.monotonic() >= self.at


_deadline: Final = _Deadline()


@contextmanager
def ends_at(moment: float) -> Iterator[None]:
    """End what this thread exchanges over bounded clients at `moment`, on the monotonic clock."""
    before, _deadline.at = _deadline.at, moment
    try:
        yield
    finally:
        _deadline.at = before


def bounded_client(**options: Any) -> httpx.Client:
    """Return an `httpx.Client` with these options that keeps to `ends_at`, through proxies as well.

    Raises `ValueError` with one line where the environment names a proxy or certificates that cannot be used.
    """
    try:
        client = httpx.Client(**options)
    except OSError as error:
        msg = f"the certificates that SSL_CERT_FILE names cannot be used: {error.strerror}"
        raise ValueError(msg) from error
    except (httpx.InvalidURL, ImportError, ValueError) as error:
        # What is wrong with it is left out: a proxy's address can hold a password.
        msg = (
            "the proxy that HTTP_PROXY, HTTPS_PROXY or ALL_PROXY names cannot be used: it takes http://HOST:PORT "
            "(socks5:// with the package socksio alone)"
        )
        raise ValueError(msg) from error
    # The library takes a network back end for its pools, and has no public way to hand one through.
    for transport in (client._transport, *client._mounts.values()):
        pool = getattr(transport, "_pool", None)
        if pool is not None:
            pool._network_backend = _Backend(pool._network_backend)
    return client


class _Stream(httpcore.NetworkStream):
    def __init__(self, stream: httpcore.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if _deadline.has_passed:
            msg = "the reply did not end in time"
            raise httpcore.ReadTimeout(msg)
        return self._stream.read(max_bytes, _deadline.left_s(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(buffer), _WRITTEN_BYTES):
            self._stream.write(buffer[start : start + _WRITTEN_BYTES], _deadline.left_s(timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, _deadline.left_s(timeout)))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _Backend(httpcore.NetworkBackend):
    def __init__(self, backend: httpcore.NetworkBackend) -> None:
        self._backend = backend

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        options = cast(Any, socket_options)
        return _Stream(self._backend.connect_tcp(host, port, _deadline.left_s(timeout), local_address, options))
