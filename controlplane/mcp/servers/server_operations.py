"""The operations of one MCP server: its tools, `help`, and its resources."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from controlplane.agent.loop import tool_line
from controlplane.errors import UsageError, did_you_mean
from controlplane.mcp.server_specs import ToolAccess
from controlplane.mcp.servers.content_text import text_of
from controlplane.mcp.servers.offered_tool import OfferedTool
from controlplane.mcp.servers.server_texts import line_of
from controlplane.mcp.servers.tool_offers import CALL_PATH, DATA, TEXT, offered_tools
from controlplane.mcp.servers.tool_server import ToolServer
from controlplane.sandbox.interface import (
    CallError,
    Effect,
    Operation,
    Parameter,
    Plain,
    error_codes,
)
from controlplane.terminal_text import sanitize
from controlplane.tools.script_names import plain_name
from controlplane.tools.tool_result import citable_result

MOST_NAMED_TOOLS: Final = 20
"""The largest number of tools that a notice or `help` names."""
MOST_HELP_CHARS: Final = 6_000


class ServerOperations:
    """What scripts can call of one server, within what the user permits."""

    def __init__(self, server: ToolServer, access: ToolAccess) -> None:
        """Declare the tools.

        Raises `UsageError` if `--allow` or `--deny` name an unknown tool.
        """
        self.server = server
        self.access = access
        self.all_tools = list(offered_tools(server, access.reads))
        _check_patterns(server, self.all_tools, access)
        self.tools: dict[str, OfferedTool] = {}
        """The tools that are not denied, by the names of their operations."""
        for tool in self.all_tools:
            if not tool.is_denied(access):
                self.tools[tool.operation.name] = tool

    def declared(self) -> list[Operation]:
        """Return the operations: those of the tools, and the server's own."""
        operations = [tool.operation for tool in self.tools.values()]
        return operations + own_operations(self.server)

    def call(self, name: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Call the operation `name`, as in `files.read_file`. Raises `CallError`."""
        if name in self.tools:
            return self.tools[name].call(arguments, self.access)
        match name.removeprefix(f"{self.server.name}."):
            case "help":
                return {"text": self._help(str(arguments.get("words", "")))}
            case "resources":
                return {"data": _resource_list(self.server)}
            case "resource":
                return _resource(self.server, str(arguments.get("uri", "")))
            case _:
                raise CallError(error_codes.UNIMPLEMENTED, f"there is no {name}")

    def _help(self, words: str) -> str:
        """Return the description of the tool that `words` name, or the tools that match them."""
        tool = self.tools.get(self.server.operation_name(words.rpartition(".")[2]))
        if tool is not None:
            return _description(tool)
        tools = self._tools_by_fit(words)[:MOST_NAMED_TOOLS]
        lines = [tool_line(tool.operation) for tool in tools]
        return "\n".join(lines) or "no tool has this name, or holds these words"

    def _tools_by_fit(self, words: str) -> list[OfferedTool]:
        """Return the tools that match any of the words, with the best match first."""
        wanted = words.casefold().split()
        counts = {}
        for name, tool in self.tools.items():
            text = f"{name} {tool.tool.description or ''}".casefold()
            matches = [word for word in wanted if word in text]
            if matches:
                counts[name] = len(matches)
        names = sorted(counts, key=lambda name: (-counts[name], name))
        return [self.tools[name] for name in names]


def _description(tool: OfferedTool) -> str:
    """Return the text of `help` about one tool."""
    line = tool_line(tool.operation)
    schema = json.dumps(tool.tool.input_schema, ensure_ascii=False)
    text = f"{line}\n{tool.tool.description or ''}\nparameters: {schema}"
    return sanitize(text)[:MOST_HELP_CHARS]


# --- The server's own operations ---


def own_operations(server: ToolServer) -> list[Operation]:
    """Return the declarations of the operations that are not tools.

    They are `help` and, if the server has resources, `resources` and `resource`.
    """
    # `subject` would name the parameter with a path of the trial's files. None has one.
    help_operation = Operation(
        server.operation_name("help"),
        parameters=(Parameter("words", "str"),),
        fields=(TEXT,),
        summary="a tool's description and parameters, or the tools that words describe",
        effect=Effect.NONE,
        subject="",
    )
    if not server.has_resources:
        return [help_operation]
    list_resources = Operation(
        server.operation_name("resources"),
        parameters=(),
        fields=(DATA,),
        summary="a list of the resources: .uri .name .description",
        effect=Effect.NONE,
        subject="",
        parsed_field=DATA.name,
    )
    read_resource = Operation(
        server.operation_name("resource"),
        parameters=(Parameter("uri", "str"),),
        fields=(CALL_PATH, TEXT, DATA),
        summary="a resource's text",
        effect=Effect.RETURNS,
        subject="",
    )
    return [help_operation, list_resources, read_resource]


def _resource_list(server: ToolServer) -> str:
    """Return the resources of a server as JSON."""
    resources = []
    for resource in server.resources():
        shown = {
            "uri": str(resource.uri),
            "name": line_of(resource.name),
            "description": line_of(resource.description or ""),
        }
        resources.append(shown)
    return json.dumps(resources, ensure_ascii=False)


def _resource(server: ToolServer, uri: str) -> dict[str, Plain]:
    """Return the text of a resource, with the path to cite it by.

    For `wiki://pages/start.md`, the path is `/mcp/wiki/resources/pages_start_md`.
    """
    contents = server.read(uri).contents
    text = "\n".join(text_of(content) for content in contents)
    name = plain_name(uri.partition("://")[2] or uri)
    path = f"/mcp/{server.name}/resources/{name}"
    return citable_result(server.operation_name("resource"), path, text=text, data="")


# --- The patterns of `--allow` and `--deny` ---


def _check_patterns(
    server: ToolServer, tools: Iterable[OfferedTool], access: ToolAccess
) -> None:
    """Raise `UsageError` if `--allow` or `--deny` name a tool that the server does not have."""
    to_allow: list[str] = []
    to_deny: list[str] = []
    for tool in tools:
        to_allow += tool.names
        to_deny += tool.names_to_deny
    # The user may also name listed tools that cannot be used. They come last, so that an
    # error suggests tools that can be used first.
    left_out = [server.operation_name(name) for name in server.left_out]
    _check_option("--allow", access.allow, server, to_allow + left_out)
    _check_option("--deny", access.deny, server, to_deny + left_out)


def _check_option(
    option: str, patterns: Iterable[str], server: ToolServer, names: Sequence[str]
) -> None:
    for pattern in patterns:
        is_of_server = pattern.partition(".")[0] == server.name
        if is_of_server and not ToolAccess.matches_any([pattern], names):
            hint = did_you_mean(pattern, names)
            msg = f"{option} {pattern}: the server {server.name} has no such tool{hint}"
            raise UsageError(msg)
