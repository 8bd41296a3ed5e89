"""Frames between a sandbox and its child: four bytes of length, then a JSON array. Sizes are checked before reading."""

from __future__ import annotations

import json
import re
import select
import struct
import time
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, Final, NoReturn

from sandbox.interface.json_shape import JsonShape, levels_of
from sandbox.interface.operations import Plain

if TYPE_CHECKING:
    from socket import socket

    from sandbox.interface.limits import Limits

LENGTH: Final = struct.Struct("!I")
_CHUNK: Final = 1 << 18
_FIRST: Final = 1 << 14
"""Bytes that are asked for at once before the length of a message is known: most messages, whole."""
_SHORTEST_WAIT_S: Final = 0.001
_DEADLINE_SLACK_S: Final = 0.02
"""How much later than at its deadline a wait may end: setting a time-out anew for every message costs more."""
json_text: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
"""Writes a message as JSON."""
_ESCAPED_SURROGATE: Final = re.compile(rb"\\u[dD][89a-fA-F]")
_LARGE_EXPONENT, _LARGE_NUMBER = b"e000", b"0" * 200
"""What stands in a number that could be too large to be finite, once it is written with `_DIGITS_TO_0`."""
_DIGITS_TO_0: Final = bytes.maketrans(b"123456789E", b"000000000e")


class Closed(Exception):
    """The other end is gone."""


class Overdue(Exception):
    """The deadline passed before a whole frame came."""


class Forged(Exception):
    """A frame that the protocol does not allow: too long, no JSON, or no array."""


def frame_limit(limits: Limits) -> int:
    """Return the bytes that one frame of a child may have under these limits."""
    return limits.call_bytes + 2 * limits.scratchpad_bytes + 8 * limits.output_chars + 65_536


def send_frame(connection: socket, message: list[Plain], limit: int) -> int:
    """Send one message and return its bytes.

    Raises `Closed`, `Overdue`, and `ValueError` for one longer than `limit` bytes, which is not sent.
    """
    if message_chars(message) > limit:
        msg = f"a message of more than {limit} bytes"
        raise ValueError(msg)
    body = json_text(message).encode("utf-8", "replace")
    send_body(connection, body, limit)
    return len(body)


def message_chars(message: list[Plain]) -> int:
    """Return how many characters the texts in a message have: what is far too long is not even written as JSON."""
    count = 0
    inside: list[Any] = [message]
    while inside:
        held = inside.pop()
        if type(held) is dict:
            count += sum(map(len, held))
            held = held.values()
        for each in held:
            kind = type(each)
            if kind is str:
                count += len(each)
            elif kind is dict or kind is list:
                inside.append(each)
    return count


def send_body(connection: socket, body: bytes, limit: int) -> None:
    """Send the bytes of one message. Raises as `send_frame` does."""
    if len(body) > limit:
        msg = f"a message of {len(body)} bytes; at most {limit} are allowed"
        raise ValueError(msg)
    try:
        connection.sendall(LENGTH.pack(len(body)) + body)
    except TimeoutError:
        raise Overdue from None
    except OSError as error:
        raise Closed(str(error)) from error


def join_texts(texts: list[str]) -> bytes:
    """Return the body that holds texts one behind the other; `split_texts` needs to know how long they are."""
    return "".join(texts).encode("utf-8", "surrogatepass")


def split_texts(body: bytes, lengths: list[int]) -> list[str]:
    """Return the texts of `join_texts`."""
    whole, ends = body.decode("utf-8", "surrogatepass"), list(accumulate(lengths, initial=0))
    return [whole[start:end] for start, end in pairwise(ends)]


def receive_frame(connection: socket, limit: int, deadline: float | None = None) -> list[Any]:
    """Return the next message. `deadline` is on `time.monotonic()`.

    Raises `Closed`, `Overdue`, and `Forged` before reading a body that would be longer than `limit` bytes.
    """
    return read_body(receive_body(connection, limit, deadline))


def receive_body(connection: socket, limit: int, deadline: float | None = None) -> bytes:
    """Return the bytes of the next message, and read none behind it. Raises as `receive_frame` does."""
    return _receive(connection, _length(_receive(connection, LENGTH.size, deadline), limit), deadline)


