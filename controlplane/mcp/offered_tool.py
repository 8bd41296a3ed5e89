"""A tool of an MCP server, as scripts call it."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from controlplane.agent.evidence.call_messages import call_text
from controlplane.mcp.content_text import text_of
from controlplane.mcp.server_specs import ToolAccess
from controlplane.mcp.tool_server import ToolServer, line_of
from controlplane.sandbox.interface import (
    CallError,
    Effect,
    Operation,
    Plain,
    ResultField,
    error_codes,
    schema_fault,
)
from controlplane.script_names import is_adapted, plain_name, script_name
from controlplane.tool_parameters import ToolParameters
from controlplane.tool_result import citable_result, result_path

if TYPE_CHECKING:
    from mcp import types

CALL_PATH: Final = ResultField("call_path")
"""The path by which an answer cites the result."""
TEXT: Final = ResultField("text")
DATA: Final = ResultField("data")
"""The data (JSON) that a tool returned beside text or instead of it."""

OWN_OPERATIONS: Final = ("help", "resource", "resources")
"""Operations that a server has in addition to its tools."""
MOST_DESCRIBED_TOOLS: Final = 40
"""If a server has more tools than this, the prompt contains only their names, and
scripts call `help` for the description of a tool."""
MOST_PARAMETERS: Final = 30
MOST_TEXT_BESIDE_DATA: Final = 2_000
"""A result with data may also have a text, which usually repeats the data. A longer
text is left out."""
MOST_ERROR_CHARS: Final = 2_000


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A tool of a server, as scripts call it."""

    server: ToolServer
    tool: types.Tool
    """The tool as the server declares it."""
    operation: Operation
    """The operation that scripts call: `files.read_file` for the tool `read-file` of
    the server `files`."""
    parameters: ToolParameters

    @property
    def names(self) -> tuple[str, ...]:
        """The names by which the user may allow the tool: `files.read_file` and
        `files.read-file`."""
        return (self.operation.name, self.server.operation_name(self.tool.name))

    @property
    def names_to_deny(self) -> tuple[str, ...]:
        """The names by which the user may deny the tool.

        Scripts call the tool `read-file` `files.read_file_2` if there is also a tool
        `read_file`. Denying `files.read_file` denies both, since the user may mean
        either.
        """
        own_name = self.server.operation_name(self.tool.name)
        unnumbered = self.server.operation_name(plain_name(self.tool.name))
        return (own_name, self.operation.name, unnumbered)

    def is_denied(self, access: ToolAccess) -> bool:
        return access.matches_any(access.deny, self.names_to_deny)

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

        data = ""
        if result.structured_content is not None:
            data = _json_text(result.structured_content)
            text = self._text_beside(result.structured_content, text)
        path = result_path(self._calls_folder(), arguments, text, data)
        return citable_result(self.operation.name, path, text=text, data=data)

    def _is_allowed(self, arguments: Mapping[str, Any], access: ToolAccess) -> bool:
        """Return True if the tool only reads, or the user allows the call."""
        if self.operation.effect is not Effect.ACTS:
            return True
        if access.matches_any(access.allow, self.names):
            return True
        if access.approve is None:
            return False
        # No argument has to be shown in full.
        call = call_text(self.operation.name, arguments, held={})
        return access.approve(f"May the script call {call}?")

    def _refusal(self) -> str:
        name = self.operation.name
        tools = f"[{json.dumps(self.tool.name)}]"
        return (
            f"{name} may change something and was not allowed; the user allows it with "
            f"--allow {name}, or with read_only = {tools} in [mcp.{self.server.name}] "
            "of controlplane.toml if it only reads"
        )

    def _text_beside(self, data: Any, text: str) -> str:
        """Return the text of a result with data: shortened, and with a note if the data
        does not have the declared form."""
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


# --- Declaring the tools of a server ---


def offered_tools(
    server: ToolServer, reads: Collection[str] = ()
) -> Iterator[OfferedTool]:
    """Yield the tools of a server, each with a name that is valid in scripts.

    `reads` lists tools that, as the user says, only read. That counts more than the
    server's word.
    """
    names = _names_in_scripts(server.tools)
    for tool in server.tools:
        name = server.operation_name(names[tool.name])
        only_reads = name in reads or _only_reads(tool, server.spec.read_only)
        parameters = ToolParameters.of_schema(tool.input_schema, MOST_PARAMETERS)
        operation = Operation(
            name,
            parameters.in_scripts,
            fields=(CALL_PATH, TEXT, DATA),
            summary=_summary(tool, server, only_reads=only_reads),
            effect=Effect.RETURNS if only_reads else Effect.ACTS,
            subject="",  # The tool does not act on a path of the trial's files.
            json_field=TEXT.name,  # Many servers return JSON as text.
            parsed_field=DATA.name,
            has_own_defaults=True,  # The server fills in what a script leaves out.
            is_undeclared=not _declares_effect(tool),
        )
        yield OfferedTool(server, tool, operation, parameters)


def _names_in_scripts(tools: Iterable[types.Tool]) -> dict[str, str]:
    """Return each tool's name in scripts. Valid names come first, so they stay
    unchanged."""
    taken = set(OWN_OPERATIONS)
    names = {}
    for tool in sorted(tools, key=lambda tool: is_adapted(tool.name)):
        names[tool.name] = script_name(tool.name, taken)
    return names


def _only_reads(tool: types.Tool, read_only: Iterable[str]) -> bool:
    """Return True if the server or its configuration declares that a tool changes
    nothing."""
    if ToolAccess.matches_any(read_only, [tool.name]):
        return True
    hints = tool.annotations
    if hints is None:
        return False
    return bool(hints.read_only_hint) and not hints.destructive_hint


def _declares_effect(tool: types.Tool) -> bool:
    """Return True if the server says whether a tool changes something."""
    hints = tool.annotations
    if hints is None:
        return False
    return hints.read_only_hint is not None or hints.destructive_hint is not None


def _summary(tool: types.Tool, server: ToolServer, *, only_reads: bool) -> str:
    """Return a tool's line for the prompt. It has no description if the server has many
    tools."""
    summary = ""
    if len(server.tools) <= MOST_DESCRIBED_TOOLS:
        summary = line_of(tool.description or tool.title or "")
    if not only_reads:
        summary = f"{summary} (may change something)".strip()
    return summary
