"""Carries MCP messages to the servers that scripts call, and from the clients that call us.

The official SDK speaks the protocol. It does not limit the size of a message, so this
module measures each line and each HTTP body before the SDK parses it.
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
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, cast

import re2

from controlplane.mcp.server_specs import ServerSpec, environment_for_servers
from controlplane.sandbox.interface import bounds

if TYPE_CHECKING:
    import anyio.abc
    import httpx2
    from anyio.streams.buffered import BufferedByteReceiveStream
    from mcp.server.lowlevel import Server


# --- Lines with a limit ---

# Over standard streams, each message is one line of JSON, for
# example {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{…}}

TOO_LARGE: Final = (
    f"longer than {bounds.MOST_MESSAGE_BYTES:,} bytes or {bounds.MOST_OBJECTS:,} values"
)

# The id is searched by a pattern: a message that is cut off, or not JSON, cannot be parsed.
_NUMBER_ID: Final = rb"\d{1,15}\b"  # 7
_TEXT_ID: Final = rb'"[^"\\]{1,60}"'  # "a1"; no SDK writes longer ids
_MESSAGE_ID: Final = re2.compile(
    rb'\{.{0,200}?"id"\s*:\s*(' + _NUMBER_ID + rb"|" + _TEXT_ID + rb")"
)
"""Finds the id within the first 200 bytes of a message, such as `{"jsonrpc":"2.0","id":7,…`."""


class StandIn(Protocol):
    """A function that returns a message to replace a faulty one."""

    def __call__(self, message_id: str, fault: str) -> str:
        """Return the message. `message_id` is the faulty one's id as JSON: `7` or `"a1"`."""


class _ChunkSource:
    """Gives chunks of bytes to anyio's buffer, which calls only `receive`."""

    def __init__(self, receive: Callable[[], Awaitable[bytes]]) -> None:
        self.receive = receive


async def bounded_lines(
    receive: Callable[[], Awaitable[bytes]], stand_in: StandIn
) -> AsyncIterator[str]:
    """Yield the messages of a stream, which `receive` returns in chunks.

    A message that is too large or cannot be read is not yielded:

    - If it has an id, `stand_in` makes a message in its place, so that the call with this
      id fails at once.
    - Without an id it is dropped, because no call waits for it.
    - If it is also too large, the stream ends: the sender does not speak the protocol.
    """
    import anyio
    from anyio.streams.buffered import BufferedByteReceiveStream

    stream = BufferedByteReceiveStream(cast("Any", _ChunkSource(receive)))
    with suppress(anyio.IncompleteRead, anyio.BrokenResourceError):
        while True:
            received = await _receive_line(stream)
            line = received.data.removeprefix(BOM_UTF8)
            fault = _fault_in(line)
            message_id = _id_in(line) if fault else ""
            if not fault:
                yield line.decode()
            elif message_id:
                yield stand_in(message_id, fault)
            elif len(line) > bounds.MOST_MESSAGE_BYTES:
                return
            while not received.is_whole:  # Skip the rest of the long line.
                received = await _receive_line(stream)


class _ReceivedLine(NamedTuple):
    """A line, or the beginning of a line that is too long."""

    data: bytes
    is_whole: bool


async def _receive_line(stream: BufferedByteReceiveStream) -> _ReceivedLine:
    """Return the next line, or a part of it if it is longer than a message may be."""
    import anyio

    try:
        line = await stream.receive_until(b"\n", bounds.MOST_MESSAGE_BYTES + 1)
    except anyio.DelimiterNotFound:
        arrived = await stream.receive(2 * bounds.MOST_MESSAGE_BYTES)
        return _ReceivedLine(arrived, is_whole=False)
    return _ReceivedLine(line, is_whole=True)


def _id_in(line: bytes) -> str:
    """Return the id of a message that cannot be parsed, as JSON: `7`, `"a1"`; empty if none."""
    id_match = _MESSAGE_ID.match(line)
    if id_match is None:
        return ""
    message_id: bytes = id_match[1]
    return message_id.decode("utf-8", "replace")


def _fault_in(line: bytes) -> str:
    """Return why a message must not be passed on to the SDK; empty if it can be passed on."""
    from mcp.types import jsonrpc_message_adapter

    if (
        len(line) > bounds.MOST_MESSAGE_BYTES
        or _object_count(line) > bounds.MOST_OBJECTS
    ):
        return f"the message is {TOO_LARGE}"
    try:
        jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        return "the message cannot be read"
    return ""


def _object_count(data: bytes) -> int:
    """Return how many objects and lists some JSON has at most, by counting brackets."""
    return data.count(b"{") + data.count(b"[")


def _failed_reply(message_id: str, fault: str) -> str:
    """Return an error that replaces a server's reply and fails the call that waits for it.

    In JSON-RPC, the code -32700 means that a message cannot be parsed.
    """
    error = f'{{"code":-32700,"message":"{fault}"}}'
    return f'{{"jsonrpc":"2.0","id":{message_id},"error":{error}}}'


def _failing_request(message_id: str, fault: str) -> str:
    """Return a request that replaces a client's, and to which the SDK replies with an error.

    The fault takes the place of the method's name. The SDK replies "Method not found",
    and quotes it.
    """
    return f'{{"jsonrpc":"2.0","id":{message_id},"method":"{fault}"}}'


