"""The SDK's transports with a limit on messages: to the servers that scripts call, and from our
clients.

A line and a body are measured before the SDK parses them. Over standard streams, its pump of lines
serves both sides.
"""

from __future__ import annotations

import logging
import os
import secrets
import signal
import socket
import subprocess
import threading
from codecs import BOM_UTF8
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, cast

import re2

from controlplane.mcp.server_specs import ServerSpec, environment_for_servers
from controlplane.sandbox.interface import bounds

if TYPE_CHECKING:
    import anyio.abc
    import httpx2
    from mcp.server.lowlevel import Server


# --- Lines with a limit ---


_ID: Final = re2.compile(rb'\{.{0,200}?"id"\s*:\s*(\d{1,15}\b|"[^"\\]{1,60}")')
"""The id near the beginning of a message, which may be cut off behind it."""
TOO_LARGE: Final = (
    f"longer than {bounds.MOST_MESSAGE_BYTES:,} bytes or {bounds.MOST_OBJECTS:,} values"
)


def _fault_in(line: bytes) -> str:
    """Return why a message is not passed on; empty if it is."""
    from mcp.types import jsonrpc_message_adapter

    values = line.count(b"{") + line.count(b"[")
    if len(line) > bounds.MOST_MESSAGE_BYTES or values > bounds.MOST_OBJECTS:
        return f"the message is {TOO_LARGE}"
    try:
        jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        return "the message cannot be read"
    return ""


async def bounded_lines(receive: Callable[[], Awaitable[bytes]], report: str) -> AsyncIterator[str]:
    """Yield the messages of a stream of chunks.

    In place of one that is too large or cannot be read comes one of its id with the field `report`,
    in which `%s` is the fault. Without an id it is left out; it ends the stream if it is longer
    than `MOST_MESSAGE_BYTES`.
    """
    import anyio
    from anyio.streams.buffered import BufferedByteReceiveStream

    source = cast("Any", SimpleNamespace(receive=receive))
    stream = BufferedByteReceiveStream(source)
    is_rest_of_line = False
    with suppress(anyio.IncompleteRead, anyio.BrokenResourceError):
        while True:
            try:
                line = await stream.receive_until(b"\n", bounds.MOST_MESSAGE_BYTES + 1)
                ends_line = True
            except anyio.DelimiterNotFound:
                line = await stream.receive(2 * bounds.MOST_MESSAGE_BYTES)
                ends_line = False
            if not is_rest_of_line:
                line = line.removeprefix(BOM_UTF8)
                fault = _fault_in(line)
                message = _fault_message(line, report % fault) if fault else line.decode()
                if message:
                    yield message
                elif len(line) > bounds.MOST_MESSAGE_BYTES:
                    return
            is_rest_of_line = not ends_line


def _fault_message(line: bytes, field: str) -> str:
    """Return a message with the id of a faulty one and this field; empty if it has no id."""
    found = _ID.match(line)
    if found is None:
        return ""
    message_id = found[1].decode("utf-8", "replace")
    return f'{{"jsonrpc":"2.0","id":{message_id},{field}}}'


# --- To a server over HTTP ---


@asynccontextmanager
async def http_transport(spec: ServerSpec) -> AsyncIterator[Any]:
    """Connect to a server and yield its streams of messages. An overlong reply fails its call."""
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    async with (
        httpx2.AsyncClient(
            headers={**spec.headers, "accept-encoding": "identity"},
            timeout=bounds.TOOL_CALL_S,
            event_hooks={"response": [_bound_response]},
        ) as http,
        streamable_http_client(
            spec.url, http_client=http, max_sse_event_size=bounds.MOST_MESSAGE_BYTES
        ) as streams,
    ):
        yield streams


async def _bound_response(response: httpx2.Response) -> None:
    """Replace the body of a response by one that fails when it becomes too large."""
    import httpx2

    body = cast("httpx2.AsyncByteStream", response.stream)

    class Bounded(httpx2.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for part in _bounded_parts(body, _most_bytes(response)):
                yield part

        async def aclose(self) -> None:
            await body.aclose()

    response.stream = Bounded()


def _most_bytes(response: httpx2.Response) -> int:
    """Return how long a response may be; none may be compressed."""
    if response.headers.get("content-encoding", "identity") != "identity":
        return 0
    content_type = response.headers.get("content-type", "")
    if content_type.startswith("text/event-stream"):
        return 2 * bounds.MOST_MESSAGE_BYTES  # The client bounds a single event.
    return bounds.MOST_MESSAGE_BYTES


async def _bounded_parts(body: httpx2.AsyncByteStream, most_bytes: int) -> AsyncIterator[bytes]:
    import httpx2

    size = 0
    values = 0
    async for part in body:
        size += len(part)
        values += part.count(b"{") + part.count(b"[")
        if size > most_bytes or values > bounds.MOST_OBJECTS:
            msg = f"the reply is compressed, which was not asked for, or {TOO_LARGE}"
            raise httpx2.StreamError(msg)
        yield part


# --- To a server over standard streams ---


MOST_UNASKED_MESSAGES: Final = 2_000
"""Messages of a server since our last one; a flood ends the connection."""
KEPT_ERROR_BYTES: Final = 4_000
CLOSING_S: Final = 1.0
"""Time that a server has for ending when its input is closed."""


@asynccontextmanager
async def stdio_transport(spec: ServerSpec, errors: bytearray) -> AsyncIterator[Any]:
    """Run a server's process and yield its streams of messages.

    The end of its standard error is kept in `errors`.
    """
    import anyio

    # It carries lines in both directions; the SDK's own client has no limit.
    from mcp.server.stdio import stdio_server

    process = await anyio.open_process(
        [os.path.expanduser(spec.command), *spec.args],  # noqa: PTH111 - a name of PATH stays a name
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**environment_for_servers(), **spec.env},
        cwd=spec.cwd,
        start_new_session=True,
    )
    pipes = _ServerPipes(process, errors)
    async with (
        stdio_server(cast("Any", pipes.lines()), cast("Any", pipes)) as streams,
        anyio.create_task_group() as group,
    ):
        group.start_soon(pipes.keep_errors)
        try:
            yield streams
        finally:
            await _end_process(process)


