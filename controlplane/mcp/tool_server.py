"""One of the user's MCP servers for a trial: started once, asked with deadlines, bounded in what it sends.

The official client speaks the protocol in its own thread; data from servers is passed on, never computed on.
Sampling and elicitation are declined.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import signal
import subprocess
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

from pydantic import ValidationError

from agent.model import DEADLINE
from controlplane.errors import ServerFailed, UsageError
from controlplane.mcp.server_specs import ServerSpec, environment_for_servers, without_secrets
from sandbox import CALL_ENDS
from sandbox.interface import CallError, error_codes, parse_json

if TYPE_CHECKING:
    from mcp import Client, ClientSession, types

START_S: Final = 30.0
CALL_S: Final = 60.0
MOST_LINE_BYTES: Final = 4_000_000
MOST_PARTS: Final = 60_000
"""Lists and objects of one reply: each takes many times its bytes in memory."""
MOST_UNASKED: Final = 2_000
"""Lines that a server may send after a message of ours besides its reply."""
MOST_LISTING_BYTES: Final = 4_000_000
MOST_TOOLS: Final = 1_000
MOST_PAGES: Final = 50
REQUEST_ID: Final = re.compile(rb'"id"\s*:\s*(\d{1,15})\b')
_Result = TypeVar("_Result")
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class ToolServer:
    """A server: `start` starts it, one thread at a time asks it. A context manager."""

    name: str
    spec: ServerSpec
    tools: tuple[types.Tool, ...] = ()
    has_resources: bool = False
    _loop: asyncio.AbstractEventLoop | None = None
    _client: Client | None = None
    _held: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        with suppress(Exception):  # It may have died in any way.
            self._held.close()

    def start(self) -> None:
        """Start the server, or connect to it, and list its tools. Raises `ServerFailed`, `UsageError`."""
        try:
            import mcp
            from anyio.from_thread import start_blocking_portal
        except ModuleNotFoundError as error:
            msg = f"--mcp needs the package {error.name!r}: in a clone, .venv/bin/pip install -e '.[mcp]'"
            raise UsageError(msg) from error
        logging.getLogger("mcp").setLevel(logging.CRITICAL)  # These log what servers send.
        logging.getLogger("client").setLevel(logging.CRITICAL)
        transport = _http(self.spec) if self.spec.url else _stdio(self.spec)
        client = mcp.Client(transport, cache=None, read_timeout_seconds=START_S)
        try:
            portal = self._held.enter_context(start_blocking_portal())
            self._loop = portal.call(asyncio.get_running_loop)
            self._client = self._held.enter_context(portal.wrap_async_context_manager(client))
            self.tools = tuple(self._send(self._list_tools, START_S))
            capabilities = client.server_capabilities
            self.has_resources = capabilities is not None and capabilities.resources is not None
        except BaseException as error:
            self.__exit__()
            if isinstance(error, KeyboardInterrupt):
                raise
            what = f"at {self.spec.shown_url} cannot be reached" if self.spec.url else "did not start"
            hint = "" if self.spec.url else "; to read its own errors, run its command in a terminal"
            msg = f"the MCP server {self.name} {what}: {self._said(error)}{hint}"
            raise ServerFailed(msg) from error

    async def _list_tools(self) -> list[types.Tool]:
        from mcp import types

        tools: list[types.Tool] = []
        cursor, size = None, 0
        for _ in range(MOST_PAGES):
            page = await self._session.list_tools(params=types.PaginatedRequestParams(cursor=cursor))
            size += len(page.model_dump_json())
            if size > MOST_LISTING_BYTES:
                msg = f"its list of tools is longer than {MOST_LISTING_BYTES:,} bytes"
                raise ValueError(msg)
            tools += page.tools
            cursor = page.next_cursor
            if not cursor or len(tools) >= MOST_TOOLS:
                break
        return tools[:MOST_TOOLS]

    def call(self, tool: str, arguments: dict[str, Any]) -> types.CallToolResult:
        """Call a tool. Raises `CallError`."""
        from mcp import types

        request = types.CallToolRequest(params=types.CallToolRequestParams(name=tool, arguments=arguments))

        def send() -> Coroutine[Any, Any, types.CallToolResult]:
            # Not `call_tool`: it would match results against the server's own patterns, in this process.
            return self._session.send_request(request, types.CallToolResult, request_read_timeout_seconds=2 * CALL_S)

        return self._call_server(send, f"{self.name}.{tool}")

    def resources(self) -> list[types.Resource]:
        """Return the first page of the server's resources. Raises `CallError`."""
        return self._call_server(lambda: self._session.list_resources(), f"{self.name}.resources").resources[
            :MOST_TOOLS
        ]

    def read(self, uri: str) -> types.ReadResourceResult:
        """Read one resource. Raises `CallError`."""
        return self._call_server(lambda: self._session.read_resource(uri), f"{self.name}.resource")

    @property
    def _session(self) -> ClientSession:
        assert self._client is not None
        return self._client.session

    def _call_server(self, send: Callable[[], Coroutine[Any, Any, _Result]], what: str) -> _Result:
        limit_s = min(CALL_S, min(CALL_ENDS.get(), DEADLINE.get()) - time.monotonic())
        try:
            if limit_s <= 0:
                raise TimeoutError
            return self._send(send, limit_s)
        except Exception as error:
            if isinstance(error, TimeoutError):
                text = f"{what} gave no answer within {max(limit_s, 0):.3g} s"
                raise CallError(error_codes.INTERNAL, text) from error
            raise CallError(error_codes.INTERNAL, f"{what} failed: {self._said(error)}") from error

    def _said(self, error: BaseException) -> str:
        return without_secrets(_fault_text(error), self.spec.secrets)[:300]

    def _send(self, send: Callable[[], Coroutine[Any, Any, _Result]], limit_s: float) -> _Result:
        # Not `portal.call`: it wakes the loop twice, and this thread twice.
        assert self._loop is not None
        under_way = asyncio.run_coroutine_threadsafe(send(), self._loop)
        try:
            return under_way.result(limit_s)
        finally:
            under_way.cancel()  # What has ended is not changed by this.


