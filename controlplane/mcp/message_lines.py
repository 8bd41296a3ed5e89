"""The messages of an MCP stream, as far as they may be passed on to the SDK.

Over standard streams, each message is one line of JSON, for example
`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}`. The official SDK speaks the
protocol, but does not limit the size of a message. So each line is measured first.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

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
    rb'\[?\{.{0,200}?"id"\s*:\s*(' + _NUMBER_ID + rb"|" + _TEXT_ID + rb")"
)
"""Finds the id within the first 200 bytes of a message, such as `{"jsonrpc":"2.0","id":7,…`.

A server may send several messages as a list, as an earlier version of the protocol allowed. The SDK
refuses it, and the call of the first message fails at once.
"""


def object_count(data: bytes) -> int:
    """Return how many objects and lists some JSON has at most: `{"a": [1]}` -> 2.

    It counts brackets, of which some may be in texts.
    """
    return data.count(b"{") + data.count(b"[")


async def bounded_messages(
    receive: Callable[[], Awaitable[bytes]],
    stand_in: str,
    *,
    replaces_halves: bool = False,
) -> AsyncIterator[str]:
    """Yield the messages of a stream, which `receive` returns in chunks.

    With `replaces_halves`, halves of surrogate pairs become U+FFFD. Otherwise a message with one
    is faulty.
    In place of a faulty message, `stand_in` is yielded with the values of `%(id)s` and `%(fault)s`,
    since a call may wait for it. The id is JSON: `7` or `"a1"`. The fault is one of our own texts,
    without quotation marks. A faulty message without an id is left out. If it is too long, the stream
    ends: the sender does not speak the protocol.
    """
    import anyio
    from anyio.streams.buffered import BufferedByteReceiveStream
    from mcp.types import jsonrpc_message_adapter

    source: Any = SimpleNamespace(
        receive=receive
    )  # The buffer calls nothing else of it.
    stream = BufferedByteReceiveStream(source)
    with suppress(anyio.IncompleteRead, anyio.BrokenResourceError):
        while True:
            line, is_whole = await _received_line(stream)
            is_too_long = len(line) > bounds.MOST_MCP_MESSAGE_BYTES
            if is_too_long or object_count(line) > bounds.MOST_MCP_OBJECTS:
                fault = f"the message is {TOO_LARGE}"
            else:
                if replaces_halves:
                    line = without_halves(line)
                fault = "the message cannot be read"
                with suppress(ValueError):  # The SDK cannot read it.
                    jsonrpc_message_adapter.validate_json(line, by_name=False)
                    fault = ""
            message_id = _MESSAGE_ID.match(line)
            if not fault:
                yield line.decode()
            elif message_id is not None:
                id_text = message_id[1].decode("utf-8", "replace")
                yield stand_in % {"id": id_text, "fault": fault}
            elif is_too_long:
                return
            while not is_whole:  # Skip the rest of a long line.
                _, is_whole = await _received_line(stream)


def without_halves(line: bytes) -> bytes:
    """Return a line with U+FFFD for every half of a surrogate pair, which the SDK refuses.

    A line that is no JSON is returned as it is.
    """
    with suppress(ValueError):
        return well_formed_json(line)
    return line


async def _received_line(stream: BufferedByteReceiveStream) -> tuple[bytes, bool]:
    """Return the next line, and True; of a line that is longer than a message, a part, and False."""
    import anyio

    # A byte more than a message may have, so that it is seen to be too long. If there is no line
    # end by then, what was received is taken out of the buffer, to make room for the rest.
    try:
        data = await stream.receive_until(b"\n", bounds.MOST_MCP_MESSAGE_BYTES + 1)
    except anyio.DelimiterNotFound:
        return await stream.receive(2 * bounds.MOST_MCP_MESSAGE_BYTES), False
    return data.removeprefix(BOM_UTF8), True
