"""One of the user's MCP servers for a trial: started once, asked with deadlines, bounded in what it sends.

The official client speaks the protocol in its own thread; data from servers is passed on, never computed on.
Sampling and elicitation are declined.
"""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from threading import Event
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError

from controlplane.agent.model import DEADLINE
from controlplane.errors import ServerFailed, extra_module
from controlplane.mcp.server_specs import ServerSpec, without_secrets
from controlplane.mcp.transports import http_transport, stdio_transport
from controlplane.sandbox import CALL_ENDS
from controlplane.sandbox.interface import CallError, bounds, error_codes
from controlplane.terminal_text import sanitize

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal
    from mcp import Client, types

_Result = TypeVar("_Result")


@dataclass(slots=True)
class ToolServer:
    """A server that runs; one thread at a time asks it. If it dies, it is started anew once."""

    name: str
    spec: ServerSpec
    _portal: BlockingPortal
    _held: ExitStack = field(default_factory=ExitStack)
    """Ends the server."""
    _client: Client = field(init=False)
    left_out: list[str] = field(default_factory=list)
    """Names of listed tools that lack the protocol's form."""
    tools: tuple[types.Tool, ...] = ()
    errors: bytearray = field(default_factory=bytearray)
    """The end of what the server wrote to standard error."""
    _ended: Event = field(default_factory=Event)
    """Set when the server sends nothing any more."""
    _has_restarted: bool = False

    def start(self) -> None:
        """Start the server, or connect to it, and list its tools. Raises whatever the client raises."""
        import mcp

        with suppress(Exception):  # It may have died in any way.
            self._held.close()
        self.tools, self.left_out, self._ended = (), [], Event()
        transport = (
            http_transport(self.spec) if self.spec.url else stdio_transport(self.spec, self.errors)
        )
        usable = _with_usable_tools(transport, self.left_out, self._ended)
        client = mcp.Client(usable, cache=None, read_timeout_seconds=bounds.TOOL_SERVER_START_S)
        self._client = self._held.enter_context(self._portal.wrap_async_context_manager(client))
        self.send(self.list_tools, bounds.TOOL_SERVER_START_S)

    def close(self) -> None:
        """End the server."""
        with suppress(Exception):
            self._held.close()

    @property
    def has_resources(self) -> bool:
        return getattr(self._client.server_capabilities, "resources", None) is not None

    async def list_tools(self) -> None:
        """List the server's tools, up to a cursor that repeats. Raises `ValueError` for a list that is too long."""
        cursor: str | None = None
        cursors, size = set[str | None](), 0
        while cursor not in cursors and len(cursors) < 50:
            cursors.add(cursor)
            page = await self._client.list_tools(cursor=cursor)
            size += len(page.model_dump_json())
            if size > bounds.MOST_MESSAGE_BYTES:
                msg = f"its list of tools is longer than {bounds.MOST_MESSAGE_BYTES:,} bytes"
                raise ValueError(msg)
            named = {
                tool.name: tool for tool in reversed((*self.tools, *page.tools))
            }  # the first of each name
            self.tools = tuple(reversed(named.values()))[: bounds.MOST_TOOLS]
            cursor = page.next_cursor or None
            if len(self.tools) == bounds.MOST_TOOLS:
                break

    def call(self, tool: str, arguments: dict[str, Any]) -> types.CallToolResult:
        """Call a tool. Raises `CallError`."""
        from mcp import types

        request = types.CallToolRequest(
            params=types.CallToolRequestParams(name=tool, arguments=arguments)
        )

        def send() -> Coroutine[Any, Any, types.CallToolResult]:
            # Not `call_tool`: it would match results against the server's own patterns, in this process.
            return self._client.session.send_request(
                request, types.CallToolResult, request_read_timeout_seconds=2 * bounds.TOOL_CALL_S
            )

        return self._call_server(send, f"{self.name}.{tool}")

    def resources(self) -> list[types.Resource]:
        """Return the first page of the server's resources. Raises `CallError`."""
        page = self._call_server(
            lambda: self._client.session.list_resources(), f"{self.name}.resources"
        )
        return page.resources[: bounds.MOST_TOOLS]

    def read(self, uri: str) -> types.ReadResourceResult:
        """Read one resource. Raises `CallError`."""
        return self._call_server(
            lambda: self._client.session.read_resource(uri), f"{self.name}.resource"
        )

    def _call_server(self, send: Callable[[], Coroutine[Any, Any, _Result]], what: str) -> _Result:
        # The script hears which call it was before its step ends.
        # The rest is for telling the script.
        limit_s = min(
            bounds.TOOL_CALL_S, min(CALL_ENDS.get() - 0.5, DEADLINE.get()) - time.monotonic()
        )
        try:
            if limit_s <= 0:
                raise TimeoutError
            return self.send(send, limit_s)
        except Exception as error:
            if isinstance(error, TimeoutError):
                text = f"{what} gave no answer within {max(limit_s, 0):.3g} s"
                raise CallError(error_codes.INTERNAL, text) from error
            raise CallError(
                error_codes.INTERNAL, f"{what} failed: {_said(error, self.spec)}{self._revived()}"
            ) from error

    def _revived(self) -> str:
        """Start the server anew if it is dead, once; return what is to be told."""
        if self.spec.url or not self._ended.is_set():
            return ""
        if self._has_restarted:
            return "; the server has ended again, and stays so"
        self._has_restarted = True
        try:
            self.start()
        except Exception as failure:  # noqa: BLE001 - a part of the border of one host call
            return (
                f"; the server has ended, and cannot be started anew: {_said(failure, self.spec)}"
            )
        return "; the server has ended, and was started anew: call again what may be done twice"

    def send(self, send: Callable[[], Coroutine[Any, Any, _Result]], limit_s: float) -> _Result:
        """Return what a coroutine of the client's thread returns, in time. Raises `TimeoutError`."""
        under_way: Future[_Result] = self._portal.start_task_soon(send)
        try:
            return under_way.result(limit_s)
        finally:
            under_way.cancel()  # What has ended is not changed by this.


