"""Frames between a sandbox and its child: four bytes of length, then one JSON array. Sizes are checked before reading."""

from __future__ import annotations

import json
import socket
import struct
import time
from typing import Any, Final

from sandbox.operations import Plain

LENGTH: Final = struct.Struct("!I")
_CHUNK: Final = 1 << 18


class Closed(Exception):
    """The other end is gone."""


class Overdue(Exception):
    """The deadline passed before a whole frame came."""


class Forged(Exception):
    """A frame that the protocol does not allow: too long, no JSON, or no array."""


def send_frame(connection: socket.socket, message: list[Plain], limit: int) -> None:
    """Send one message. Raises `Closed`, and `ValueError` for one longer than `limit` bytes (nothing is sent then)."""
    body = json.dumps(message, ensure_ascii=True, separators=(",", ":")).encode("ascii")
    if len(body) > limit:
        msg = f"a message of {len(body)} bytes; at most {limit} are allowed"
        raise ValueError(msg)
    try:
        connection.sendall(LENGTH.pack(len(body)) + body)
    except OSError as error:
        raise Closed(str(error)) from error


def receive_frame(connection: socket.socket, limit: int, deadline: float | None = None) -> list[Any]:
    """Return the next message. `deadline` is on `time.monotonic()`.

    Raises `Closed`, `Overdue`, and `Forged` before reading a body that would be longer than `limit` bytes.
    """
    (length,) = LENGTH.unpack(_receive(connection, LENGTH.size, deadline))
    if length > limit:
        msg = f"a message of {length} bytes; at most {limit} are allowed"
        raise Forged(msg)
    body = _receive(connection, length, deadline)
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        msg = f"no JSON: {error}"
        raise Forged(msg) from error
    if not isinstance(message, list) or not message:
        msg = "no array"
        raise Forged(msg)
    return message


def _receive(connection: socket.socket, count: int, deadline: float | None) -> bytes:
    parts: list[bytes] = []
    while count:
        try:
            if deadline is not None:
                left = deadline - time.monotonic()
                if left <= 0:
                    raise Overdue
                connection.settimeout(left)
            part = connection.recv(min(count, _CHUNK))
        except TimeoutError:
            raise Overdue from None
        except OSError as error:
            raise Closed(str(error)) from error
        if not part:
            msg = "the connection ended"
            raise Closed(msg)
        parts.append(part)
        count -= len(part)
    return b"".join(parts) if len(parts) != 1 else parts[0]
