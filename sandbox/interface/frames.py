"""Sends and receives messages between processes: four bytes of length, then a JSON object.

The sender may be an untrusted process. So the length is checked before the message is read, and the
values in it are counted in its bytes before any of them becomes a Python object.
"""

from __future__ import annotations

import json
import select
import socket
import struct
import time
from typing import Any, Final

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.operations import Plain

LENGTH: Final = struct.Struct("!I")
"""The header of a message: the length of its body in bytes."""

_FIRST_READ_BYTES: Final = 1 << 14
"""Requested at once before the length of a message is known: most messages are shorter."""

_CHUNK_BYTES: Final = 1 << 18
"""Read or searched at a time, so that a long message takes memory for one chunk more."""

_WAIT_TOLERANCE_S: Final = 0.05
"""A wait may end this much after its deadline: setting a new time-out for every message costs more."""

json_text: Final = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":")
).encode
"""Writes plain data as JSON. Raises `ValueError` for NaN and infinity."""

_decode_json: Final = json.JSONDecoder().raw_decode
"""Reads a trusted message in half the time of `json.loads`. Returns the data and where it ends."""


class Closed(Exception):
    """The other end of the connection is gone."""


class Overdue(Exception):
    """The deadline passed before a whole message came."""


class Forged(Exception):
    """A message that the protocol does not allow: too long, not JSON, or with wrong fields."""


class TooLong(ValueError):
    """A message that is longer than allowed, and was not sent."""


# Counting the parts of a JSON document in its bytes


def is_larger(
    body: bytes, max_parts: int = bounds.MOST_PARTS, max_values: int = bounds.MOST_VALUES
) -> bool:
    """Say whether a JSON document has more lists and mappings, or more values, than allowed."""
    # This also counts brackets and commas in texts. Most documents are small enough even so.
    if not _exceeds(body, max_parts, max_values):
        return False
    return _exceeds(_without_texts(body), max_parts, max_values)


def _exceeds(body: bytes, max_parts: int, max_values: int) -> bool:
    """Say whether there are more opening brackets, or more commas, than allowed."""
    parts = body.count(b"[") + body.count(b"{")
    return parts > max_parts or body.count(b",") > max_values


def levels_of(body: bytes) -> int:
    """Return how deep the lists and mappings of a JSON document are nested."""
    level = 0
    deepest = 0
    for byte in _without_texts(body):
        if byte in b"[{":
            level += 1
            deepest = max(deepest, level)
        elif byte in b"]}":
            level -= 1
    return deepest


def _without_texts(body: bytes) -> bytes:
    """Return a JSON document without its texts, whose brackets and commas do not count.

    `{"a[": [1]}` becomes `{: [1]}`. In chunks, since the pieces between quotation marks take many
    times the memory of the document.
    """
    unescaped = body.replace(b"\\\\", b"").replace(b'\\"', b"")
    outside: list[bytes] = []
    starts_in_text = False

    for start in range(0, len(unescaped), _CHUNK_BYTES):
        pieces = unescaped[start : start + _CHUNK_BYTES].split(b'"')
        # Pieces between quotation marks are in turn outside and inside of texts.
        first_outside = 1 if starts_in_text else 0
        outside.append(b"".join(pieces[first_outside::2]))

        quotation_marks = len(pieces) - 1
        if quotation_marks % 2 == 1:
            starts_in_text = not starts_in_text

    return b"".join(outside)


# Reading and writing JSON

_MAX_DOCUMENT_PARTS: Final = 100_000
_MAX_DOCUMENT_VALUES: Final = 1_000_000
"""Of a document from outside, since each value takes many times its bytes in memory."""


