"""What carries messages between us and other programs, within bounds: to the servers that a script calls, and from the
clients that we serve, each by standard input and output or by HTTP.

A line, a body and what it holds are measured before they are parsed, and every wait for a stranger ends.
"""

from __future__ import annotations

import json
import logging
import os
import secrets
import select
import signal
import socket
import subprocess
import threading
import time
from codecs import BOM_UTF8
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, cast

import re2

from controlplane.mcp.server_specs import ServerSpec, environment_for_servers
from sandbox.interface import parse_json

if TYPE_CHECKING:
    from mcp import types
    from mcp.server.lowlevel import Server

CALL_S: Final = 60.0
MOST_LINE_BYTES: Final = 4_000_000
"""Bytes of one message of a server."""
MOST_PARTS: Final = 60_000
"""Lists and objects of one message: each takes many times its bytes in memory."""
MOST_ERROR_BYTES: Final = 4_000
MOST_REQUEST_BYTES: Final = 2_000_000
"""Bytes of one message of a client."""
MOST_UNANSWERED: Final = 64
"""Requests of clients that wait for their replies, or whose replies nobody has read."""
LATE_S: Final = 0.25
"""Seconds that each reply has for coming once the client has closed its side of standard input and output."""


async def bounded_lines(source: Any, most: int) -> AsyncIterator[bytes]:
    """Yield the lines of a stream of chunks; of a line longer than `most` bytes its beginning, at once, and no more.
    Raises `IncompleteRead` at the end of the stream."""
    import anyio
    from anyio.streams.buffered import BufferedByteReceiveStream

    stream, is_overlong = BufferedByteReceiveStream(source), False
    while True:
        try:
            line, is_end = await stream.receive_until(b"\n", most + 1), True
        except anyio.DelimiterNotFound:
            line, is_end = await stream.receive(2 * most), False
        if not is_overlong:
            yield line
        is_overlong = not is_end


_REQUEST: Final = re2.compile(rb'\{.{0,200}?"id"\s*:\s*(\d{1,15}\b|"[^"\\]{1,60}")')
"""The beginning of a request that may be unreadable behind its id."""


def message_in(line: bytes, most: int) -> types.JSONRPCMessage | None:
    """Return the message of a line: an error for one that is overlong or unreadable, None for other output."""
    from mcp import types

    line = line.removeprefix(BOM_UTF8)
    try:
        return types.jsonrpc_message_adapter.validate_python(parse_json(line, most_bytes=most, most_parts=MOST_PARTS))
    except ValueError as error:
        request = _REQUEST.match(line)
        if request is None:
            return None
        fault = f"the message cannot be read{f': {error}' if len(line) > most else ''}"
        data = types.ErrorData(code=types.PARSE_ERROR, message=fault)
        return types.JSONRPCError(jsonrpc="2.0", id=json.loads(request[1]), error=data)


@asynccontextmanager
async def http_transport(spec: ServerSpec) -> AsyncIterator[Any]:
    """Connect to a server and yield its streams of messages. An overlong reply fails its call."""
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    async def bound(response: httpx2.Response) -> None:
        body = cast("httpx2.AsyncByteStream", response.stream)
        is_plain = response.headers.get("content-encoding", "identity") == "identity"
        has_events = response.headers.get("content-type", "").startswith("text/event-stream")
        most = (1 + has_events) * MOST_LINE_BYTES if is_plain else 0  # The client bounds a single event.

        class Bounded(httpx2.AsyncByteStream):
            async def __aiter__(self) -> AsyncIterator[bytes]:
                passed = parts = 0
                async for part in body:
                    passed += len(part)
                    parts += part.count(b"{") + part.count(b"[")
                    if passed > most or parts > MOST_PARTS:
                        size = f"longer than {MOST_LINE_BYTES:,} bytes or {MOST_PARTS:,} values"
                        msg = f"the reply is compressed, which was not asked for, or {size}"
                        raise httpx2.StreamError(msg)
                    yield part

            async def aclose(self) -> None:
                await body.aclose()

        response.stream = Bounded()

    headers = {**spec.headers, "accept-encoding": "identity"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=CALL_S, event_hooks={"response": [bound]}) as http,
        streamable_http_client(spec.url, http_client=http, max_sse_event_size=MOST_LINE_BYTES) as streams,
    ):
        yield streams


@asynccontextmanager
async def stdio_transport(spec: ServerSpec, errors: bytearray) -> AsyncIterator[Any]:
    """Run a server's process and yield its streams of messages. An overlong line, or a flood of lines, ends it. The end
    of its standard error is kept in `errors`."""
    import anyio
    from mcp import types
    from mcp.shared.message import SessionMessage

    process = await anyio.open_process(
        [os.path.expanduser(spec.command), *spec.args],  # noqa: PTH111 - a name of PATH stays a name
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**environment_for_servers(), **spec.env},
        cwd=spec.cwd,
        start_new_session=True,
    )
    stdin = process.stdin
    assert stdin is not None
    into, incoming = anyio.create_memory_object_stream[Any](0)
    outgoing, out_of = anyio.create_memory_object_stream[Any](0)
    unasked = 0

    async def take_lines() -> None:
        nonlocal unasked  # the lines since our last message
        async with into:
            async for line in bounded_lines(process.stdout, MOST_LINE_BYTES):
                unasked += 1
                if len(line) > MOST_LINE_BYTES or unasked > 2_000:
                    return  # The client sees the end of the connection.
                message = message_in(line, MOST_LINE_BYTES)
                if message is not None and not isinstance(message, types.JSONRPCNotification):
                    await into.send(SessionMessage(message))

    async def keep_errors() -> None:
        assert process.stderr is not None
        async for part in process.stderr:
            errors.extend(part)
            del errors[:-MOST_ERROR_BYTES]

    async def send_lines() -> None:
        nonlocal unasked
        async with out_of:
            async for message in out_of:
                unasked = 0
                text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                await stdin.send(text.encode() + b"\n")

    async def until_broken(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.IncompleteRead, OSError):
            await work()

    try:
        async with anyio.create_task_group() as group:
            group.start_soon(until_broken, take_lines)
            group.start_soon(until_broken, send_lines)
            group.start_soon(until_broken, keep_errors)
            try:
                yield incoming, outgoing
            finally:
                group.cancel_scope.cancel()
    finally:
        with anyio.CancelScope(shield=True):
            with anyio.move_on_after(1.0), suppress(Exception):
                await stdin.aclose()
                await process.wait()
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            with suppress(Exception):
                await process.aclose()


