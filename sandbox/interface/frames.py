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
from itertools import accumulate, pairwise
from typing import Any, Final, NamedTuple, Self

from sandbox.interface.operations import Plain

REQUEST: Final = struct.Struct("!cI")
"""Asks a fork server: `+` for a child, `-` for the end of child N, `&` for a copy of itself on core N - 1 (0: any)."""
REPLY: Final = struct.Struct("!IiI")
"""A child's number, its exit code, and the milliseconds of CPU that it used."""
UNBOUND: Final = "unbound"
"""The code in the reply to a call whose arguments do not fit its declaration; scripts get a `TypeError`."""
LENGTH: Final = struct.Struct("!I")
_CHUNK: Final = 1 << 18
_FIRST: Final = 1 << 14
"""Bytes requested at once before the length of a message is known: most messages are shorter."""
_SHORTEST_WAIT_S: Final = 0.001
_DEADLINE_SLACK_S: Final = 0.02
"""Seconds after its deadline by which a wait may end: a new time-out for every message costs more."""
_OPENING, _CLOSING = b"[{", b"]}"
_OTHERS: Final = bytes(byte for byte in range(256) if byte not in _OPENING + _CLOSING)
_STEPS: Final = bytes(1 if byte in _OPENING else 255 for byte in range(256))
"""The change of level at a bracket, as a signed byte."""
json_text: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
"""Writes a message as JSON."""


class Closed(Exception):
    """The other end is gone."""


class Overdue(Exception):
    """The deadline passed before a whole frame came."""


class Forged(Exception):
    """A frame that the protocol does not allow: too long, not JSON, or not an array."""


class TooLong(ValueError):
    """A message longer than allowed, which was not sent."""


class JsonShape(NamedTuple):
    """The number of parts in a JSON document."""

    parts: int
    """Lists and mappings."""
    commas: int
    """Values that come after another value."""
    empty: int
    """Empty lists and mappings."""

    @property
    def values(self) -> int:
        """The number of values in lists and mappings."""
        return self.commas + self.parts - self.empty

    @classmethod
    def of(cls, body: bytes) -> Self:
        """Return the shape of a document without white space. Characters inside its texts count too."""
        return cls(body.count(b"[") + body.count(b"{"), body.count(b","), body.count(b"[]") + body.count(b"{}"))

    @classmethod
    def outside_texts(cls, body: bytes) -> Self:
        """Return the shape of a document without white space, not counting characters inside its texts."""
        return cls.of(_without_texts(body))


def levels_of(body: bytes) -> int:
    """Return how deep the lists and mappings of a document are nested, including the outermost."""
    steps = array("b", _without_texts(body).translate(_STEPS, _OTHERS))
    return max(accumulate(steps), default=0)


QUICK_LEVELS: Final = 200
"""Levels of lists and mappings that the quick reader of JSON accepts; the standard library's accepts more."""
_LARGE_EXPONENT, _LARGE_NUMBER = b"e000", b"0" * 200
"""Parts of a number that may be too large to be finite, once it is written with `_DIGITS_TO_0`."""
_DIGITS_TO_0: Final = bytes.maketrans(b"123456789E", b"000000000e")
MOST_JSON_BYTES: Final = 64 << 20
MOST_JSON_PARTS: Final = 100_000
MOST_JSON_VALUES: Final = 1_000_000
"""A document from outside has at most this many bytes, objects and lists, and values; each value takes many times its
bytes in memory. It is nested at most 200 levels deep, which is the parser's own bound."""
_LONE: Final = re.compile(rb"\\ud[89a-f]", re.IGNORECASE)


def parse_json(content: str | bytes, *, most_bytes: int = MOST_JSON_BYTES) -> Any:
    """Parse a JSON document from outside. Lone surrogates, which scripts and models produce, are kept.

    Raises `ValueError` for a document that is malformed, longer than `most_bytes`, nested too deeply, or that holds too
    many values.
    """
    from pydantic_core import from_json  # slow to import, and children parse nothing from outside

    body = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
    if len(body) > most_bytes:
        msg = f"it is longer than {most_bytes:,} bytes"
        raise ValueError(msg)
    shape = JsonShape.of(body)
    if shape.parts > MOST_JSON_PARTS or shape.commas > MOST_JSON_VALUES:
        shape = JsonShape.outside_texts(body)
        if shape.parts > MOST_JSON_PARTS or shape.commas > MOST_JSON_VALUES:
            msg = "it holds too many values"
            raise ValueError(msg)
    try:
        if _LONE.search(body) is None and isinstance(content, bytes):
            return from_json(body)
        from_json(_LONE.sub(rb"\\u00", body.decode("utf-8", "replace").encode()))  # checks all but the surrogates
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


def read_message(body: bytes, *, most_parts: int, most_values: int, most_levels: int) -> list[Any]:
    """Return the array in a child's frame: strict JSON, finite numbers, whole characters. Raises `Forged`.

    `most_parts` bounds the lists and mappings in it, and `most_values` the values that follow another value: each takes
    far more time and memory than its text. `most_levels` bounds the nesting of lists and mappings.
    """
    from pydantic_core import from_json  # slow to import, and children read trusted messages alone

    shape = JsonShape.of(body)
    if shape.parts > most_parts or shape.commas > most_values:
        shape = JsonShape.outside_texts(body)
        if shape.parts > most_parts or shape.commas > most_values:
            msg = f"more than {most_parts} lists and mappings, or {most_values} values"
            raise Forged(msg)
    levels = levels_of(body) if shape.parts > min(QUICK_LEVELS, most_levels) else 0
    if levels > most_levels:
        msg = f"lists and mappings nested deeper than {most_levels} levels"
        raise Forged(msg)
    plain = body.translate(_DIGITS_TO_0, b"+")
    may_be_infinite = _LARGE_EXPONENT in plain or _LARGE_NUMBER in plain
    try:
        if levels > QUICK_LEVELS or may_be_infinite:
            message = json.loads(body.decode("utf-8"))
            json.dumps(message, ensure_ascii=False, allow_nan=False).encode("utf-8")
        else:
            message = from_json(body, allow_inf_nan=False, cache_strings="keys")
    except (ValueError, RecursionError) as error:
        msg = f"no JSON: {error}"
        raise Forged(msg[:200]) from error
    if not isinstance(message, list) or not message:
        msg = "no array"
        raise Forged(msg)
    return message


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


def join_texts(texts: list[str]) -> bytes:
    """Return a body of texts one after another; `split_texts` needs their lengths."""
    return "".join(texts).encode("utf-8", "surrogatepass")


def split_texts(body: bytes, lengths: list[int]) -> list[str]:
    """Return the texts of `join_texts`."""
    whole, ends = body.decode("utf-8", "surrogatepass"), list(accumulate(lengths, initial=0))
    return [whole[start:end] for start, end in pairwise(ends)]


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
            held += self._part(_FIRST, deadline)
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
                left = deadline - time.monotonic()
                if left <= 0:
                    raise Overdue
                _limit_wait(self.connection, left)
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
    _limit_wait(connection, max(deadline - time.monotonic(), _SHORTEST_WAIT_S))


def _limit_wait(connection: socket.socket, left: float) -> None:
    held = connection.gettimeout()
    if held is None or not left <= held <= left + _DEADLINE_SLACK_S:
        connection.settimeout(left)
