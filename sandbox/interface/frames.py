"""Frames between a sandbox and its child: four bytes of length, then a JSON array. Sizes are checked before reading.

The parts of a JSON document are counted in its bytes, before anything in it becomes an object.
"""

from __future__ import annotations

import json
import re
import select
import socket
import struct
import time
from array import array
from itertools import accumulate
from typing import Any, Final

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.operations import Plain

REQUEST: Final = struct.Struct("!cI")
"""Asks a fork server: `+` for a child, `-` for the end of child N."""
REPLY: Final = struct.Struct("!IiI")
"""A child's number, its exit code, and the milliseconds of CPU that it used."""
UNBOUND: Final = "unbound"
"""The code in the reply to a call whose arguments do not fit its declaration; scripts get a `TypeError`."""
LENGTH: Final = struct.Struct("!I")
_CHUNK: Final = 1 << 18
_OPENING, _CLOSING = b"[{", b"]}"
_OTHERS: Final = bytes(byte for byte in range(256) if byte not in _OPENING + _CLOSING)
_STEPS: Final = bytes(1 if byte in _OPENING else 255 for byte in range(256))
"""The change of level at a bracket, as a signed byte."""
json_text: Final = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":")
).encode
"""Writes plain data as JSON, and raises `ValueError` for a number that is none."""


class Closed(Exception):
    """The other end is gone."""


class Overdue(Exception):
    """The deadline passed before a whole frame came."""


class Forged(Exception):
    """A frame that the protocol does not allow: too long, not JSON, or not an array."""


class TooLong(ValueError):
    """A message longer than allowed, which was not sent."""


def is_larger(
    body: bytes, most_parts: int = bounds.MOST_PARTS, most_values: int = bounds.MOST_VALUES
) -> bool:
    """Say whether a JSON document holds more lists and mappings, or more values, than allowed."""

    def exceeds(text: bytes) -> bool:
        return text.count(b"[") + text.count(b"{") > most_parts or text.count(b",") > most_values

    return exceeds(body) and exceeds(_without_texts(body))


def levels_of(body: bytes) -> int:
    """Return how deep the lists and mappings of a document are nested, including the outermost."""
    steps = array("b", _without_texts(body).translate(_STEPS, _OTHERS))
    return max(accumulate(steps), default=0)


_LONE: Final = re.compile(rb"\\ud[89a-f]", re.IGNORECASE)


def parse_json(content: str | bytes, *, most_bytes: int = bounds.MOST_LINE_BYTES) -> Any:
    """Parse a JSON document from outside. Lone surrogates, which scripts and models produce, are kept.

    Raises `ValueError` for a document that is malformed, longer than `most_bytes`, nested too deeply, or that holds too
    many values.
    """
    from pydantic_core import from_json  # slow to import, and children parse nothing from outside

    body = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
    if len(body) > most_bytes:
        msg = f"it is longer than {most_bytes:,} bytes"
        raise ValueError(msg)
    # A document from outside has at most this many bytes, objects and lists, and values; each value takes many times
    # its bytes in memory. It is nested at most 200 levels deep, which is the parser's own bound.
    if is_larger(body, 100_000, 1_000_000):
        msg = "it holds too many values"
        raise ValueError(msg)
    try:
        if _LONE.search(body) is None and isinstance(content, bytes):
            return from_json(body)
        from_json(
            _LONE.sub(rb"\\u00", body.decode("utf-8", "replace").encode())
        )  # checks all but the surrogates
        return json.loads(content)
    except ValueError as error:
        msg = "it is nested too deeply" if "recursion limit" in str(error) else str(error)
        raise ValueError(msg) from None


def _without_texts(body: bytes) -> bytes:
    """Return a JSON document without its texts; takes memory for one chunk of them at a time."""
    plain = body.replace(b"\\\\", b"").replace(b'\\"', b"")
    outside: list[bytes] = []
    is_inside = 0
    for start in range(0, len(plain), _CHUNK):
        pieces = plain[start : start + _CHUNK].split(b'"')
        outside.append(b"".join(pieces[is_inside::2]))
        is_inside = (is_inside + len(pieces) - 1) % 2
    return b"".join(outside)