class _ServerPipes:
    """The standard streams of a server's process. The SDK writes to it as to a text file."""

    def __init__(self, process: anyio.abc.Process, errors: bytearray) -> None:
        self.process = process
        self.errors = errors
        self.unasked_messages = 0

    async def lines(self) -> AsyncIterator[str]:
        """Yield the server's messages until it ends or floods us with them."""
        stdout = self.process.stdout
        assert stdout is not None
        report = '"error":{"code":-32700,"message":"%s"}'
        async for line in bounded_lines(stdout.receive, report):
            self.unasked_messages += 1
            if self.unasked_messages > MOST_UNASKED_MESSAGES:
                return  # The client sees the end of the connection.
            yield line

    async def write(self, line: str) -> None:
        import anyio

        assert self.process.stdin is not None
        self.unasked_messages = 0
        with suppress(anyio.BrokenResourceError):  # The reader sees the end, too.
            await self.process.stdin.send(line.encode())

    async def flush(self) -> None:
        import anyio.lowlevel

        await anyio.lowlevel.checkpoint()

    async def keep_errors(self) -> None:
        """Keep the end of what the server writes to standard error."""
        import anyio

        assert self.process.stderr is not None
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            async for part in self.process.stderr:
                self.errors.extend(part)
                del self.errors[:-KEPT_ERROR_BYTES]


async def _end_process(process: anyio.abc.Process) -> None:
    """Close a server's input, and kill its processes if it does not end by that."""
    import anyio

    assert process.stdin is not None
    with anyio.CancelScope(shield=True):
        with anyio.move_on_after(CLOSING_S), suppress(Exception):
            await process.stdin.aclose()
            await process.wait()
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        with suppress(Exception):
            await process.aclose()


# --- From a client ---


def serve_stdio(server: Server[Any], client_left: Callable[[], object]) -> None:
    """Serve on standard input and output until the client leaves, and call `client_left` then.

    Other output of the process goes to standard error.
    """
    import anyio
    import anyio.to_thread
    from mcp.server.stdio import stdio_server

    # It tells of each reply that a client did not wait for.
    logging.getLogger("mcp").setLevel(logging.CRITICAL)
    client_input = os.dup(0)  # Scripts and servers read nothing of the client.
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)

    async def receive() -> bytes:
        chunk = await anyio.to_thread.run_sync(
            os.read, client_input, 1 << 16, abandon_on_cancel=True
        )
        if not chunk:
            await anyio.sleep(bounds.CLOSE_S)
            client_left()
            raise anyio.EndOfStream
        return chunk

    async def serve() -> None:
        # A faulty message becomes a request for a method that the server says it lacks.
        lines = bounded_lines(receive, '"method":"%s"')
        async with stdio_server(cast("Any", lines)) as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    try:
        anyio.run(serve)
    except* (OSError, anyio.BrokenResourceError):
        pass  # The client has closed its other end.


ENDING_S: Final = 10.0
"""Time for the requests under way when a server over HTTP ends."""


@contextmanager
def served_over_http(
    server: Server[Any], token: str, host: str = "127.0.0.1", port: int = 0
) -> Iterator[str]:
    """Serve requests that carry the token at an address of this machine; yield the address."""
    import uvicorn

    app = server.streamable_http_app(host=host, max_request_body_size=bounds.MOST_MESSAGE_BYTES)
    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen()
        config = uvicorn.Config(
            _TokenGuard(app, token),
            log_level="critical",
            http="h11",
            ws="none",
            timeout_graceful_shutdown=2,
        )
        http_server = uvicorn.Server(config)
        thread = threading.Thread(
            target=http_server.run, kwargs={"sockets": [listening]}, daemon=True
        )
        thread.start()
        try:
            yield f"http://{host}:{listening.getsockname()[1]}/mcp"
        finally:
            http_server.should_exit = True
            thread.join(ENDING_S)


class _TokenGuard:
    """An ASGI application that passes on requests with the bearer token."""

    def __init__(self, app: Any, token: str) -> None:
        from starlette.responses import PlainTextResponse

        self.app = app
        self.authorization = f"Bearer {token}".encode()
        headers = {"connection": "close", "www-authenticate": "Bearer"}
        self.refusal = PlainTextResponse("a bearer token is needed", 401, headers)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http" and not self._has_token(scope):
            await self.refusal(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    def _has_token(self, scope: Any) -> bool:
        headers = dict(scope.get("headers", ()))
        return secrets.compare_digest(headers.get(b"authorization", b""), self.authorization)
