"""The connection to an MCP server over HTTP, with a limit on the size of its replies.

The official SDK does not limit a reply, and refuses one with half of a surrogate pair. So a body is
measured, and repaired line by line, before the SDK parses it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final, cast

from controlplane.mcp.message_line import TOO_LARGE, object_count
from controlplane.mcp.server_specs import ServerSpec
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.json_documents import well_formed_json

if TYPE_CHECKING:
    import httpx2

EVENT_FIELD: Final = b"data:"
"""The beginning of a line with a message in a stream of events."""


@asynccontextmanager
async def http_transport(spec: ServerSpec) -> AsyncIterator[Any]:
    """Connect to a server over HTTP and yield its streams of messages.

    A reply that is too large fails the call that waits for it.
    """
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    async with (
        httpx2.AsyncClient(
            headers={**spec.headers, "accept-encoding": "identity"},
            timeout=bounds.TOOL_CALL_S,
            event_hooks={"response": [_bound_response]},
        ) as http,
        streamable_http_client(
            spec.url, http_client=http, max_sse_event_size=bounds.MOST_MCP_MESSAGE_BYTES
        ) as streams,
    ):
        yield streams


async def _bound_response(response: httpx2.Response) -> None:
    """Replace the body of a response by one that raises `StreamError` if it is too large."""
    import httpx2

    body = cast("httpx2.AsyncByteStream", response.stream)

    # The class is defined here because `httpx2` is only imported when a server is used over HTTP.
    class BoundedBody(httpx2.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            parts = _bounded_parts(body, _most_bytes(response))
            async for part in _well_formed_parts(
                parts, has_events=_has_events(response)
            ):
                yield part

        async def aclose(self) -> None:
            await body.aclose()

    response.stream = BoundedBody()


def _most_bytes(response: httpx2.Response) -> int:
    """Return the largest size of a response in bytes."""
    is_compressed = response.headers.get("content-encoding", "identity") != "identity"
    if is_compressed:
        # A small compressed response may become huge. We asked for none, so refuse it.
        return 0
    if _has_events(response):
        # A stream of several events. The client limits the size of each.
        return 2 * bounds.MOST_MCP_MESSAGE_BYTES
    return bounds.MOST_MCP_MESSAGE_BYTES


def _has_events(response: httpx2.Response) -> bool:
    """Return True if a response is a stream of events, each of which may be a message."""
    content_type = str(response.headers.get("content-type", ""))
    return content_type.startswith("text/event-stream")


async def _bounded_parts(
    body: httpx2.AsyncByteStream, most_bytes: int
) -> AsyncIterator[bytes]:
    """Yield the parts of a body. Raises `StreamError` when it becomes too large."""
    import httpx2

    size = 0
    objects = 0
    async for part in body:
        size += len(part)
        objects += object_count(part)
        if size > most_bytes or objects > bounds.MOST_MCP_OBJECTS:
            # For a compressed reply, `_most_bytes` is 0, so it always is too large.
            msg = f"the reply is compressed, which was not asked for, or {TOO_LARGE}"
            raise httpx2.StreamError(msg)
        yield part


async def _well_formed_parts(
    parts: AsyncIterator[bytes], *, has_events: bool
) -> AsyncIterator[bytes]:
    """Yield a body with U+FFFD for every half of a surrogate pair.

    A body of JSON comes in one part, and events such as `data: {"jsonrpc":"2.0","id":7}` come line
    by line. A line that is longer than a message may be is passed on, and the SDK refuses it.
    """
    held_back = bytearray()
    async for part in parts:
        for line in part.splitlines(keepends=True):
            held_back += line
            is_whole = has_events and line.endswith((b"\n", b"\r"))
            if is_whole or len(held_back) > bounds.MOST_MCP_MESSAGE_BYTES:
                yield _well_formed_line(bytes(held_back))
                held_back.clear()
    yield _well_formed_line(bytes(held_back))


def _well_formed_line(line: bytes) -> bytes:
    """Return a line, such as `data: {"a": "\\ud83d"}`, with U+FFFD for halves of surrogate pairs."""
    content = line.rstrip(b"\r\n")
    line_end = line[len(content) :]
    field = EVENT_FIELD if content.startswith(EVENT_FIELD) else b""
    try:
        return field + well_formed_json(content.removeprefix(field)) + line_end
    except ValueError:  # It is no JSON: the SDK decides what that means.
        return line
