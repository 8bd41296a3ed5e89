"""A running MCP server that the user named, as one trial uses it.

Its replies are awaited until a deadline, and its data is passed on and never evaluated.
A server's requests to a model or to the user (sampling and elicitation) are declined.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from controlplane.mcp.server_specs import ServerSpec
from controlplane.mcp.servers.restarting_connection import RestartingConnection
from controlplane.mcp.servers.server_texts import error_text
from controlplane.sandbox.interface import CallError, bounds, error_codes

if TYPE_CHECKING:
    from mcp import types

    from controlplane.agent.loop import TrialClock

REPORTING_S: Final = 0.5
"""The end of a step in which no reply is awaited, so that the script can be told of a failure."""


class ToolServer:
    """A running MCP server. It handles one request at a time.

    `running_server` starts it for a trial and ends it. If its process dies, the request fails, and
    the server is restarted for the next one.
    """

    def __init__(
        self, name: str, spec: ServerSpec, connection: RestartingConnection
    ) -> None:
        self.name = name
        self.spec = spec
        self.clock: TrialClock | None = None
        """Knows when the step and the trial end, which limits requests. None outside trials."""
        self._connection = connection

    @property
    def tools(self) -> tuple[types.Tool, ...]:
        return self._connection.current.tools

    @property
    def left_out(self) -> list[str]:
        """The names of listed tools that do not have the protocol's form. They cannot be called."""
        return self._connection.current.messages.left_out

    @property
    def has_resources(self) -> bool:
        return self._connection.current.has_resources

    def operation_name(self, name: str) -> str:
        """Return the name in scripts of a tool or operation of the server: `files.read`."""
        return f"{self.name}.{name}"

    def call(self, tool: str, arguments: dict[str, Any]) -> types.CallToolResult:
        """Call a tool. Raises `CallError` if there is no result in time, or the server fails."""
        with self._request(self.operation_name(tool)) as limit_s:
            return self._connection.current.call_tool(tool, arguments, limit_s)

    def resources(self) -> list[types.Resource]:
        """Return the first page of the server's resources. Raises `CallError`."""
        with self._request(self.operation_name("resources")) as limit_s:
            return self._connection.current.first_resources(limit_s)

    def read(self, uri: str) -> types.ReadResourceResult:
        """Read one resource. Raises `CallError`."""
        with self._request(self.operation_name("resource")) as limit_s:
            return self._connection.current.read_resource(uri, limit_s)

    @contextmanager
    def _request(self, operation_name: str) -> Iterator[float]:
        """Yield the seconds that a request may take. Errors in the block become `CallError`.

        If the server has ended, it is restarted, and the error says so.
        """
        limit_s = _request_limit_s(self.clock)
        try:
            if limit_s <= 0:
                raise TimeoutError  # as if the request had been made
            yield limit_s
        except TimeoutError as error:
            text = f"{operation_name} gave no answer within {max(limit_s, 0):.3g} s"
            raise CallError(error_codes.INTERNAL, text) from error
        except Exception as error:
            reason = error_text(error, self.spec)
            text = f"{operation_name} failed: {reason}"
            if self._connection.has_lost_process:
                text += f"; {self._connection.restart()}"
            raise CallError(error_codes.INTERNAL, text) from error


def _request_limit_s(clock: TrialClock | None) -> float:
    """Return the seconds that a request may take: until the script's step or the trial ends.

    It is at most `TOOL_CALL_S`, and may be negative.
    """
    if clock is None:
        return bounds.TOOL_CALL_S
    # Some time of the step is kept for telling the script that there was no reply.
    step_ends_at = clock.call_ends_at - REPORTING_S
    ends_at = min(step_ends_at, clock.deadline)
    return min(bounds.TOOL_CALL_S, ends_at - time.monotonic())
