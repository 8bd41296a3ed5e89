"""A connection to an MCP server, by the protocol's official client."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from controlplane.mcp.server_specs import ServerSpec
from controlplane.mcp.servers.client_thread import ClientThread
from controlplane.mcp.servers.error_output import ErrorOutput
from controlplane.mcp.servers.http_transport import http_transport
from controlplane.mcp.servers.repaired_results import RepairedMessages, unwrapped
from controlplane.mcp.servers.stdio_transport import stdio_transport
from controlplane.mcp.servers.tool_list import listed_tools
from controlplane.sandbox.interface import bounds

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal
    from mcp import types


class ServerConnection:
    """A connection to a server: `open` starts the server's process or connects to its address.

    Each request raises `TimeoutError` if there is no reply within `limit_s` seconds, and
    the errors of the client.
    """

    def __init__(
        self, spec: ServerSpec, errors: ErrorOutput, portal: BlockingPortal
    ) -> None:
        """Prepare a connection to the server of `spec`, which `open` then opens.

        What the server's process writes to its standard error is added to `errors`. The client is
        asynchronous; it runs in the event loop of `portal`, which belongs to another thread.
        """
        import mcp

        self.tools: tuple[types.Tool, ...] = ()
        """The server's tools; empty before `open`."""
        self.messages = RepairedMessages()
        transport = http_transport(spec) if spec.url else stdio_transport(spec, errors)
        self._client = mcp.Client(
            self.messages.streams(transport),
            cache=None,
            read_timeout_seconds=bounds.TOOL_SERVER_START_S,
        )
        self._thread = ClientThread(portal)

    def open(self) -> None:
        """Connect to the server, and list its tools."""
        self._thread.open(self._client)
        self.tools = self._thread.wait_for(
            lambda: listed_tools(self._client), bounds.TOOL_SERVER_START_S
        )

    def close(self) -> None:
        """End the server, even if it has already died."""
        self._thread.close()

    @property
    def has_resources(self) -> bool:
        """True if the server has declared that it has resources."""
        return getattr(self._client.server_capabilities, "resources", None) is not None

    def call_tool(
        self, tool: str, arguments: dict[str, Any], limit_s: float
    ) -> types.CallToolResult:
        """Call a tool, and return its result, even if it reports an error of the tool."""
        from mcp import types

        params = types.CallToolRequestParams(name=tool, arguments=arguments)
        request = types.CallToolRequest(params=params)

        # `session.call_tool` would check results against regular expressions of the
        # server, which may take forever. `limit_s` ends before the client's own timeout.
        def send() -> Coroutine[Any, Any, types.CallToolResult]:
            return self._client.session.send_request(
                request,
                types.CallToolResult,
                request_read_timeout_seconds=2 * bounds.TOOL_CALL_S,
            )

        result = self._thread.wait_for(send, limit_s)
        # Content that is not an object was wrapped in one for the client (`messages`).
        content = unwrapped(result.structured_content)
        return result.model_copy(update={"structured_content": content})

    def first_resources(self, limit_s: float) -> list[types.Resource]:
        """Return the first page of the server's resources."""
        page = self._thread.wait_for(
            lambda: self._client.session.list_resources(), limit_s
        )
        return page.resources[: bounds.MOST_MCP_TOOLS]

    def read_resource(self, uri: str, limit_s: float) -> types.ReadResourceResult:
        """Return the content of the resource at an address, such as `file:///notes.md`."""
        return self._thread.wait_for(
            lambda: self._client.session.read_resource(uri), limit_s
        )
