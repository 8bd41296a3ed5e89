"""The messages of an MCP stream, as far as they may be passed on to the SDK.

Over standard streams, each message is one line of JSON, for example
`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}`. The official SDK speaks the
protocol, but does not limit the size of a message. So each line is measured first.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from controlplane.mcp.message_line import MessageLine
from controlplane.sandbox.interface import bounds

if TYPE_CHECKING:
    from anyio.streams.buffered import BufferedByteReceiveStream


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


async def _receive_line(stream: BufferedByteReceiveStream) -> MessageLine:
    """Return the next line, or a part of it if it is longer than a message may be."""
    import anyio

    # A byte more than a message may have, so that `is_too_long` sees it. If there is no line end
    # by then, what was received is taken out of the buffer, to make room for the rest.
    try:
        data = await stream.receive_until(b"\n", bounds.MOST_MCP_MESSAGE_BYTES + 1)
    except anyio.DelimiterNotFound:
        data = await stream.receive(2 * bounds.MOST_MCP_MESSAGE_BYTES)
        return MessageLine(data.removeprefix(BOM_UTF8), is_whole=False)
    return MessageLine(data.removeprefix(BOM_UTF8), is_whole=True)