def serve_stdio(server: Server[Any]) -> None:
    """Serve on standard input and output until the client leaves. Other output of the process goes to standard error. A
    message that is too large is refused. While `MOST_UNANSWERED` requests wait, further messages stay in the pipe. A
    client that has closed its side still gets its replies, as long as it reads them and one comes within `LATE_S`."""
    import anyio
    import anyio.to_thread
    from mcp import types
    from mcp.shared.message import SessionMessage

    logging.getLogger("mcp").setLevel(logging.CRITICAL)  # It tells of each reply that a client did not wait for.
    source, sink = os.dup(0), os.dup(1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    waiting: set[types.RequestId | None] = set()
    is_read, last_s = False, time.monotonic()
    closed = select.poll()
    closed.register(source, getattr(select, "POLLRDHUP", select.POLLHUP))  # also behind requests still in the pipe

    def write(message: types.JSONRPCMessage) -> None:
        fields = message.model_dump(mode="json", by_alias=True, exclude_unset=True)
        data = json.dumps(fields, ensure_ascii=False).encode("utf-8", "replace") + b"\n"  # it may echo half a surrogate
        while data:
            data = data[os.write(sink, data) :]

    async def receive() -> bytes:
        nonlocal last_s
        chunk = await anyio.to_thread.run_sync(os.read, source, 1 << 16, abandon_on_cancel=True)
        last_s = time.monotonic()
        if not chunk:
            raise anyio.EndOfStream
        return chunk

    async def read_lines(into: Any, outgoing: Any) -> None:
        nonlocal is_read
        with suppress(anyio.IncompleteRead):
            async for line in bounded_lines(SimpleNamespace(receive=receive), MOST_REQUEST_BYTES):
                while len(waiting) >= MOST_UNANSWERED:
                    await anyio.sleep(0.02)
                message = message_in(line, MOST_REQUEST_BYTES)
                if isinstance(message, types.JSONRPCRequest):
                    if message.id in waiting:
                        fault = types.ErrorData(code=types.INVALID_REQUEST, message="a request with this id waits")
                        message = types.JSONRPCError(jsonrpc="2.0", id=message.id, error=fault)
                    else:
                        waiting.add(message.id)
                elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
                    waiting.discard((message.params or {}).get("requestId"))
                if message is not None:
                    is_refusal = isinstance(message, types.JSONRPCError)
                    await (outgoing if is_refusal else into).send(SessionMessage(message))
        is_read = True

    async def write_lines(out_of: Any) -> None:
        nonlocal last_s
        async for message in out_of:
            await anyio.to_thread.run_sync(write, message.message, abandon_on_cancel=True)
            last_s = time.monotonic()
            waiting.discard(getattr(message.message, "id", None))

    async def end_when_left(scope: anyio.CancelScope) -> None:
        while waiting or not is_read:
            if (is_read or closed.poll(0)) and time.monotonic() > last_s + LATE_S:
                break
            await anyio.sleep(0.1)
        scope.cancel()

    async def serve() -> None:
        into, incoming = anyio.create_memory_object_stream[Any](0)
        outgoing, out_of = anyio.create_memory_object_stream[Any](0)
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(read_lines, into, outgoing.clone())
                group.start_soon(write_lines, out_of)
                group.start_soon(end_when_left, group.cancel_scope)
                await server.run(incoming, outgoing, server.create_initialization_options())
        except* (OSError, anyio.BrokenResourceError):
            pass  # The client has closed one end.

    anyio.run(serve)


@contextmanager
def served_over_http(server: Server[Any], token: str, host: str = "127.0.0.1", port: int = 0) -> Iterator[str]:
    """Serve requests that carry the token at an address of this machine; yield the address."""
    import asyncio

    import uvicorn
    from mcp.server.transport_security import RequestBodyLimitMiddleware
    from starlette.responses import PlainTextResponse

    app = server.streamable_http_app(host=host)
    wanted = f"Bearer {token}".encode()
    free = asyncio.Semaphore(MOST_UNANSWERED)
    refusal = partial(PlainTextResponse, headers={"connection": "close", "www-authenticate": "Bearer"})

    bounded = RequestBodyLimitMiddleware(app, MOST_REQUEST_BYTES)

    async def guarded(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
        elif not secrets.compare_digest(dict(scope["headers"]).get(b"authorization", b""), wanted):
            await refusal("a bearer token is needed", 401)(scope, receive, send)
        elif free.locked():
            await refusal(f"{MOST_UNANSWERED} requests are under way: wait for their replies", 503)(
                scope, receive, send
            )
        else:
            async with free:
                await bounded(scope, receive, send)

    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen()
        config = uvicorn.Config(guarded, log_level="critical", http="h11", ws="none", timeout_graceful_shutdown=2)
        running = uvicorn.Server(config)
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            yield f"http://{host}:{listening.getsockname()[1]}/mcp"
        finally:
            running.should_exit = True
            thread.join(10.0)
