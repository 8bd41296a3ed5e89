"""A trial's environment with the tools of MCP servers added.

Scripts call the tools like the environment's own operations, as
`harness.SERVER.TOOL(...)`, and can cite their results. A tool that may change something
is called only if the user allows it, either by `--allow` or when asked on a terminal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from controlplane.agent.evidence import Environment
from controlplane.mcp.servers.server_operations import ServerOperations
from controlplane.mcp.servers.server_texts import line_of
from controlplane.mcp.servers.tool_help import MOST_NAMED_TOOLS
from controlplane.mcp.servers.tool_server import ToolServer
from controlplane.sandbox.interface import Plain


class ToolEnvironment:
    """An environment with the tools of MCP servers added.

    It is created when a trial starts. A call of `files.read_file` goes to the server `files`,
    and a call without a server's name, such as `read_order`, to the trial's own environment.
    """

    def __init__(
        self, environment: Environment, servers: Mapping[str, ServerOperations]
    ) -> None:
        """Add the operations of the servers, which are given by name."""
        self.environment = environment
        self.servers = servers
        operations = list(environment.tool_schema.operations)
        for server in servers.values():
            operations += server.declared()
        self.tool_schema = replace(
            environment.tool_schema, operations=tuple(operations)
        )

    @property
    def notices(self) -> list[str]:
        """Remarks for the user: on servers with another name in scripts, and on tools left out."""
        notices = []
        for name, operations in self.servers.items():
            user_name = operations.access.user_names.get(name)
            if user_name is not None:
                notices.append(
                    f"the MCP server {line_of(user_name)} is {name} in scripts"
                )
        for name, operations in self.servers.items():
            if operations.server.left_out:
                notices.append(_left_out_notice(name, operations.server))
        return notices

    def now(self) -> datetime | None:
        """Return the time of the environment's clock."""
        return self.environment.now()

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        """Submit the trial's only answer. Raises `CallError`."""
        self.environment.answer(message, outcome, refs)

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make one call of an operation in `tool_schema`. Raises `CallError`."""
        name, point, _ = operation.partition(".")  # `files.read_file`
        if point and name in self.servers:
            return self.servers[name].call(operation, arguments)
        return self.environment.call(operation, arguments)


def _left_out_notice(name: str, server: ToolServer) -> str:
    """Return a notice about tools that scripts cannot call, as the server's list is faulty."""
    tools = list(dict.fromkeys(server.left_out))[:MOST_NAMED_TOOLS]
    return (
        f"the MCP server {name} lists tools without the protocol's form "
        f"(an inputSchema of type object); left out: {', '.join(tools)}"
    )
