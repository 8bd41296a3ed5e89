"""Starts an MCP server for a trial, and says why if it does not start."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import time
from collections import deque
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Iterator,
    Mapping,
)
from concurrent.futures import Future
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from pydantic import ValidationError

from controlplane.errors import ServerFailed, extra_module
from controlplane.mcp.message_lines import (
    TOO_LARGE,
    bounded_messages,
    object_count,
    without_halves,
)
from controlplane.mcp.server_specs import (
    ServerSpec,
    environment_for_servers,
    error_text,
    line_of,
    without_secrets,
)
from controlplane.sandbox.interface import CallError, bounds, error_codes

if TYPE_CHECKING:
    import anyio.abc
    import httpx2
    from anyio.from_thread import BlockingPortal
    from mcp import Client, types

    from controlplane.agent.loop import TrialClock

_Result = TypeVar("_Result")

# What an MCP server writes to its standard error, of which the end is kept.

_CLIENT_WAITS_ON_S: Final = 2.0
_KEPT_BYTES: Final = 4_000
_SHOWN_LINES: Final = 4
_SHOWN_CHARS: Final = 500


# The connection to an MCP server over HTTP, with a limit on the size of its replies.
#
# The official SDK does not limit a reply, and refuses one with half of a surrogate pair. So a body is
# measured, and repaired line by line, before the SDK parses it.

_EVENT_FIELD: Final = b"data:"
"""The beginning of a line with a message in a stream of events."""
_MOST_RESPONSE_BYTES: Final = 2 * bounds.MOST_MCP_MESSAGE_BYTES
"""The largest size of a response, which may be a stream of several events."""


@asynccontextmanager
async def _http_transport(spec: ServerSpec, errors: deque[int]) -> AsyncIterator[Any]:
    """Connect to a server over HTTP and yield its streams of messages.

    A reply that is too large fails the call that waits for it. The status of a refusal, such as
    that of a wrong token, is added to `errors`: the SDK does not tell it.
    """
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    async def receive(response: httpx2.Response) -> None:
        if response.is_error:
            errors.clear()
            errors.extend(f"HTTP status {response.status_code}\n".encode())
        body = cast("httpx2.AsyncByteStream", response.stream)

        # The class is defined here because `httpx2` is only imported when a server is used over HTTP.
        class BoundedBody(httpx2.AsyncByteStream):
            def __aiter__(self) -> AsyncIterator[bytes]:
                return _bounded_lines(body, response.headers)

            async def aclose(self) -> None:
                await body.aclose()

        response.stream = BoundedBody()

    async with (
        httpx2.AsyncClient(
            headers={**spec.headers, "accept-encoding": "identity"},
            timeout=bounds.TOOL_CALL_S,
            event_hooks={"response": [receive]},
        ) as http,
        streamable_http_client(
            spec.url, http_client=http, max_sse_event_size=bounds.MOST_MCP_MESSAGE_BYTES
        ) as streams,
    ):
        yield streams


async def _bounded_lines(
    body: httpx2.AsyncByteStream, headers: Mapping[str, str]
) -> AsyncIterator[bytes]:
    """Yield a body with U+FFFD for every half of a surrogate pair.

    A body of JSON comes in one part, and events such as `data: {"jsonrpc":"2.0","id":7}` come line
    by line. A line that is longer than a message may be is passed on, and the SDK refuses it.
    Raises `StreamError` when the body becomes too large.
    """
    import httpx2

    # A small compressed response may become huge. We asked for none, so it is refused.
    is_compressed = headers.get("content-encoding", "identity") != "identity"
    has_events = headers.get("content-type", "").startswith("text/event-stream")
    size = 0
    objects = 0
    line = bytearray()
    async for part in body:
        size += len(part)
        objects += object_count(part)
        is_too_large = size > _MOST_RESPONSE_BYTES or objects > bounds.MOST_MCP_OBJECTS
        if is_compressed or is_too_large:
            msg = f"the reply is compressed, which was not asked for, or {TOO_LARGE}"
            raise httpx2.StreamError(msg)
        for piece in part.splitlines(keepends=True):
            line += piece
            is_whole = has_events and piece.endswith((b"\n", b"\r"))
            if is_whole or len(line) > bounds.MOST_MCP_MESSAGE_BYTES:
                yield _well_formed_line(bytes(line))
                line.clear()
    yield _well_formed_line(bytes(line))


def _well_formed_line(line: bytes) -> bytes:
    """Return a line, such as `data: {"a": "\\ud83d"}`, with U+FFFD for halves of surrogate pairs."""
    content = line.rstrip(b"\r\n")
    line_end = line[len(content) :]
    field = _EVENT_FIELD if content.startswith(_EVENT_FIELD) else b""
    return field + without_halves(content.removeprefix(field)) + line_end


# Repairs messages of MCP servers that the client would refuse.
#
# The client refuses a whole result if a part of it does not have the protocol's form. Two
# such faults are common, and are repaired before the client sees them:
#
# - A listed tool does not have the form: the tool is left out, and the other tools stay. If only
#   the type of its schema is missing, which can be nothing but `object`, the tool gets it.
# - Structured content is not an object but, for example, a list: all of it is wrapped in an object.

_MAX_NAME_CHARS: Final = 60
"""The name of a tool that is left out is cut to this length."""
_LISTING_VERSION: Final = "2025-11-25"
"""The version of the protocol that listed tools are checked against."""
_WRAPPED: Final = "controlplane:value"
"""The field that holds structured content, of any type, in an object."""


class _RepairedMessages:
    """The stream of one server's messages, repaired on their way to the client.

    The client opens the stream, iterates over it, and closes it.
    """

    def __init__(self) -> None:
        self.left_out: list[str] = []
        """The names of listed tools that do not have the protocol's form."""
        self.have_ended = False
        """True when the server sends no more messages, since it has ended."""
        self._from_server: Any = None

    @asynccontextmanager
    async def streams(self, transport: Any) -> AsyncIterator[Any]:
        """Yield the streams of a transport, with the server's messages repaired."""
        async with transport as (self._from_server, to_server):
            yield self, to_server

    async def __aenter__(self) -> _RepairedMessages:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._from_server.aclose()

    async def __aiter__(self) -> AsyncIterator[Any]:
        async for message in self._from_server:
            self._repair(message)
            yield message
        self.have_ended = True

    def _repair(self, message: Any) -> None:
        """Repair both faults in a message of a server, if it has them. This changes the message."""
        from mcp_types.methods import validate_server_result

        # 1. Only the reply to a request may have them. The SDK wraps a message in an object with
        #    the field `message`, and only a reply has the field `result`. The stream may also
        #    contain exceptions, which have neither.
        reply = getattr(message, "message", None)
        result = getattr(reply, "result", None)
        if not isinstance(result, dict):
            return

        # 2. Wrap structured content. `ToolServer.call` undoes that.
        structured = result.get("structuredContent")
        if structured is not None:
            result["structuredContent"] = {_WRAPPED: structured}

        # 3. Leave out listed tools that do not have the protocol's form.
        tools = result.get("tools")
        if not isinstance(tools, list):
            return
        valid_tools = []
        for tool in tools:
            fields = tool if isinstance(tool, dict) else {}
            schema = fields.get("inputSchema")
            if isinstance(schema, dict):
                schema.setdefault("type", "object")
            try:
                validate_server_result(
                    "tools/list", _LISTING_VERSION, {"tools": [tool]}
                )
                valid_tools.append(tool)
            except ValidationError:
                name = str(fields.get("name") or "?")
                self.left_out.append(line_of(name, _MAX_NAME_CHARS))
        result["tools"] = valid_tools


