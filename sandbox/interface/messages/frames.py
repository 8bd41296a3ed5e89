"""Sends and receives messages between processes.

A message on the wire (a frame) is four bytes with the length of its body, and then the
body, a JSON object. The sender may be an untrusted process. So the length is checked
before the body is read. What is in the body is checked later (`message_fields`).
"""

from __future__ import annotations

import json
import select
import socket
import struct
import time
from typing import Any, Final

from controlplane.sandbox.interface.json_documents import json_text
from controlplane.sandbox.interface.parameters import Plain

LENGTH: Final = struct.Struct("!I")
"""The header of a message: the length of its body in bytes."""

_FIRST_READ_BYTES: Final = 1 << 14
"""Bytes of the first read, before the length of a message is known. Most messages are shorter."""

_CHUNK_BYTES: Final = 1 << 18
"""Bytes of each further read of a long message. Memory for
at most one chunk is needed in addition to the message."""

_WAIT_TOLERANCE_S: Final = 0.05
"""A wait may end this much after its deadline. So the time-out of the last message can often be
kept, instead of a system call for every message that sets a new one."""


class Closed(Exception):
    """The other end of the connection is gone."""


class Overdue(Exception):
    """The deadline passed before a whole message came."""


class Forged(Exception):
    """A message that the protocol does not allow: too long, not JSON, or with wrong fields."""


class TooLong(ValueError):
    """A message that is longer than allowed, and was not sent."""


# Sending


def send_frame(connection: socket.socket, message: Plain, limit: int) -> None:
    """Send one message as JSON. Raises as `send_body` does."""
    send_body(connection, json_text(message).encode("utf-8", "replace"), limit)


def send_body(connection: socket.socket, body: bytes, limit: int) -> None:
    """Send the body of one message.

    Raises `Closed`, `Overdue`, and `TooLong` if it has more than `limit` bytes. Then
    nothing is sent.
    """
    if len(body) > limit:
        msg = f"a message of {len(body)} bytes; at most {limit} are allowed"
        raise TooLong(msg)
    try:
        connection.sendall(LENGTH.pack(len(body)) + body)
    except TimeoutError:
        raise Overdue from None
    except OSError as error:
        raise Closed(str(error)) from error


# Receiving

_decode_json: Final = json.JSONDecoder().raw_decode
"""Reads JSON in half the time of `json.loads`. Returns the data, and where it ends in the text."""


class FrameReader:
    """Receives the messages of one connection, most of them with a single system call.

    On the wire, a message is a frame: the length of its body, and the body, which is JSON. If
    a read brings more than one message, the rest is kept for the next call.
    """

    __slots__ = ("_unread", "connection")

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self._unread = b""
        """Bytes that were received after the last returned message."""

    def receive(self, limit: int, deadline: float | None = None) -> Any:
        """Return the next message of a trusted sender. Raises as `receive_body` does."""
        text = self.receive_body(limit, deadline).decode()
        message, _ = _decode_json(text)
        return message

    def receive_body(self, limit: int, deadline: float | None = None) -> bytes:
        """Return the body of the next message. `deadline` is on `time.monotonic()`.

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
        return bytes(whole)

    def has_unread(self) -> bool:
        """Return True if a message, or the end of the connection, waits to be received."""
        if self._unread:
            return True
        poll = select.poll()
        poll.register(self.connection, select.POLLIN)
        return bool(poll.poll(0))

    def _receive_some(self, max_bytes: int, deadline: float | None) -> bytes:
        """Return the next bytes, at most `max_bytes`, as soon as there are any.

        Raises `Overdue` at the deadline (None: it waits without end), and `Closed` if the
        sender is gone.
        """
        try:
            if deadline is not None:
                if time.monotonic() >= deadline:
                    raise Overdue
                limit_wait(self.connection, deadline)
            part = self.connection.recv(max_bytes)
        except TimeoutError:
            raise Overdue from None
        except OSError as error:
            raise Closed(str(error)) from error
        if not part:
            msg = "the connection ended"
            raise Closed(msg)
        return part


def limit_wait(connection: socket.socket, deadline: float) -> None:
    """Set the time-out of a connection: the next send or receive ends at `deadline`, or soon after.

    The deadline is on `time.monotonic()`. It may have passed already.
    """
    # Not 0, which would mean: do not wait at all.
    remaining_s = max(deadline - time.monotonic(), 0.001)

    # Setting a time-out takes a system call. So keep that of the last call if it ends the
    # wait at the deadline, or a little later.
    timeout_s = connection.gettimeout()
    if timeout_s is not None:
        # A wait that begins now would end this much after the deadline.
        excess_s = timeout_s - remaining_s
        if 0 <= excess_s <= _WAIT_TOLERANCE_S:
            return
    connection.settimeout(remaining_s)
