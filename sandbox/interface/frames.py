"""Frames: the messages between the parent and a process as bytes on their connection.

A frame is four bytes with the length of its body, and then the body, a JSON object. The sender
may be an untrusted process. So the length is checked before the body is read. What is in the
body is checked later (`messages`).
"""

from __future__ import annotations

import select
import socket
import struct
import time
from typing import Final

LENGTH: Final = struct.Struct("!I")
"""The header of a frame: the length of its body in bytes."""

_FIRST_READ_BYTES: Final = 1 << 14
"""Bytes of the first read, before the length of a frame is known. Most frames are shorter."""

_CHUNK_BYTES: Final = 1 << 18
"""Bytes of each further read of a long frame. Memory for
at most one chunk is needed in addition to the frame."""

_WAIT_TOLERANCE_S: Final = 0.05
"""A wait may end this much after its deadline. So the time-out of the last wait can often be
kept, instead of a system call for every frame that sets a new one."""

_SHORTEST_WAIT_S: Final = 0.001
"""How long a frame may wait to be sent if its deadline has passed already.
0 would mean: do not wait at all."""

_TIME_OUT: Final = struct.Struct("@ll")
"""A time-out as the system takes it: whole seconds, and microseconds."""


class Closed(Exception):
    """The other end of the connection is gone."""


class Overdue(Exception):
    """The deadline passed before a whole frame was received or sent."""


class Forged(Exception):
    """A message that the protocol does not allow: too long, not JSON, or with wrong fields."""


class TooLong(ValueError):
    """A message that is longer than allowed, and was not sent."""


class Connection:
    """One end of the connection between the parent and a process. Sends and receives frames.

    Most frames are received with a single system call. If it brings more than one frame, the rest
    is kept for the next call.
    """

    __slots__ = ("_time_out_s", "_unread", "passed_bytes", "socket")

    def __init__(self, connected_socket: socket.socket) -> None:
        self.socket = connected_socket
        self.passed_bytes = 0
        """Bytes of all bodies so far, in both directions. One that was too long to be sent counts
        as the longest permitted one: else a script could request such results without end."""
        self._unread = b""
        """Bytes that were received after the last returned body."""
        self._time_out_s = 0.0
        """The longest wait for the next bytes, as it was last set; 0 if it was never set."""

    def send(self, body: bytes, limit: int, deadline: float | None = None) -> None:
        """Send one frame. `deadline` is on `time.monotonic()`.

        Raises `Closed`, `Overdue`, and `TooLong` if the body has more than `limit` bytes. Then
        nothing is sent.
        """
        if len(body) > limit:
            self.passed_bytes += limit
            msg = f"a message of {len(body)} bytes; at most {limit} are allowed"
            raise TooLong(msg)
        self.passed_bytes += len(body)

        # A long body is sent by itself, because joining it to its header would copy it.
        header = LENGTH.pack(len(body))
        parts = [header + body] if len(body) <= _CHUNK_BYTES else [header, body]
        try:
            for part in parts:
                self._send_part(part, deadline)
        except TimeoutError:
            raise Overdue from None
        except OSError as error:
            raise Closed(str(error)) from error

    def _send_part(self, part: bytes, deadline: float | None) -> None:
        """Send some bytes. Raises `TimeoutError` if they are not taken until the deadline."""
        if deadline is None:
            self.socket.sendall(part)
            return

        # Most parts fit into the buffer of the connection at once.
        try:
            sent_bytes = self.socket.send(part, socket.MSG_DONTWAIT)
        except BlockingIOError:
            sent_bytes = 0
        if sent_bytes < len(part):
            self.socket.settimeout(max(deadline - time.monotonic(), _SHORTEST_WAIT_S))
            try:
                self.socket.sendall(memoryview(part)[sent_bytes:])
            finally:
                self.socket.settimeout(None)

    def receive(self, limit: int, deadline: float | None = None) -> bytes | bytearray:
        """Return the body of the next frame. `deadline` is on `time.monotonic()`.

        Raises `Closed`, `Overdue`, and `Forged` if the body has more than `limit`
        bytes. After any of them, the connection cannot be used again.
        """
        # 1. Read until the length is there, and whatever comes with it.
        unread = self._unread
        while len(unread) < LENGTH.size:
            unread += self._receive_some(_FIRST_READ_BYTES, deadline)
        (length,) = LENGTH.unpack_from(unread)
        if length > limit:
            msg = f"a message of {length} bytes; at most {limit} are allowed"
            raise Forged(msg)
        self.passed_bytes += length

        # 2. Most bodies came with the length.
        body_end = LENGTH.size + length
        body = unread[LENGTH.size : body_end]
        self._unread = unread[body_end:]
        if len(body) == length:
            return body

        # 3. Read the rest of a long body into one byte array. In a list of pieces, each piece would
        #    take dozens of bytes besides its content, which matters if a hostile sender sends single
        #    bytes.
        whole = bytearray(body)
        while len(whole) < length:
            missing_bytes = length - len(whole)
            whole += self._receive_some(min(missing_bytes, _CHUNK_BYTES), deadline)
        return whole

    def has_unread(self) -> bool:
        """Return True if a frame, or the end of the connection, waits to be received."""
        if self._unread:
            return True
        poll = select.poll()
        poll.register(self.socket, select.POLLIN)
        return bool(poll.poll(0))

    def _receive_some(self, max_bytes: int, deadline: float | None) -> bytes:
        """Return the next bytes, at most `max_bytes`, as soon as there are any.

        Raises `Overdue` at the deadline (None: it waits without end), and `Closed` if the
        sender is gone.
        """
        if deadline is not None:
            self._limit_wait(deadline)
        try:
            part = self.socket.recv(max_bytes)
        except BlockingIOError:  # The time-out that the system was told has passed.
            raise Overdue from None
        except OSError as error:
            raise Closed(str(error)) from error
        if not part:
            msg = "the connection ended"
            raise Closed(msg)
        return part

    def _limit_wait(self, deadline: float) -> None:
        """Let the next read end at `deadline` or soon after. Raises `Overdue` if it has passed.

        The system itself is told the time-out, because Python's own takes a further system call
        for every read.
        """
        remaining_s = deadline - time.monotonic()
        if remaining_s <= 0:
            raise Overdue
        # A read that begins now would end this much after the deadline.
        excess_s = self._time_out_s - remaining_s
        if 0 <= excess_s <= _WAIT_TOLERANCE_S:
            return
        self._time_out_s = remaining_s
        seconds, fraction_s = divmod(remaining_s, 1)
        microseconds = max(int(fraction_s * 1_000_000), 1)  # 0 would mean: without end.
        time_out = _TIME_OUT.pack(int(seconds), microseconds)
        self.socket.settimeout(None)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, time_out)