# The input and output of an MCP server's process, as lines of messages, within limits.
#
# A server is a program of others. It may write endless lines, or messages that nobody has asked for.
# What it sends is bounded here, before the SDK parses it.

_MOST_UNASKED_MESSAGES: Final = 2_000
"""Messages, such as logs, that a server may send after our last one before it is disconnected."""
_FAILED_REPLY: Final = (
    '{"jsonrpc":"2.0","id":%(id)s,"error":{"code":-32700,"message":"%(fault)s"}}'
)
"""An error in place of a faulty reply. The call that waits for the reply fails.

In JSON-RPC, the code -32700 means that a message cannot be parsed.
"""


class _ServerPipes:
    """The input and output of a server's process, as the SDK uses them.

    The SDK reads messages from `lines`, and writes with `write` and `flush`, as to a text file.
    """

    def __init__(self, process: anyio.abc.Process) -> None:
        self.process = process
        self.unasked_messages = 0
        """The number of messages that the server has sent since our last one."""

    async def lines(self) -> AsyncIterator[str]:
        """Yield the server's messages until it ends or sends too many."""
        stdout = self.process.stdout
        assert stdout is not None
        messages = bounded_messages(stdout.receive, _FAILED_REPLY, replaces_halves=True)
        async for message in messages:
            self.unasked_messages += 1
            if self.unasked_messages > _MOST_UNASKED_MESSAGES:
                return  # The client then sees that the connection is closed.
            yield message

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