def well_formed(text: str) -> str:
    """Return `text` with U+FFFD for every half of a surrogate pair, which UTF-8 cannot encode; as
    long as before."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def parse_json(content: str | bytes, *, most_bytes: int = bounds.MOST_LINE_BYTES) -> Any:
    """Parse a JSON document from outside. Half of a surrogate pair becomes U+FFFD: a text that
    cannot be encoded could not be printed, searched or sent.

    Raises `ValueError` if the document is malformed, longer than `most_bytes`, nested deeper than
    the parser's 200 levels, or has too many values.
    """
    from pydantic_core import from_json  # slow to import, and children parse nothing from outside

    body = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
    if len(body) > most_bytes:
        msg = f"it is longer than {most_bytes:,} bytes"
        raise ValueError(msg)
    if is_larger(body, _MAX_DOCUMENT_PARTS, _MAX_DOCUMENT_VALUES):
        msg = "it holds too many values"
        raise ValueError(msg)

    try:
        if isinstance(content, bytes) and not _has_surrogate_escape(body):
            return from_json(body)

        # The strict parser refuses surrogates: it checks all the rest, and Python's parser, which
        # joins pairs and keeps halves, makes the objects.
        from_json(_without_surrogates(body))
        halves_kept = json.dumps(json.loads(content), ensure_ascii=False)
        return json.loads(well_formed(halves_kept))
    except ValueError as error:
        msg = str(error)
        if "recursion limit" in msg:
            msg = "it is nested too deeply"
        raise ValueError(msg) from None


def _has_surrogate_escape(body: bytes) -> bool:
    """Say whether a document may have an escape such as `\\ud83d`, which is half a character."""
    return any(escape in body for escape in _SURROGATE_ESCAPES)


def _without_surrogates(body: bytes) -> bytes:
    """Return a document with other characters in place of surrogates, escaped or not."""
    body = body.decode("utf-8", "replace").encode()
    for escape in _SURROGATE_ESCAPES:
        body = body.replace(escape, b"\\u00")
    return body


_SURROGATE_ESCAPES: Final = tuple(
    f"\\u{first}{second}".encode() for first in "dD" for second in "89abcdefABCDEF"
)
"""The beginnings of the escapes from `\\ud800` to `\\udfff`."""


def read_message(body: bytes) -> dict[str, Any]:
    """Return the object in a child's message: strict JSON, at most 200 levels. Raises `Forged`."""
    from pydantic_core import from_json  # slow to import, and children read trusted messages alone

    if is_larger(body):
        msg = f"more than {bounds.MOST_PARTS} lists and mappings, or {bounds.MOST_VALUES} values"
        raise Forged(msg)
    try:
        message = from_json(body, allow_inf_nan=False, cache_strings="keys")
    except ValueError as error:
        msg = f"no JSON: {error}"
        raise Forged(msg[:200]) from error  # The parser may quote a long text.
    if not isinstance(message, dict):
        msg = "a message that is not an object"
        raise Forged(msg)
    return message


def json_bytes(data: Any) -> bytes:
    """Return plain data as JSON in UTF-8, with U+FFFD for every half of a surrogate pair."""
    # Slow to import, and children do without it.
    from pydantic_core import PydanticSerializationError, to_json

    try:
        return to_json(data)
    except PydanticSerializationError:
        return well_formed(json.dumps(data, ensure_ascii=False)).encode()


# Sending and receiving


def send_frame(connection: socket.socket, message: Plain, limit: int) -> None:
    """Send one message as JSON. Raises as `send_body` does."""
    send_body(connection, json_text(message).encode("utf-8", "replace"), limit)


def send_body(connection: socket.socket, body: bytes, limit: int) -> None:
    """Send the bytes of one message.

    Raises `Closed`, `Overdue`, and `TooLong` for a body longer than `limit` bytes, which is not
    sent.
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


class FrameReader:
    """Receives the messages of one connection, most of them with a single system call.

    Bytes that come after a message are kept for the next one.
    """

    __slots__ = ("_unread", "connection")

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self._unread = b""

    def receive(self, limit: int, deadline: float | None = None) -> Any:
        """Return the next message of a trusted sender. Raises as `receive_body` does."""
        text = self.receive_body(limit, deadline).decode()
        message, _ = _decode_json(text)
        return message

    def receive_body(self, limit: int, deadline: float | None = None) -> bytes:
        """Return the bytes of the next message. `deadline` is on `time.monotonic()`.

        Raises `Closed`, `Overdue`, and `Forged` if the message has more than `limit` bytes, which
        are not read then.
        """
        unread = self._unread
        while len(unread) < LENGTH.size:
            unread += self._receive_some(_FIRST_READ_BYTES, deadline)

        length: int = LENGTH.unpack_from(unread)[0]
        if length > limit:
            msg = f"a message of {length} bytes; at most {limit} are allowed"
            raise Forged(msg)

        end = LENGTH.size + length
        body = unread[LENGTH.size : end]
        self._unread = unread[end:]
        if len(body) == length:
            return body

        # A byte array, not a list of parts: a sender of single bytes would make each a part.
        whole = bytearray(body)
        while len(whole) < length:
            whole += self._receive_some(min(length - len(whole), _CHUNK_BYTES), deadline)
        return bytes(whole)

    def has_unread(self) -> bool:
        """Say whether a message, or the end of the connection, waits to be received."""
        if self._unread:
            return True
        ready = select.poll()
        ready.register(self.connection, select.POLLIN)
        return bool(ready.poll(0))

    def _receive_some(self, max_bytes: int, deadline: float | None) -> bytes:
        """Return the next bytes as soon as there are any."""
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
    """Make the next send or receive end at `deadline`, on `time.monotonic()`, or a little later."""
    remaining_s = max(deadline - time.monotonic(), 0.001)
    timeout_s = connection.gettimeout()
    if timeout_s is not None and remaining_s <= timeout_s <= remaining_s + _WAIT_TOLERANCE_S:
        return
    connection.settimeout(remaining_s)