def read_message(body: bytes) -> list[Any]:
    """Return the array in a child's frame: strict JSON, whole characters, at most 200 levels. Raises `Forged`."""
    from pydantic_core import from_json  # slow to import, and children read trusted messages alone

    if is_larger(body):
        msg = f"more than {bounds.MOST_PARTS} lists and mappings, or {bounds.MOST_VALUES} values"
        raise Forged(msg)
    try:
        message = from_json(body, allow_inf_nan=False, cache_strings="keys")
    except ValueError as error:
        msg = f"no JSON: {error}"
        raise Forged(msg[:200]) from error
    if not isinstance(message, list) or not message:
        msg = "no array"
        raise Forged(msg)
    return message


def json_bytes(data: Any) -> bytes:
    """Return plain data as JSON in UTF-8; a lone surrogate, which scripts and models produce, is escaped."""
    from pydantic_core import (
        PydanticSerializationError,
        to_json,
    )  # slow to import, and children do without it

    try:
        return to_json(data)
    except PydanticSerializationError:
        return json.dumps(data).encode("ascii")


def send_frame(connection: socket.socket, message: list[Plain], limit: int) -> None:
    """Send one message.

    Raises `Closed`, `Overdue`, and `TooLong` for a message longer than `limit` bytes, which is not sent.
    """
    send_body(connection, json_text(message).encode("utf-8", "replace"), limit)


def send_body(connection: socket.socket, body: bytes, limit: int) -> None:
    """Send the bytes of one message. Raises as `send_frame` does."""
    if len(body) > limit:
        msg = f"a message of {len(body)} bytes; at most {limit} are allowed"
        raise TooLong(msg)
    try:
        connection.sendall(LENGTH.pack(len(body)) + body)
    except TimeoutError:
        raise Overdue from None
    except OSError as error:
        raise Closed(str(error)) from error


class FrameReader:
    """Receives the messages of one connection, most with a single call; bytes after a message are kept for the next."""

    __slots__ = ("_held", "connection")

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self._held = b""

    def receive(self, limit: int, deadline: float | None = None) -> list[Any]:
        """Return the next message of a trusted sender. Raises as `receive_body` does."""
        message: list[Any] = json.loads(self.receive_body(limit, deadline).decode())
        return message

    def receive_body(self, limit: int, deadline: float | None = None) -> bytes:
        """Return the bytes of the next message. `deadline` is on `time.monotonic()`.

        Raises `Closed`, `Overdue`, and `Forged` before reading a body that would be longer than `limit` bytes.
        """
        held = self._held
        while len(held) < LENGTH.size:
            # Bytes requested at once before the length of a message is known: most messages are shorter.
            held += self._part(1 << 14, deadline)
        length: int = LENGTH.unpack_from(held)[0]
        if length > limit:
            msg = f"a message of {length} bytes; at most {limit} are allowed"
            raise Forged(msg)
        body, self._held = held[LENGTH.size : LENGTH.size + length], held[LENGTH.size + length :]
        if len(body) == length:
            return body
        whole = bytearray(body)  # Not a list of parts: a part of a single byte takes sixty bytes.
        while len(whole) < length:
            whole += self._part(min(length - len(whole), _CHUNK), deadline)
        return bytes(whole)

    def has_more_to_say(self) -> bool:
        """Say whether a message, or the end of the connection, waits to be received."""
        if self._held:
            return True
        ready = select.poll()
        ready.register(self.connection, select.POLLIN)
        return bool(ready.poll(0))

    def _part(self, most: int, deadline: float | None) -> bytes:
        """Return the next bytes, at most `most` of them."""
        try:
            if deadline is not None:
                if time.monotonic() >= deadline:
                    raise Overdue
                limit_wait(self.connection, deadline)
            part = self.connection.recv(most)
        except TimeoutError:
            raise Overdue from None
        except OSError as error:
            raise Closed(str(error)) from error
        if not part:
            msg = "the connection ended"
            raise Closed(msg)
        return part


def limit_wait(connection: socket.socket, deadline: float) -> None:
    """Make the next send or receive end at `deadline`, on `time.monotonic()`, or a little later."""
    left, held = max(deadline - time.monotonic(), 0.001), connection.gettimeout()
    # Seconds after its deadline by which a wait may end: a new time-out for every message costs more.
    if held is None or not left <= held <= left + 0.05:
        connection.settimeout(left)