# The process of an MCP server, which exchanges messages over its standard streams.
#
# Each message is one line. A process that sends too much is no longer read.

_CLOSING_S: Final = 1.0
"""The time that a server has to end after its input is closed."""


@asynccontextmanager
async def _stdio_transport(spec: ServerSpec, errors: deque[int]) -> AsyncIterator[Any]:
    """Run a server's process and yield its streams of messages.

    It runs in a session of its own, by which it is killed at the end. It gets only harmless
    variables of the environment, and those that the user names for it. What it writes to its
    standard error is added to `errors`.
    """
    import anyio

    # We are the client here, but the SDK's `stdio_client` would read lines of any length. So its
    # `stdio_server` is used, which can be given streams with a limit. It does the same: it
    # reads messages from one stream, and writes messages to the other.
    from mcp.server.stdio import stdio_server

    # Only `~` is expanded: `Path` would also change a bare name such as `npx`.
    program = os.path.expanduser(spec.command)  # noqa: PTH111 - as said above
    process = await anyio.open_process(
        [program, *spec.args],
        stderr=subprocess.PIPE,
        env={**environment_for_servers(), **spec.env},
        cwd=spec.cwd,
        start_new_session=True,
    )
    pipes = _ServerPipes(process)

    async def collect_errors() -> None:
        assert process.stderr is not None
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            async for part in process.stderr:
                errors.extend(part)

    # The SDK declares text files of anyio here, but only iterates, writes and flushes.
    messages_in = cast("Any", pipes.lines())
    messages_out = cast("Any", pipes)
    async with (
        stdio_server(messages_in, messages_out) as streams,
        anyio.create_task_group() as group,
    ):
        group.start_soon(collect_errors)
        try:
            yield streams
        finally:
            await _end_process(process)


async def _end_process(process: anyio.abc.Process) -> None:
    """Close a server's input, so that it ends, and kill what still runs after `_CLOSING_S`.

    Processes that it has started may go on even if it has ended.
    """
    import anyio

    assert process.stdin is not None
    with anyio.CancelScope(shield=True):
        with anyio.move_on_after(_CLOSING_S), suppress(Exception):
            await process.stdin.aclose()
            await process.wait()
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        with suppress(Exception):
            await process.aclose()


# The list of an MCP server's tools, and that of its resources.


async def _listed(
    list_page: Callable[..., Awaitable[Any]], kind: str, key: str
) -> tuple[Any, ...]:
    """Read a server's list of a kind: `tools`, whose key is their `name`, or `resources`.

    Of several with the same key, the first one counts. A server that has only resources may not
    know the request for its tools. Reading stops if a cursor (the mark of the next page) repeats,
    since the list would have no end. Raises `ValueError` for a list that is too long: none is cut.
    """
    from mcp import MCPError, types

    items: dict[str, Any] = {}
    cursors: list[str | None] = [None]
    size = 0
    while True:
        try:
            page = await list_page(cursor=cursors[-1])
        except MCPError as error:
            if error.code != types.METHOD_NOT_FOUND:
                raise
            break
        size += len(page.model_dump_json())
        if size > bounds.MOST_MCP_MESSAGE_BYTES:
            msg = f"its list of {kind} is longer than {bounds.MOST_MCP_MESSAGE_BYTES:,} bytes"
            raise ValueError(msg)
        for item in getattr(page, kind):
            items.setdefault(str(getattr(item, key)), item)
        cursor = page.next_cursor or None
        if cursor in cursors:
            break
        cursors.append(cursor)
    return tuple(items.values())


