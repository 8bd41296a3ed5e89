"""The tools of an MCP server, declared for scripts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Final

from controlplane.mcp.servers.offered_tool import OfferedTool
from controlplane.mcp.servers.server_texts import line_of
from controlplane.mcp.servers.tool_server import ToolServer
from controlplane.mcp.tool_access import matches_any
from controlplane.sandbox.interface import Effect, Operation, ResultField
from controlplane.tools.script_names import is_adapted, script_name
from controlplane.tools.tool_parameters import ToolParameters

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
"""The prompt describes at most this many tools of a server. Of more, it has only the names,
and scripts call `help` for a tool's description."""
MOST_PARAMETERS: Final = 30


def offered_tools(
    server: ToolServer, reads: Collection[str] = ()
) -> Iterator[OfferedTool]:
    """Yield the tools of a server, each with a name that is valid in scripts.

    `reads` are the tools that only read according to the user, by their names in scripts.
    The user's word counts more than the server's.
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
    """Return each tool's name in scripts. Valid names come first, so they stay unchanged."""
    taken = set(OWN_OPERATIONS)
    names = {}
    for tool in sorted(tools, key=lambda tool: is_adapted(tool.name)):
        names[tool.name] = script_name(tool.name, taken)
        taken.add(names[tool.name])
    return names


def _only_reads(tool: types.Tool, read_only: Iterable[str]) -> bool:
    """Return True if the server or its configuration declares that a tool changes nothing."""
    if matches_any(read_only, [tool.name]):
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
    """Return a tool's line for the prompt. It has no description if the server has many tools."""
    summary = ""
    if len(server.tools) <= MOST_DESCRIBED_TOOLS:
        summary = line_of(tool.description or tool.title or "")
    if not only_reads:
        summary = f"{summary} (may change something)".strip()
    return summary
