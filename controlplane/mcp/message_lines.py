"""The messages of an MCP stream, as far as they may be passed on to the SDK.

Over standard streams, each message is one line of JSON, for example
`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}`. The official SDK speaks the
protocol, but does not limit the size of a message. So each line is measured first.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, cast

import re2

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.json_documents import well_formed_json

if TYPE_CHECKING:
    from anyio.streams.buffered import BufferedByteReceiveStream

# One line of an MCP stream, measured before it is parsed: is it too large, and which id has it?
#
# A message is a line of JSON, such as `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}`. Its
# sender may be hostile, and the SDK limits neither its length nor the number of its values.

TOO_LARGE: Final = f"longer than {bounds.MOST_MCP_MESSAGE_BYTES:,} bytes or {bounds.MOST_MCP_OBJECTS:,} values"


# An id is searched by a pattern: a message that is incomplete, or not JSON, cannot be parsed.
_NUMBER_ID: Final = rb"\d{1,15}\b"  # 7
_TEXT_ID: Final = rb'"[^"\\]{1,60}"'  # "a1"; no SDK writes longer ids
_MESSAGE_ID: Final = re2.compile(
    rb'\{.{0,200}?"id"\s*:\s*(' + _NUMBER_ID + rb"|" + _TEXT_ID + rb")"
)
"""Finds the id within the first 200 bytes of a message, such as `{"jsonrpc":"2.0","id":7,…`."""


@dataclass(frozen=True, slots=True)
class _MessageLine:
    """A line of a stream, or a part of a line that is too long."""

    data: bytes
    """The line, without its end."""
    is_whole: bool
    """False if the rest of the line has not been received."""

    @property
    def is_too_long(self) -> bool:
        return len(self.data) > bounds.MOST_MCP_MESSAGE_BYTES

    @property
    def is_too_large(self) -> bool:
        """True if the line is too long, or has too many values."""
        return self.is_too_long or object_count(self.data) > bounds.MOST_MCP_OBJECTS

    def without_halves(self) -> _MessageLine:
        """Return the line with U+FFFD for every half of a surrogate pair, which the SDK refuses.

        A line that is too large, or not JSON, is returned as it is.
        """
        if self.is_too_large:
            return self
        with suppress(ValueError):
            return replace(self, data=well_formed_json(self.data))
        return self

    def fault(self) -> str:
        """Return why the SDK must not get the line; empty if it may."""
        from mcp.types import jsonrpc_message_adapter

        if self.is_too_large:
            return f"the message is {TOO_LARGE}"
        try:
            jsonrpc_message_adapter.validate_json(self.data, by_name=False)
        except ValueError:
            return "the message cannot be read"
        return ""

    def message_id(self) -> str:
        """Return the id of the message, as JSON: `7` or `"a1"`; empty if there is none.

        The sender finds by it which of its calls a reply is for.
        """
        id_match = _MESSAGE_ID.match(self.data)
        if id_match is None:
            return ""
        message_id: bytes = id_match[1]
        return message_id.decode("utf-8", "replace")


def object_count(data: bytes) -> int:
    """Return how many objects and lists some JSON has at most: `{"a": [1]}` -> 2.

    It counts brackets, of which some may be in texts.
    """
    return data.count(b"{") + data.count(b"[")


@dataclass(frozen=True, slots=True)
class FaultyMessage:
    """A message that is too large or cannot be read, although a call may wait for it."""

    message_id: str
    """Its id, as JSON: `7` or `"a1"`."""
    fault: str
    """What is wrong, for example `the message cannot be read`."""


async def bounded_messages(
    receive: Callable[[], Awaitable[bytes]], *, replaces_halves: bool = False
) -> AsyncIterator[str | FaultyMessage]:
    """Yield the messages of a stream, which `receive` returns in chunks.

    With `replaces_halves`, halves of surrogate pairs become U+FFFD. Otherwise a message with one
    is faulty.
    A faulty message without an id is left out, because no call waits for it. If it is
    too large, the stream ends: the sender does not speak the protocol.
    """
    import anyio
    from anyio.streams.buffered import BufferedByteReceiveStream

    stream = BufferedByteReceiveStream(cast("Any", _ChunkSource(receive)))
    with suppress(anyio.IncompleteRead, anyio.BrokenResourceError):
        while True:
            line = await _receive_line(stream)
            if replaces_halves:
                line = line.without_halves()
            fault = line.fault()
            message_id = line.message_id() if fault else ""
            if not fault:
                yield line.data.decode()
            elif message_id:
                yield FaultyMessage(message_id, fault)
            elif line.is_too_long:
                return
            # Otherwise it is a short message without an id, which is left out.
            while not line.is_whole:  # Skip the rest of a long line.
                line = await _receive_line(stream)


class _ChunkSource:
    """Gives chunks of bytes to anyio's buffer, which calls only `receive`."""

    def __init__(self, receive: Callable[[], Awaitable[bytes]]) -> None:
        self.receive = receive


async def _receive_line(stream: BufferedByteReceiveStream) -> _MessageLine:
    """Return the next line, or a part of it if it is longer than a message may be."""
    import anyio

    # A byte more than a message may have, so that `is_too_long` sees it. If there is no line end
    # by then, what was received is taken out of the buffer, to make room for the rest.
    try:
        data = await stream.receive_until(b"\n", bounds.MOST_MCP_MESSAGE_BYTES + 1)
    except anyio.DelimiterNotFound:
        data = await stream.receive(2 * bounds.MOST_MCP_MESSAGE_BYTES)
        return _MessageLine(data.removeprefix(BOM_UTF8), is_whole=False)
    return _MessageLine(data.removeprefix(BOM_UTF8), is_whole=True)