def _fault_text(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    is_misformed = isinstance(error, ValidationError)
    text = "its reply has not the protocol's form" if is_misformed else " ".join(str(error).split())
    printable = "".join(sign if sign.isprintable() else "\ufffd" for sign in text)
    return printable[:2_000] or type(error).__name__


def _message_in(line: bytes) -> types.JSONRPCMessage | None:
    """Return the message of a line: an error for an unreadable reply, None for notifications and other output."""
    from mcp import types

    try:
        message = types.jsonrpc_message_adapter.validate_python(parse_json(line, most_parts=MOST_PARTS))
        return None if isinstance(message, types.JSONRPCNotification) else message
    except ValueError:
        request = REQUEST_ID.search(line[:200]) if line.startswith(b"{") else None
    if request is None:
        return None
    error = types.ErrorData(code=types.PARSE_ERROR, message="its reply cannot be read")
    return types.JSONRPCError(jsonrpc="2.0", id=int(request[1]), error=error)


@asynccontextmanager
async def _http(spec: ServerSpec) -> AsyncIterator[Any]:
    """Connect to a server and yield its streams of messages. An overlong reply fails its call."""
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    class Bounded(httpx2.AsyncByteStream):
        def __init__(self, body: httpx2.AsyncByteStream, most: int) -> None:
            self._body, self._most = body, most

        async def __aiter__(self) -> AsyncIterator[bytes]:
            passed = parts = 0
            async for part in self._body:
                passed += len(part)
                parts += part.count(b"{") + part.count(b"[")
                if passed > self._most or parts > MOST_PARTS:
                    size = f"longer than {MOST_LINE_BYTES:,} bytes or {MOST_PARTS:,} values"
                    msg = f"the reply is compressed, which was not asked for, or {size}"
                    raise httpx2.StreamError(msg)
                yield part

        async def aclose(self) -> None:
            await self._body.aclose()

    async def bound(response: httpx2.Response) -> None:
        is_plain = response.headers.get("content-encoding", "identity") == "identity"
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        has_events = response.headers.get("content-type", "").startswith("text/event-stream")
        most = (1 + has_events) * MOST_LINE_BYTES  # The client bounds a single event.
        response.stream = Bounded(response.stream, most if is_plain else 0)

    headers = {**spec.headers, "accept-encoding": "identity"}
    hooks = {"response": [bound]}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=httpx2.Timeout(CALL_S), event_hooks=hooks) as http,
        streamable_http_client(spec.url, http_client=http, max_sse_event_size=MOST_LINE_BYTES) as streams,
    ):
        yield streams


@asynccontextmanager
async def _stdio(spec: ServerSpec) -> AsyncIterator[Any]:
    """Run a server's process and yield its streams of messages. An overlong line, or a flood of lines, ends it."""
    import anyio
    from mcp.shared.message import SessionMessage

    process = await anyio.open_process(
        [os.path.expanduser(spec.command), *spec.args],  # noqa: PTH111 - a name of PATH stays a name
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**environment_for_servers(), **spec.env},
        cwd=spec.cwd,
        start_new_session=True,
    )
    into, incoming = anyio.create_memory_object_stream[Any](0)
    outgoing, out_of = anyio.create_memory_object_stream[Any](0)

    unasked = 0

    async def take_lines() -> None:
        nonlocal unasked
        assert process.stdout is not None
        held = bytearray()
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream):
            async with into:
                async for chunk in process.stdout:
                    *lines, rest = (held + chunk).split(b"\n") if b"\n" in chunk else (held + chunk,)
                    held = bytearray(rest)
                    if len(held) > MOST_LINE_BYTES or any(len(line) > MOST_LINE_BYTES for line in lines):
                        return  # The client sees the end of the connection.
                    for line in lines:
                        message = _message_in(bytes(line))
                        unasked += 1
                        if unasked > MOST_UNASKED:
                            return
                        if message is not None:
                            await into.send(SessionMessage(message))

    async def send_lines() -> None:
        nonlocal unasked
        assert process.stdin is not None
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
            async with out_of:
                async for message in out_of:
                    unasked = 0
                    text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                    await process.stdin.send(text.encode() + b"\n")

    try:
        async with anyio.create_task_group() as group:
            group.start_soon(take_lines)
            group.start_soon(send_lines)
            try:
                yield incoming, outgoing
            finally:
                group.cancel_scope.cancel()
    finally:
        with anyio.CancelScope(shield=True):
            with suppress(Exception):
                if process.stdin is not None:
                    await process.stdin.aclose()
                with anyio.move_on_after(1.0):
                    await process.wait()
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            with suppress(Exception):
                await process.wait()
                await process.aclose()
