"""A tool of an MCP server, as scripts call it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from controlplane.agent.evidence.checks.call_messages import call_text
from controlplane.mcp.server_specs import ToolAccess
from controlplane.mcp.servers.content_text import text_of
from controlplane.mcp.servers.server_texts import line_of
from controlplane.mcp.servers.tool_server import ToolServer
from controlplane.sandbox.interface import (
    CallError,
    Effect,
    Operation,
    Plain,
    error_codes,
    schema_fault,
)
from controlplane.tools.script_names import plain_name
from controlplane.tools.tool_parameters import ToolParameters
from controlplane.tools.tool_result import citable_result, result_path

if TYPE_CHECKING:
    from mcp import types

MOST_TEXT_BESIDE_DATA: Final = 2_000
"""The longest text that is kept of a result with data, since it usually repeats the data."""
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
    def names(self) -> tuple[str, ...]:
        """The names by which the user may allow the tool: `files.read_file`, `files.read-file`."""
        return (self.operation.name, self.server.operation_name(self.tool.name))

    @property
    def names_to_deny(self) -> tuple[str, ...]:
        """The names by which the user may deny the tool.

        If a server has the tools `read-file` and `read_file`, scripts call the first one
        `files.read_file_2`. Denying `files.read_file` denies both, since the user may
        mean either.
        """
        own_name = self.server.operation_name(self.tool.name)
        unnumbered = self.server.operation_name(plain_name(self.tool.name))
        return (own_name, self.operation.name, unnumbered)

    def is_denied(self, access: ToolAccess) -> bool:
        return access.denies(self.names_to_deny)

    def call(
        self, script_arguments: Mapping[str, Plain], access: ToolAccess
    ) -> dict[str, Plain]:
        """Call the tool if the user allows it, and return the fields of its result.

        Raises `CallError`.
        """
        arguments = self.parameters.own_arguments(script_arguments)
        if not self._is_allowed(arguments, access):
            raise CallError(error_codes.PERMISSION_DENIED, self._refusal())

        result = self.server.call(self.tool.name, arguments)
        text = "\n".join(text_of(part) for part in result.content)
        if result.is_error:
            reason = line_of(text, MOST_ERROR_CHARS) or "it failed"
            msg = f"{self.operation.name}: {reason}"
            raise CallError(error_codes.FAILED_PRECONDITION, msg)

        # A tool may return data (JSON) beside its text, or instead of it.
        data = ""
        if result.structured_content is not None:
            data = _json_text(result.structured_content)
            text = self._text_beside(result.structured_content, text)
        # The answer cites the result by this path.
        path = result_path(self._calls_folder(), arguments, text, data)
        return citable_result(self.operation.name, path, text=text, data=data)

    def _is_allowed(self, arguments: Mapping[str, Any], access: ToolAccess) -> bool:
        """Return True if the tool only reads, or the user allows the call."""
        only_reads = self.operation.effect is not Effect.ACTS
        if only_reads:
            return True
        # Long arguments are shortened. `held` would name arguments to show in full.
        call = call_text(self.operation.name, arguments, held={})
        return access.allows_change(self.names, f"May the script call {call}?")

    def _refusal(self) -> str:
        name = self.operation.name
        tools = f"[{json.dumps(self.tool.name)}]"
        return (
            f"{name} may change something and was not allowed; the user allows it with "
            f"--allow {name}, or with read_only = {tools} in [mcp.{self.server.name}] "
            "of controlplane.toml if it only reads"
        )

    def _text_beside(self, data: Any, text: str) -> str:
        """Return the text of a result with data, or nothing if it is too long.

        A note is added if the data breaks the schema that the tool declares.
        """
        if len(text) > MOST_TEXT_BESIDE_DATA:
            text = ""
        fault = schema_fault(data, self.tool.output_schema or {})
        if not fault:
            return text
        # For example: "it['rows'][0] is str, not int". "It" is the result.
        name = self.operation.name
        return f"(The result breaks the schema of {name}: it{fault}.)\n{text}"

    def _calls_folder(self) -> str:
        _, _, name = self.operation.name.partition(".")
        return f"/mcp/{self.server.name}/calls/{name}"


def _json_text(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
