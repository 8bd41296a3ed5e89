"""A running MCP server that the user named.

The server is started once per trial, asked with deadlines, and limited in what it
sends. The protocol's official client runs in a thread of its own. Data from servers is
passed on and never evaluated. A server's requests to a model or to the user (sampling
and elicitation) are declined.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, suppress
from threading import Event
from typing import TYPE_CHECKING, Any, Final, TypeVar

from controlplane.agent.loop import TrialClock
from controlplane.errors import ServerFailed, extra_module
from controlplane.mcp.repaired_results import unwrapped, with_repaired_results
from controlplane.mcp.server_specs import ServerSpec, without_secrets
from controlplane.mcp.server_texts import error_text, line_of
from controlplane.mcp.tool_list import listed_tools
from controlplane.mcp.transports import http_transport, stdio_transport
from controlplane.sandbox.interface import CallError, bounds, error_codes

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal
    from mcp import Client, types

_Result = TypeVar("_Result")

REPORTING_S: Final = 0.5
"""The end of a step in which no reply is awaited, so that the script can be told of a failure."""
LAST_OUTPUT_LINES: Final = 4
LAST_OUTPUT_CHARS: Final = 500


@contextmanager
def running(name: str, spec: ServerSpec) -> Iterator[ToolServer]:
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
            _start(server)
            yield server
        finally:
            server.close()


def _start(server: ToolServer) -> None:
    """Start a server. Any error becomes a `ServerFailed` that quotes the server's output."""
    try:
        server.start()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        spec = server.spec
        failure = (
            f"at {spec.shown_url} cannot be reached" if spec.url else "did not start"
        )
        msg = f"the MCP server {server.name} {failure}: {error_text(error, spec)}"
        output = _last_output(server)
        if output:
            msg += f"; it wrote: {output}"
        raise ServerFailed(msg) from error


def _last_output(server: ToolServer) -> str:
    """Return the last lines of a server's standard error, joined into one line."""
    text = bytes(server.errors).decode("utf-8", "replace")
    lines = without_secrets(text, server.spec.secrets).strip().splitlines()
    return line_of(" / ".join(lines[-LAST_OUTPUT_LINES:]), LAST_OUTPUT_CHARS)


