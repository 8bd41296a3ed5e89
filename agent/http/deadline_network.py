"""The network of one connection: every wait on it ends at one deadline, however slowly the other end talks.

A socket's time-out starts anew with every byte that arrives; a deadline does not.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterable
from typing import Any, Final, cast

import httpcore2

_SHORTEST_S: Final = 0.001
"""The shortest time-out; sockets take 0 for not waiting at all."""
_SENT_BYTES: Final = 64 * 1024
"""Bytes that are sent under one time-out, which starts anew with every part that the other end takes."""


class DeadlineNetwork(httpcore2.NetworkBackend):
    """Connects, and makes streams that keep to the deadline of the current exchange."""

    def __init__(self, network: httpcore2.NetworkBackend) -> None:
        self._network = network
        self.ends_at = math.inf
        """When the current exchange ends, on the monotonic clock."""
        self.before_sending: Callable[[], None] | None = None
        """Called just before the first byte of a request is sent; what it raises keeps the request back."""

    def left_s(self, timeout_s: float | None = None) -> float | None:
        """Return the shorter of `timeout_s` and the time to the deadline."""
        left_s = max(self.ends_at - time.monotonic(), _SHORTEST_S)
        if timeout_s is not None:
            left_s = min(timeout_s, left_s)
        return None if left_s == math.inf else left_s

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        """Connect within the deadline."""
        options = cast(Any, socket_options)
        return _Stream(self._network.connect_tcp(host, port, self.left_s(timeout), local_address, options), self)


class _Stream(httpcore2.NetworkStream):
    """Collects what is written and sends it before the next read: head and body of a request leave as one."""

    def __init__(self, stream: httpcore2.NetworkStream, network: DeadlineNetwork) -> None:
        self._stream = stream
        self._network = network
        self._unsent = bytearray()
        self._is_sending = False

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if self._unsent:
            # A server may refuse a request before it has taken all of it; its reply says why.
            with contextlib.suppress(httpcore2.WriteError):
                self._send()
        self._is_sending = False
        if time.monotonic() >= self._network.ends_at:
            msg = "the reply did not end in time"
            raise httpcore2.ReadTimeout(msg)
        return self._stream.read(max_bytes, self._network.left_s(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        del timeout
        self._unsent += buffer
        if len(self._unsent) >= _SENT_BYTES:
            self._send()

    def _send(self) -> None:
        if not self._is_sending:
            self._is_sending = True
            if self._network.before_sending is not None:
                self._network.before_sending()
        unsent, self._unsent = bytes(self._unsent), bytearray()
        for start in range(0, len(unsent), _SENT_BYTES):
            self._stream.write(unsent[start : start + _SENT_BYTES], self._network.left_s())

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        secured = self._stream.start_tls(ssl_context, server_hostname, self._network.left_s(timeout))
        return _Stream(secured, self._network)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)