@asynccontextmanager
async def _with_usable_tools(
    transport: Any, left_out: list[str], ended: Event
) -> AsyncIterator[Any]:
    """Yield a transport's streams, and keep in `left_out` the names of listed tools that lack the protocol's form: the
    client would refuse the whole list for one of them. `ended` is set at the end of what is received."""
    import anyio
    from mcp_types.methods import validate_server_result

    def has_form(tool: object) -> bool:
        try:
            validate_server_result("tools/list", "2025-11-25", {"tools": [tool]})
        except ValidationError:
            name = tool.get("name") if isinstance(tool, dict) else None
            left_out.append(line_of(str(name or "?"), 60))
            return False
        return True

    async def pass_on(received: Any, passed: Any) -> None:
        async with passed:
            async for message in received:
                result = getattr(getattr(message, "message", None), "result", None)
                if isinstance(result, dict) and isinstance(tools := result.get("tools"), list):
                    result["tools"] = list(filter(has_form, tools))
                await passed.send(message)
            ended.set()

    async with transport as (received, *sent), anyio.create_task_group() as group:
        passed, usable = anyio.create_memory_object_stream[Any]()
        group.start_soon(pass_on, received, passed)
        yield (usable, *sent)
        group.cancel_scope.cancel()


@contextmanager
def running(name: str, spec: ServerSpec) -> Iterator[ToolServer]:
    """Start a server, or connect to it, list its tools, and yield it. Raises `ServerFailed`, `UsageError`."""
    extra_module("mcp", "--mcp", "mcp")
    from anyio.from_thread import start_blocking_portal

    logging.getLogger("mcp").setLevel(logging.CRITICAL)  # These log what servers send.
    logging.getLogger("client").setLevel(logging.CRITICAL)
    with start_blocking_portal() as portal:
        server = ToolServer(name, spec, portal)
        try:
            try:
                server.start()
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                what = f"at {spec.shown_url} cannot be reached" if spec.url else "did not start"
                written = without_secrets(
                    bytes(server.errors).decode("utf-8", "replace"), spec.secrets
                )
                last = line_of(" / ".join(written.strip().splitlines()[-4:]), 500)
                hint = f"; it wrote: {last}" if last else ""
                msg = f"the MCP server {name} {what}: {_said(error, spec)}{hint}"
                raise ServerFailed(msg) from error
            yield server
        finally:
            server.close()


def _said(error: BaseException, spec: ServerSpec) -> str:
    """Return in one line what an error says, without the server's secrets."""
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    is_misformed = isinstance(error, ValidationError)
    text = "its reply has not the protocol's form" if is_misformed else line_of(str(error), 2_000)
    return without_secrets(text or type(error).__name__, spec.secrets)[:300]


def line_of(text: str, most: int = 120) -> str:
    """Return a server's text in one line, cut to `most` characters, without signs that hide or steer a terminal."""
    line = " ".join(sanitize(text[: most * 4]).split())
    return line if len(line) <= most else line[: most - 1] + "…"