class FrameReader:
    """Receives the messages of one connection, most with a single call; what came behind one is kept for the next."""

    __slots__ = ("_connection", "_held")

    def __init__(self, connection: socket) -> None:
        self._connection = connection
        self._held = b""

    def receive_body(self, limit: int, deadline: float | None = None) -> bytes:
        """Return the bytes of the next message. Raises as `receive_frame` does."""
        held = self._held
        while len(held) < LENGTH.size:
            held += _part(self._connection, _FIRST, deadline)
        length = _length(held, limit)
        body, self._held = held[LENGTH.size : LENGTH.size + length], held[LENGTH.size + length :]
        return body if len(body) == length else body + _receive(self._connection, length - len(body), deadline)

    def has_more_to_say(self) -> bool:
        """Say whether a message, or the end of the connection, waits to be received."""
        if self._held:
            return True
        ready = select.poll()
        ready.register(self._connection, select.POLLIN)
        return bool(ready.poll(0))


def _length(header: bytes, limit: int) -> int:
    length: int = LENGTH.unpack_from(header)[0]
    if length > limit:
        msg = f"a message of {length} bytes; at most {limit} are allowed"
        raise Forged(msg)
    return length


def read_body(body: bytes, *, most_parts: int = 0, most_values: int = 0, most_levels: int = 0) -> list[Any]:
    """Return the array that a frame holds: strict JSON, finite numbers, whole characters. Raises `Forged`.

    `most_parts` bounds the lists and mappings in it, and `most_values` what stands beside something else (0: not): each
    takes far more time and memory than its text. `most_levels` bounds how deep lists and mappings lie in each other (0:
    as deep as this Python reads, which versions differ in).
    """
    shape = bounded_shape(body, most_parts, most_values)
    try:
        message = _DECODER.decode(body.decode("utf-8"))
        if _ESCAPED_SURROGATE.search(body):
            json.dumps(message, ensure_ascii=False).encode("utf-8")
        if may_be_infinite(body):
            json.dumps(message, allow_nan=False)
    except (ValueError, RecursionError) as error:
        msg = f"no JSON: {error}"
        raise Forged(msg[:200]) from error
    if not isinstance(message, list) or not message:
        msg = "no array"
        raise Forged(msg)
    if most_levels and shape.parts > most_levels and levels_of(body) > most_levels:
        msg = f"lists and mappings nested deeper than {most_levels} levels"
        raise Forged(msg)
    return message


def bounded_shape(body: bytes, most_parts: int, most_values: int) -> JsonShape:
    """Return the shape of a message of at most so many parts and values (0: of any number). Raises `Forged`."""
    shape = JsonShape.of(body)
    if most_parts and (shape.parts > most_parts or shape.commas > most_values):
        shape = JsonShape.outside_texts(body)
        if shape.parts > most_parts or shape.commas > most_values:
            msg = f"more than {most_parts} lists and mappings, or {most_values} values"
            raise Forged(msg)
    return shape


def may_be_infinite(body: bytes) -> bool:
    """Say whether a number could be too large to be finite: by its exponent, or by its digits."""
    plain = body.translate(_DIGITS_TO_0, b"+")
    return _LARGE_EXPONENT in plain or _LARGE_NUMBER in plain


def _refuse_constant(name: str) -> NoReturn:
    msg = f"{name} is no JSON"
    raise ValueError(msg)


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse_constant)


def _receive(connection: socket, count: int, deadline: float | None) -> bytes:
    whole = bytearray()  # Not a list of parts: one of a single byte takes sixty.
    while len(whole) < count:
        part = _part(connection, min(count - len(whole), _CHUNK), deadline)
        if len(part) == count:
            return part
        whole += part
    return bytes(whole)


def _part(connection: socket, most: int, deadline: float | None) -> bytes:
    """Return what comes next, at most so many bytes."""
    try:
        if deadline is not None:
            if deadline <= time.monotonic():
                raise Overdue
            limit_wait(connection, deadline)
        part = connection.recv(most)
    except TimeoutError:
        raise Overdue from None
    except OSError as error:
        raise Closed(str(error)) from error
    if not part:
        msg = "the connection ended"
        raise Closed(msg)
    return part


def limit_wait(connection: socket, deadline: float) -> None:
    """Have what is sent or received next end at `deadline`, on `time.monotonic()`, or a little later."""
    left = max(deadline - time.monotonic(), _SHORTEST_WAIT_S)
    held = connection.gettimeout()
    if held is None or not left <= held <= left + _DEADLINE_SLACK_S:
        connection.settimeout(left)