# A running MCP server that the user named, as one trial uses it.
#
# Its replies are awaited until a deadline, and its data is passed on and never evaluated.
# A server's requests to a model or to the user (sampling and elicitation) are declined.

_REPORTING_S: Final = 0.5
"""The end of a step in which no reply is awaited, so that the script can be told of a failure."""


class ToolServer:
    """A running MCP server. It handles one request at a time.

    `running_server` starts it for a trial and ends it. If its process dies, the request fails, and
    the server is restarted for the next one, but only once: a server that ends twice would probably
    end after every call. The request itself is not repeated, because the server may have made it.

    The protocol's official client is asynchronous; it runs in the event loop of `portal`, which
    belongs to another thread.
    """

    def __init__(self, name: str, spec: ServerSpec, portal: BlockingPortal) -> None:
        """Prepare a server, which `open` starts."""
        self.name = name
        self.spec = spec
        self.clock: TrialClock | None = None
        """Knows when the step and the trial end, which limits requests. None outside trials."""
        self.tools: tuple[types.Tool, ...] = ()
        """The server's tools; empty before `open`."""
        self._portal = portal
        self._errors: deque[int] = deque(maxlen=_KEPT_BYTES)
        """The end of what the server has written to its standard error, or its HTTP statuses."""
        self._has_restarted = False
        self._messages: _RepairedMessages
        self._client: Client
        self._connection = ExitStack()
        """Closes the client."""

    def open(self) -> None:
        """Start the server, or connect to it, and list its tools. Raises the errors of the client."""
        import mcp

        if self.spec.url:
            transport = _http_transport(self.spec, self._errors)
        else:
            transport = _stdio_transport(self.spec, self._errors)
        self._messages = _RepairedMessages()
        self._client = mcp.Client(
            self._messages.streams(transport),
            cache=None,
            # Later than the wait for the list below, which says in one line what is wrong.
            read_timeout_seconds=bounds.TOOL_SERVER_START_S + _CLIENT_WAITS_ON_S,
        )
        opening = self._portal.wrap_async_context_manager(self._client)
        self._connection.enter_context(opening)
        self.tools = self._wait_for(
            lambda: _listed(self._client.list_tools, "tools", "name"),
            bounds.TOOL_SERVER_START_S,
        )

    def failure(self, error: BaseException) -> ServerFailed:
        """Return the error of a server that did not open, with the end of its output."""
        failure = "did not start"
        if self.spec.url:
            failure = f"at {self.spec.shown_url} cannot be reached"
        reason = error_text(error, self.spec)
        msg = f"the MCP server {self.name} {failure}: {reason}"
        text = bytes(self._errors).decode("utf-8", "replace")
        lines = without_secrets(text, self.spec.secrets).strip().splitlines()
        output = line_of(" / ".join(lines[-_SHOWN_LINES:]), _SHOWN_CHARS)
        if output:
            msg += f"; it wrote: {output}"
        return ServerFailed(msg)

    def close(self) -> None:
        """End the server, even if it has already died."""
        with suppress(Exception):
            self._connection.close()

    @property
    def left_out(self) -> list[str]:
        """The names of listed tools that do not have the protocol's form. They cannot be called."""
        return self._messages.left_out

    @property
    def has_resources(self) -> bool:
        """True if the server has declared that it has resources."""
        return getattr(self._client.server_capabilities, "resources", None) is not None

    def operation_name(self, name: str) -> str:
        """Return the name in scripts of a tool or operation of the server: `files.read`."""
        return f"{self.name}.{name}"

    def call(self, tool: str, arguments: dict[str, Any]) -> types.CallToolResult:
        """Call a tool, and return its result, even if it reports an error of the tool.

        Raises `CallError` if there is no result in time, or the server fails.
        """
        from mcp import types

        params = types.CallToolRequestParams(name=tool, arguments=arguments)
        request = types.CallToolRequest(params=params)

        # `session.call_tool` would check results against regular expressions of the
        # server, which may take forever. The limit of the request ends before the client's own.
        def send() -> Coroutine[Any, Any, types.CallToolResult]:
            return self._client.session.send_request(
                request,
                types.CallToolResult,
                request_read_timeout_seconds=2 * bounds.TOOL_CALL_S,
            )

        result = self._request(tool, send)
        # Content was wrapped in an object for the client (`_RepairedMessages`).
        wrapped = result.structured_content or {}
        content = wrapped.get(_WRAPPED)
        return result.model_copy(update={"structured_content": content})

    def resources(self) -> tuple[types.Resource, ...]:
        """Return the server's resources. Raises `CallError`."""
        return self._request(
            "resources",
            lambda: _listed(self._client.list_resources, "resources", "uri"),
        )

    def read(self, uri: str) -> types.ReadResourceResult:
        """Read the resource at an address, such as `file:///notes.md`. Raises `CallError`."""
        return self._request(
            "resource", lambda: self._client.session.read_resource(uri)
        )

    def _request(
        self, name: str, start: Callable[[], Coroutine[Any, Any, _Result]]
    ) -> _Result:
        """Return the reply to a request, which `start` begins. `name` is what is called.

        Raises `CallError` if it fails. If the server has ended, it is restarted, and the error
        says so.
        """
        # A request may take until the script's step or the trial ends. Some time of the step is
        # kept for telling the script that there was no reply.
        limit_s = self.spec.call_s or bounds.TOOL_CALL_S
        if self.clock is not None:
            step_ends_at = self.clock.call_ends_at - _REPORTING_S
            ends_at = min(step_ends_at, self.clock.deadline)
            limit_s = min(limit_s, ends_at - time.monotonic())
        try:
            return self._wait_for(start, limit_s)
        except Exception as error:
            reason = error_text(error, self.spec)
            text = f"{self.operation_name(name)} failed: {reason}"
            # A server at a URL is not our process.
            if not self.spec.url and self._messages.have_ended:
                text += f"; {self._restart()}"
            raise CallError(error_codes.INTERNAL, text) from error

    def _wait_for(
        self, start: Callable[[], Coroutine[Any, Any, _Result]], limit_s: float
    ) -> _Result:
        """Return the result of a coroutine, which `start` begins in the client's thread.

        Raises `TimeoutError` if there is none within `limit_s` seconds.
        """
        msg = f"it gave no answer within {max(limit_s, 0):.3g} s"
        if limit_s <= 0:
            raise TimeoutError(msg)  # as if the request had been made
        result: Future[_Result] = self._portal.start_task_soon(start)
        try:
            return result.result(limit_s)
        except TimeoutError:
            raise TimeoutError(msg) from None
        finally:
            result.cancel()  # has no effect if the request has ended

    def _restart(self) -> str:
        """Restart the server, if it was not yet restarted. Return what the script is told of it."""
        if self._has_restarted:
            return "the server has ended again, and stays so"
        self._has_restarted = True
        self.close()
        try:
            self.open()
        except Exception as error:  # noqa: BLE001 - no fault of a server ends the trial
            reason = error_text(error, self.spec)
            return f"the server has ended, and cannot be started anew: {reason}"
        return "the server has ended, and was started anew: call again what may be done twice"


@contextmanager
def running_server(name: str, spec: ServerSpec) -> Iterator[ToolServer]:
    """Start a server, or connect to it, list its tools, and yield it.

    Raises `ServerFailed` and `UsageError`.
    """
    extra_module("mcp", "--mcp", "mcp")
    from anyio.from_thread import start_blocking_portal

    for name_of_logger in ("mcp", "client"):  # They record what servers send.
        logging.getLogger(name_of_logger).setLevel(logging.CRITICAL)
    with start_blocking_portal() as portal:
        server = ToolServer(name, spec, portal)
        try:
            try:
                server.open()
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                raise server.failure(error) from error
            yield server
        finally:
            server.close()
