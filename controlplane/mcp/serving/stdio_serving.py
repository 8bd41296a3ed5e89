"""Serves an MCP client that started this process, over standard input and output."""

from __future__ import annotations

import logging
import os
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any, cast

from controlplane.mcp.message_lines import FaultyMessage, bounded_messages
from controlplane.sandbox.interface import bounds

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server


def serve_stdio(server: Server[Any], client_left: Callable[[], object]) -> None:
    """Serve on standard input and output until the client leaves, then call `client_left`.

    Other output of this process goes to standard error.
    """
    import anyio
    import anyio.to_thread
    from mcp.server.stdio import stdio_server

    # This logger would report every reply that a client did not wait for.
    logging.getLogger("mcp").setLevel(logging.CRITICAL)
    client_input = _take_standard_input()

    async def receive() -> bytes:
        chunk = await anyio.to_thread.run_sync(
            os.read, client_input, 1 << 16, abandon_on_cancel=True
        )
        has_left = not chunk
        if has_left:
            # Running calls get some time to end and to be recorded. Then `client_left` ends
            # the other calls, and `EndOfStream` ends the server.
            await anyio.sleep(bounds.MCP_CLOSE_S)
            client_left()
            raise anyio.EndOfStream
        return chunk

    async def client_lines() -> AsyncIterator[str]:
        async for message in bounded_messages(receive):
            if isinstance(message, FaultyMessage):
                yield _failing_request(message)
            else:
                yield message

    async def serve() -> None:
        # The SDK declares a text file of anyio here, but only iterates.
        lines = cast("Any", client_lines())
        async with stdio_server(lines) as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    try:
        anyio.run(serve)
    except* (OSError, anyio.BrokenResourceError):
        pass  # the client has closed its end


def _take_standard_input() -> int:
    """Return a new descriptor of standard input, and replace standard input by an empty file.

    Child processes, such as scripts and servers, inherit standard input. They must not
    read the client's messages.
    """
    client_input = os.dup(0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    return client_input


def _failing_request(message: FaultyMessage) -> str:
    """Return a request in place of a faulty one, to which the SDK replies with an error.

    The fault takes the place of the method's name. The SDK replies "Method not found",
    and quotes it.
    """
    request = f'"id":{message.message_id},"method":"{message.fault}"'
    return f'{{"jsonrpc":"2.0",{request}}}'