class ToolServer:
    """A running MCP server.

    `running` starts it for a trial and ends it. It handles one request at a time. If
    its process dies, it is restarted once.
    """

    def __init__(self, name: str, spec: ServerSpec, portal: BlockingPortal) -> None:
        self.name = name
        self.spec = spec
        self.clock = TrialClock()
        """Knows when the step and the trial end, which limits requests. No limit outside trials."""
        self.tools: tuple[types.Tool, ...] = ()
        self.left_out: list[str] = []
        """The names of listed tools that do not have the protocol's form. They cannot be called."""
        self.errors = bytearray()
        """The last part of the server's standard error."""
        self._portal = portal
        self._client: Client | None = None
        self._resources = ExitStack()
        """Ends the server when it is closed."""
        self._ended = Event()
        """Set when the server's stream of messages has ended."""
        self._has_restarted = False

    # --- Starting and ending ---

    def start(self) -> None:
        """Start the server, or connect to it, and list its tools.

        Raises the errors of the protocol's client.
        """
        import mcp

        # Forget the server's last process, if this is a restart.
        self.close()
        self.tools = ()
        self.left_out = []
        self._ended = Event()

        if self.spec.url:
            transport = http_transport(self.spec)
        else:
            transport = stdio_transport(self.spec, self.errors)
        # The client would refuse a whole list for one malformed tool. So that tool is taken
        # out, and its name is added to `left_out`.
        repaired = with_repaired_results(transport, self.left_out.append, self._ended)
        client = mcp.Client(
            repaired, cache=None, read_timeout_seconds=bounds.TOOL_SERVER_START_S
        )
        opening = self._portal.wrap_async_context_manager(client)
        self._client = self._resources.enter_context(opening)
        self._run(self._list_tools, bounds.TOOL_SERVER_START_S)

    def close(self) -> None:
        """End the server, even if it has already died."""
        with suppress(Exception):
            self._resources.close()

    @property
    def client(self) -> Client:
        assert self._client is not None
        return self._client

    @property
    def has_resources(self) -> bool:
        return getattr(self.client.server_capabilities, "resources", None) is not None

    async def _list_tools(self) -> None:
        self.tools = await listed_tools(self.client)

    def operation_name(self, name: str) -> str:
        """Return the name in scripts of a tool or operation of the server."""
        return f"{self.name}.{name}"

    # --- Requests ---

    def call(self, tool: str, arguments: dict[str, Any]) -> types.CallToolResult:
        """Call a tool. Raises `CallError`."""
        from mcp import types

        params = types.CallToolRequestParams(name=tool, arguments=arguments)
        request = types.CallToolRequest(params=params)

        def send() -> Coroutine[Any, Any, types.CallToolResult]:
            # `session.call_tool` would check results against regular expressions of the
            # server, which may take forever. `_request` ends the wait long before the
            # client's own timeout.
            return self.client.session.send_request(
                request,
                types.CallToolResult,
                request_read_timeout_seconds=2 * bounds.TOOL_CALL_S,
            )

        result = self._request(send, self.operation_name(tool))
        # `with_repaired_results` has wrapped content that is not an object, for the client.
        structured = unwrapped(result.structured_content)
        return result.model_copy(update={"structured_content": structured})

    def resources(self) -> list[types.Resource]:
        """Return the first page of the server's resources. Raises `CallError`."""
        send = self.client.session.list_resources
        page = self._request(send, self.operation_name("resources"))
        return page.resources[: bounds.MOST_TOOLS]

    def read(self, uri: str) -> types.ReadResourceResult:
        """Read one resource. Raises `CallError`."""

        def send() -> Coroutine[Any, Any, types.ReadResourceResult]:
            return self.client.session.read_resource(uri)

        return self._request(send, self.operation_name("resource"))

    def _request(
        self, send: Callable[[], Coroutine[Any, Any, _Result]], name: str
    ) -> _Result:
        """Return the reply to the request that `send` sends for the operation `name`.

        Raises `CallError`, also if there is no reply within `_remaining_s`.
        """
        limit_s = self._remaining_s()
        try:
            if limit_s <= 0:
                raise TimeoutError
            return self._run(send, limit_s)
        except TimeoutError as error:
            text = f"{name} gave no answer within {max(limit_s, 0):.3g} s"
            raise CallError(error_codes.INTERNAL, text) from error
        except Exception as error:
            reason = error_text(error, self.spec)
            text = f"{name} failed: {reason}{self._restart_text()}"
            raise CallError(error_codes.INTERNAL, text) from error

    def _remaining_s(self) -> float:
        """Return the seconds that a request may take: until the script's step or the trial ends.

        It is at most `TOOL_CALL_S`, and may be negative.
        """
        # Some time of the step is kept for telling the script that there was no reply.
        step_ends_at = self.clock.call_ends_at - REPORTING_S
        ends_at = min(step_ends_at, self.clock.deadline)
        return min(bounds.TOOL_CALL_S, ends_at - time.monotonic())

    def _run(
        self, start: Callable[[], Coroutine[Any, Any, _Result]], limit_s: float
    ) -> _Result:
        """Return the result of a coroutine, which runs in the client's thread.

        Raises `TimeoutError` after `limit_s` seconds.
        """
        answer: Future[_Result] = self._portal.start_task_soon(start)
        try:
            return answer.result(limit_s)
        finally:
            answer.cancel()  # has no effect if the request has ended

    def _restart_text(self) -> str:
        """Restart the server if its process has ended; return a text about it for the script.

        The server is restarted only once: if it ends again, it would probably end after
        every call.
        """
        is_our_process = not self.spec.url
        if not is_our_process or not self._ended.is_set():
            return ""
        if self._has_restarted:
            return "; the server has ended again, and stays so"
        self._has_restarted = True
        try:
            self.start()
        except Exception as error:  # noqa: BLE001 - no fault of a server ends the trial
            reason = error_text(error, self.spec)
            return f"; the server has ended, and cannot be started anew: {reason}"
        return "; the server has ended, and was started anew: call again what may be done twice"
