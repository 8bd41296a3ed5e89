"""Texts over a socket, each behind its length. One thread uses a connection, which asks and answers in turn."""

from __future__ import annotations

import contextlib
import socket
import struct
from typing import Final

from controlplane.cluster.shipped_data import Kind, Shipped, from_text, to_text

LENGTH: Final = struct.Struct(">I")
FIRST_BYTES: Final = 64 * 1024
"""The longest text that is taken of somebody who has not shown a token."""
MOST_BYTES: Final = 512 * 1024 * 1024
SILENCE_S: Final = 60.0
"""Seconds without a word after which the other side is given up."""


class FramedConnection:
    """A connection that carries texts. Every failure of it is an `OSError`."""

    def __init__(self, connection: socket.socket, *, silence_s: float = SILENCE_S) -> None:
        self._socket = connection
        self._socket.settimeout(silence_s)
        with contextlib.suppress(OSError):
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def allow_silence(self) -> None:
        """Give the other side up only after the usual silence from here on."""
        self._socket.settimeout(SILENCE_S)

    def send(self, shipped: Shipped) -> None:
        """Send one text."""
        self.send_bytes(to_text(shipped).encode("ascii"))

    def send_bytes(self, data: bytes) -> None:
        """Send one text that is encoded already."""
        self._socket.sendall(LENGTH.pack(len(data)) + data)

    def receive(self, kind: type[Kind], *, most_bytes: int = MOST_BYTES) -> Kind:
        """Return the next text. Raises `OSError` at the end of the connection, and for what is no such text."""
        (length,) = LENGTH.unpack(self._exactly(LENGTH.size))
        if length > most_bytes:
            msg = f"a text of {length:,} bytes, where {most_bytes:,} is the most"
            raise OSError(msg)
        try:
            return from_text(kind, self._exactly(length))
        except (ValueError, RecursionError) as error:
            msg = f"what came is no {kind.__name__}: {str(error)[:200]}"
            raise OSError(msg) from error

    def _exactly(self, count: int) -> bytes:
        data = bytearray(count)
        view, at = memoryview(data), 0
        while at < count:
            got = self._socket.recv_into(view[at:])
            if not got:
                msg = "the connection was closed"
                raise ConnectionResetError(msg)
            at += got
        return bytes(data)

    def close(self) -> None:
        """End the connection, also for a thread that waits on it."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
