"""Serves MCP clients over HTTP on this machine, if their requests carry a token."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, cast

from controlplane import web_host
from controlplane.mcp.message_lines import bounded_messages
from controlplane.sandbox.interface import bounds

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

# Serves an MCP client that started this process, over standard input and output.

_FAILING_REQUEST: Final = '{"jsonrpc":"2.0","id":%(id)s,"method":"%(fault)s"}'
"""A request in place of a faulty one, to which the SDK replies with an error.

The fault takes the place of the method's name. The SDK replies "Method not found", and quotes it.
"""


def serve_stdio(server: Server[Any], client_left: Callable[[], object]) -> None:
    """Serve on standard input and output until the client leaves, then call `client_left`.

    Other output of this process goes to standard error.
    """
    import anyio
    import anyio.to_thread
    from mcp.server.stdio import stdio_server

    # This logger would report every reply that a client did not wait for.
    logging.getLogger("mcp").setLevel(logging.CRITICAL)

    # Child processes, such as scripts and servers, inherit standard input. They must not read the
    # client's messages, so an empty file takes its place.
    client_input = os.dup(0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)

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

    async def serve() -> None:
        # The SDK declares a text file of anyio here, but only iterates.
        lines = cast("Any", bounded_messages(receive, _FAILING_REQUEST))
        async with stdio_server(lines) as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    try:
        anyio.run(serve)
    except* (OSError, anyio.BrokenResourceError):
        pass  # the client has closed its end


@contextmanager
def served_over_http(
    server: Server[Any], token: str, host: str = "127.0.0.1", port: int = 0
) -> Iterator[str]:
    """Serve requests that carry the token over HTTP on this machine. Yield the address.

    Raises `OSError` if the address cannot be used.
    """
    from starlette.responses import PlainTextResponse

    app = server.streamable_http_app(
        host=host, max_request_body_size=bounds.MOST_MCP_MESSAGE_BYTES
    )
    refusal_headers = {"connection": "close", "www-authenticate": "Bearer"}
    refusal = PlainTextResponse("a bearer token is needed", 401, refusal_headers)

    async def guarded_app(scope: Any, receive: Any, send: Any) -> None:
        sent = dict(scope.get("headers", ())).get(b"authorization", b"")
        has_token = web_host.is_token(sent.decode("latin-1"), f"Bearer {token}")
        answers = app if has_token or scope["type"] != "http" else refusal
        await answers(scope, receive, send)

    listener = web_host.listen(host, port)
    with web_host.WebHost(guarded_app, listener).serving():
        yield f"{web_host.url_of(listener)}/mcp"
