"""The SDK's transports with a limit on messages: to the servers that scripts call, and from the clients that we serve.

A line and a body are measured before the SDK parses them. Over standard streams, its pump of lines serves both sides.
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
    from mcp.server.lowlevel import Server

_ID: Final = re2.compile(rb'\{.{0,200}?"id"\s*:\s*(\d{1,15}\b|"[^"\\]{1,60}")')
"""The beginning of a message that is too large behind its id."""


def _fault_in(line: bytes) -> str:
    """Return why a message is not passed on; empty if it is."""
    from mcp.types import jsonrpc_message_adapter

    if (
        len(line) > bounds.MOST_MESSAGE_BYTES
        or line.count(b"{") + line.count(b"[") > bounds.MOST_OBJECTS
    ):
        return f"the message is longer than {bounds.MOST_MESSAGE_BYTES:,} bytes or {bounds.MOST_OBJECTS:,} values"
    try:
        jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        return "the message cannot be read"
    return ""


async def bounded_lines(receive: Callable[[], Awaitable[bytes]], report: str) -> AsyncIterator[str]:
    """Yield the messages of a stream of chunks. In place of one that is too large or cannot be read comes one of its
    id with the field `report`, in which `%s` is the fault; it is left out without an id, and ends the stream if it is
    longer than `MOST_MESSAGE_BYTES`."""
    import anyio
    from anyio.streams.buffered import BufferedByteReceiveStream

    stream, is_rest = (
        BufferedByteReceiveStream(cast("Any", SimpleNamespace(receive=receive))),
        False,
    )
    with suppress(anyio.IncompleteRead, anyio.BrokenResourceError):
        while True:
            try:
                line, is_whole = (
                    await stream.receive_until(b"\n", bounds.MOST_MESSAGE_BYTES + 1),
                    True,
                )
            except anyio.DelimiterNotFound:
                line, is_whole = await stream.receive(2 * bounds.MOST_MESSAGE_BYTES), False
            if not is_rest:
                line = line.removeprefix(BOM_UTF8)
                if not (fault := _fault_in(line)):
                    yield line.decode()
                elif found := _ID.match(line):
                    yield f'{{"jsonrpc":"2.0","id":{found[1].decode("utf-8", "replace")},{report % fault}}}'
                elif len(line) > bounds.MOST_MESSAGE_BYTES:
                    return
            is_rest = not is_whole


@asynccontextmanager
async def http_transport(spec: ServerSpec) -> AsyncIterator[Any]:
    """Connect to a server and yield its streams of messages. An overlong reply fails its call."""
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    async def bound(response: httpx2.Response) -> None:
        body = cast("httpx2.AsyncByteStream", response.stream)
        is_plain = response.headers.get("content-encoding", "identity") == "identity"
        has_events = response.headers.get("content-type", "").startswith("text/event-stream")
        most = (
            (1 + has_events) * bounds.MOST_MESSAGE_BYTES if is_plain else 0
        )  # The client bounds a single event.

        class Bounded(httpx2.AsyncByteStream):
            async def __aiter__(self) -> AsyncIterator[bytes]:
                passed = parts = 0
                async for part in body:
                    passed += len(part)
                    parts += part.count(b"{") + part.count(b"[")
                    if passed > most or parts > bounds.MOST_OBJECTS:
                        size = f"longer than {bounds.MOST_MESSAGE_BYTES:,} bytes or {bounds.MOST_OBJECTS:,} values"
                        msg = f"the reply is compressed, which was not asked for, or {size}"
                        raise httpx2.StreamError(msg)
                    yield part

            async def aclose(self) -> None:
                await body.aclose()

        response.stream = Bounded()

    headers = {**spec.headers, "accept-encoding": "identity"}
    async with (
        httpx2.AsyncClient(
            headers=headers, timeout=bounds.TOOL_CALL_S, event_hooks={"response": [bound]}
        ) as http,
        streamable_http_client(
            spec.url, http_client=http, max_sse_event_size=bounds.MOST_MESSAGE_BYTES
        ) as streams,
    ):
        yield streams


@asynccontextmanager
async def stdio_transport(spec: ServerSpec, errors: bytearray) -> AsyncIterator[Any]:
    """Run a server's process and yield its streams of messages. A flood of messages ends it. The end of its standard
    error is kept in `errors`."""
    import anyio
    import anyio.lowlevel
    from mcp.server.stdio import (
        stdio_server,
    )  # It carries lines in both directions; the SDK's own client has no limit.

    process = await anyio.open_process(
        [os.path.expanduser(spec.command), *spec.args],  # noqa: PTH111 - a name of PATH stays a name
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**environment_for_servers(), **spec.env},
        cwd=spec.cwd,
        start_new_session=True,
    )
    stdin, stdout, stderr = process.stdin, process.stdout, process.stderr
    assert stdin is not None
    assert stdout is not None
    assert stderr is not None
    unasked = 0

    async def lines() -> AsyncIterator[str]:
        nonlocal unasked
        async for line in bounded_lines(stdout.receive, '"error":{"code":-32700,"message":"%s"}'):
            unasked += 1
            # Messages of a server since our last one.
            if unasked > 2_000:
                return  # The client sees the end of the connection.
            yield line

    async def write(line: str) -> None:
        nonlocal unasked
        unasked = 0
        with suppress(anyio.BrokenResourceError):  # The reader sees the end, too.
            await stdin.send(line.encode())

    async def keep_errors() -> None:
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            async for part in stderr:
                errors.extend(part)
                del errors[:-4_000]

    sink = SimpleNamespace(write=write, flush=anyio.lowlevel.checkpoint)
    async with (
        stdio_server(cast("Any", lines()), cast("Any", sink)) as streams,
        anyio.create_task_group() as group,
    ):
        group.start_soon(keep_errors)
        try:
            yield streams
        finally:
            with anyio.CancelScope(shield=True):
                with anyio.move_on_after(1.0), suppress(Exception):
                    await stdin.aclose()
                    await process.wait()
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
                with suppress(Exception):
                    await process.aclose()


def serve_stdio(server: Server[Any], left: Callable[[], object]) -> None:
    """Serve on standard input and output until the client leaves, and call `left` as soon as it has. Other output of
    the process goes to standard error."""
    import anyio
    import anyio.to_thread
    from mcp.server.stdio import stdio_server

    logging.getLogger("mcp").setLevel(
        logging.CRITICAL
    )  # It tells of each reply that a client did not wait for.
    source = os.dup(0)  # Scripts and servers read nothing of the client.
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)

    async def receive() -> bytes:
        chunk = await anyio.to_thread.run_sync(os.read, source, 1 << 16, abandon_on_cancel=True)
        if not chunk:
            await anyio.sleep(bounds.CLOSE_S)
            left()
            raise anyio.EndOfStream
        return chunk

    async def serve() -> None:
        lines = bounded_lines(receive, '"method":"%s"')  # which the server says it lacks
        async with stdio_server(cast("Any", lines)) as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    try:
        anyio.run(serve)
    except* (OSError, anyio.BrokenResourceError):
        pass  # The client has closed its other end.


@contextmanager
def served_over_http(
    server: Server[Any], token: str, host: str = "127.0.0.1", port: int = 0
) -> Iterator[str]:
    """Serve requests that carry the token at an address of this machine; yield the address."""
    import uvicorn
    from starlette.responses import PlainTextResponse

    app = server.streamable_http_app(host=host, max_request_body_size=bounds.MOST_MESSAGE_BYTES)
    wanted = f"Bearer {token}".encode()
    close = {"connection": "close", "www-authenticate": "Bearer"}
    refusal = PlainTextResponse("a bearer token is needed", 401, close)

    async def guarded(scope: Any, receive: Any, send: Any) -> None:
        has_token = secrets.compare_digest(
            dict(scope.get("headers", ())).get(b"authorization", b""), wanted
        )
        await (app if has_token or scope["type"] != "http" else refusal)(scope, receive, send)

    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen()
        config = uvicorn.Config(
            guarded, log_level="critical", http="h11", ws="none", timeout_graceful_shutdown=2
        )
        running = uvicorn.Server(config)
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            yield f"http://{host}:{listening.getsockname()[1]}/mcp"
        finally:
            running.should_exit = True
            thread.join(10.0)
