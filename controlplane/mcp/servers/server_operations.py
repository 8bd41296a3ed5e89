"""The operations of one MCP server: its tools, `help`, and its resources."""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.mcp.servers.access_patterns import check_patterns
from controlplane.mcp.servers.offered_tool import OfferedTool
from controlplane.mcp.servers.own_operations import own_operations
from controlplane.mcp.servers.server_resources import resource, resource_list
from controlplane.mcp.servers.tool_help import help_on_tool, help_on_words
from controlplane.mcp.servers.tool_offers import offered_tools
from controlplane.mcp.servers.tool_server import ToolServer
from controlplane.mcp.tool_access import ToolAccess
from controlplane.sandbox.interface import CallError, Operation, Plain, error_codes


class ServerOperations:
    """What scripts can call of one server, within what the user permits."""

    def __init__(self, server: ToolServer, access: ToolAccess) -> None:
        """Declare the tools.

        Raises `UsageError` if `--allow` or `--deny` name an unknown tool.
        """
        self.server = server
        self.access = access
        self.all_tools = list(offered_tools(server, access.reads))
        check_patterns(server, self.all_tools, access)
        self.tools: dict[str, OfferedTool] = {}
        """The tools that are not denied, by the names of their operations."""
        for tool in self.all_tools:
            if not access.denies(tool.names.to_deny):
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
                return {"data": resource_list(self.server)}
            case "resource":
                return resource(self.server, str(arguments.get("uri", "")))
            case _:
                raise CallError(error_codes.UNIMPLEMENTED, f"there is no {name}")

    def _help(self, words: str) -> str:
        """Return the description of the tool that `words` name, or the tools that match them."""
        name = self.server.operation_name(words.rpartition(".")[2])
        if name in self.tools:
            return help_on_tool(self.tools[name])
        return help_on_words(self.tools, words)
