"""A tool of an MCP server, as scripts call it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from controlplane.agent.evidence.checks.shown_call import call_text
from controlplane.mcp.servers.server_texts import line_of
from controlplane.mcp.servers.tool_names import ToolNames
from controlplane.mcp.servers.tool_reply import ToolReply, all_text
from controlplane.mcp.servers.tool_server import ToolServer
from controlplane.mcp.tool_access import ToolAccess
from controlplane.sandbox.interface import (
    CallError,
    Effect,
    Operation,
    Plain,
    error_codes,
)
from controlplane.tools.tool_parameters import ToolParameters
from controlplane.tools.tool_result import citable_result, result_path

if TYPE_CHECKING:
    from mcp import types

MOST_ERROR_CHARS: Final = 2_000


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A tool of a server, as scripts call it."""

    server: ToolServer
    tool: types.Tool
    """The tool as the server declares it."""
    operation: Operation
    """What scripts call: `files.read_file` for the tool `read-file` of the server `files`."""
    parameters: ToolParameters

    @property
    def names(self) -> ToolNames:
        """The tool's names: the server's own, and the one in scripts."""
        return ToolNames(self.server.name, self.tool.name, self.operation.name)

    def call(
        self, script_arguments: Mapping[str, Plain], access: ToolAccess
    ) -> dict[str, Plain]:
        """Call the tool if the user allows it, and return the fields of its result.

        Raises `CallError` if the user does not allow it, the server fails, or the tool reports an error.
        """
        name = self.operation.name
        # Scripts use names of Python: `max_rows` for the tool's own `max-rows`.
        arguments = self.parameters.with_own_names(script_arguments)
        if not self._is_allowed(arguments, access):
            raise CallError(error_codes.PERMISSION_DENIED, self._refusal())

        result = self.server.call(self.tool.name, arguments)
        if result.is_error:
            reason = line_of(all_text(result), MOST_ERROR_CHARS) or "it failed"
            raise CallError(error_codes.FAILED_PRECONDITION, f"{name}: {reason}")

        reply = ToolReply.of(result, self.tool, name)
        # The answer cites the result by this path.
        path = result_path(self.names.calls_folder, arguments, reply.text, reply.data)
        return citable_result(name, path, text=reply.text, data=reply.data)

    def _is_allowed(self, arguments: Mapping[str, Any], access: ToolAccess) -> bool:
        """Return True if the tool only reads, or the user allows the call."""
        only_reads = self.operation.effect is not Effect.ACTS
        if only_reads:
            return True
        # Long arguments are shortened.
        call = call_text(self.operation.name, arguments)
        question = f"May the script call {call}?"
        return access.allows_change(self.names.to_allow, question)

    def _refusal(self) -> str:
        """Return why the call is not made, and how the user allows it."""
        name = self.operation.name
        tools = f"[{json.dumps(self.tool.name)}]"
        return (
            f"{name} may change something and was not allowed; the user allows it with "
            f"--allow {name}, or with read_only = {tools} in [mcp.{self.server.name}] "
            "of controlplane.toml if it only reads"
        )