# --- To a server over HTTP ---


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
            spec.url, http_client=http, max_sse_event_size=bounds.MOST_MESSAGE_BYTES
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
            async for part in _bounded_parts(body, _most_bytes(response)):
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
    content_type = response.headers.get("content-type", "")
    if content_type.startswith("text/event-stream"):
        # A stream of several events. The client limits the size of each.
        return 2 * bounds.MOST_MESSAGE_BYTES
    return bounds.MOST_MESSAGE_BYTES


async def _bounded_parts(
    body: httpx2.AsyncByteStream, most_bytes: int
) -> AsyncIterator[bytes]:
    """Yield the parts of a body. Raises `StreamError` when it becomes too large."""
    import httpx2

    size = 0
    object_count = 0
    async for part in body:
        size += len(part)
        object_count += _object_count(part)
        if size > most_bytes or object_count > bounds.MOST_OBJECTS:
            # For a compressed reply, `_most_bytes` is 0, so it always is too large.
            msg = f"the reply is compressed, which was not asked for, or {TOO_LARGE}"
            raise httpx2.StreamError(msg)
        yield part


# --- To a server over standard streams ---


MOST_UNASKED_MESSAGES: Final = 2_000
"""Messages, such as logs, that a server may send after our last one before it is disconnected."""
KEPT_ERROR_BYTES: Final = 4_000
"""The number of bytes of a server's standard error that are kept for error messages."""
CLOSING_S: Final = 1.0
"""The time that a server has to end after its input is closed."""


@asynccontextmanager
async def stdio_transport(spec: ServerSpec, errors: bytearray) -> AsyncIterator[Any]:
    """Run a server's process and yield its streams of messages.

    The last part of its standard error is kept in `errors`.
    """
    import anyio

    # The SDK's `stdio_client` would read lines of any length. Its `stdio_server` can be
    # given other streams, with a limit. It does the same for a client as for a server:
    # it reads messages from `messages_in`, and writes messages to `messages_out`.
    from mcp.server.stdio import stdio_server

    process = await anyio.open_process(
        [os.path.expanduser(spec.command), *spec.args],  # noqa: PTH111 - keeps a bare name as it is
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**environment_for_servers(), **spec.env},
        cwd=spec.cwd,
        start_new_session=True,
    )
    pipes = _ServerPipes(process, errors)
    # The SDK declares text files of anyio here, but only iterates, writes and flushes.
    messages_in = cast("Any", pipes.lines())
    messages_out = cast("Any", pipes)
    async with (
        stdio_server(messages_in, messages_out) as streams,
        anyio.create_task_group() as group,
    ):
        group.start_soon(pipes.keep_errors)
        try:
            yield streams
        finally:
            await _end_process(process)


class _ServerPipes:
    """The standard streams of a server's process, as the SDK uses them.

    The SDK writes with `write` and `flush`, as to a text file.
    """

    def __init__(self, process: anyio.abc.Process, errors: bytearray) -> None:
        self.process = process
        self.errors = errors
        self.unasked_messages = 0
        """The number of messages that the server has sent since our last one."""

    async def lines(self) -> AsyncIterator[str]:
        """Yield the server's messages until it ends or sends too many."""
        stdout = self.process.stdout
        assert stdout is not None
        async for line in bounded_lines(stdout.receive, _failed_reply):
            self.unasked_messages += 1
            if self.unasked_messages > MOST_UNASKED_MESSAGES:
                return  # The client then sees that the connection is closed.
            yield line

    async def write(self, line: str) -> None:
        """Send a message to the server."""
        import anyio

        assert self.process.stdin is not None
        self.unasked_messages = 0
        # If the server has ended, the reader of its messages notices it.
        with suppress(anyio.BrokenResourceError):
            await self.process.stdin.send(line.encode())

    async def flush(self) -> None:
        """Let other tasks run, as the SDK expects. `write` has already sent everything."""
        import anyio.lowlevel

        await anyio.lowlevel.checkpoint()

    async def keep_errors(self) -> None:
        """Read the server's standard error and keep its last part."""
        import anyio

        assert self.process.stderr is not None
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            async for part in self.process.stderr:
                self.errors.extend(part)
                del self.errors[:-KEPT_ERROR_BYTES]


async def _end_process(process: anyio.abc.Process) -> None:
    """Close a server's input. Kill its processes if it does not end."""
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
            await anyio.sleep(bounds.CLOSE_S)
            client_left()
            raise anyio.EndOfStream
        return chunk

    async def serve() -> None:
        lines = cast("Any", bounded_lines(receive, _failing_request))
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


ENDING_S: Final = 10.0
"""The time that running requests have when a server over HTTP ends."""


@contextmanager
def served_over_http(
    server: Server[Any], token: str, host: str = "127.0.0.1", port: int = 0
) -> Iterator[str]:
    """Serve requests that carry the token over HTTP on this machine. Yield the address."""
    import uvicorn

    app = server.streamable_http_app(
        host=host, max_request_body_size=bounds.MOST_MESSAGE_BYTES
    )
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
    """An ASGI application that passes on only requests with the bearer token."""

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
        return secrets.compare_digest(
            headers.get(b"authorization", b""), self.authorization
        )
