"""A trial's environment with the tools of MCP servers added.

Scripts call the tools like the environment's own operations, as
`harness.SERVER.TOOL(...)`, and can cite their results. A tool that may change something
is called only if the user allows it, either by `--allow` or when asked on a terminal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import datetime

from controlplane.agent.evidence import Environment
from controlplane.agent.loop import TrialClock
from controlplane.errors import UsageError
from controlplane.mcp.servers.own_operations import own_operations
from controlplane.mcp.servers.server_operations import ServerOperations
from controlplane.mcp.servers.server_start import running_server
from controlplane.mcp.servers.server_texts import line_of
from controlplane.mcp.servers.tool_help import MOST_NAMED_TOOLS
from controlplane.mcp.servers.tool_server import ToolServer
from controlplane.mcp.tool_access import ToolAccess
from controlplane.sandbox.interface import Operation, Plain


class ToolEnvironment:
    """An environment with the tools of MCP servers added.

    It is created when a trial starts. Calls of a server's tools go to that server, and
    all other calls to the trial's own environment.
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
    tools = list(dict.fromkeys(server.left_out))[:MOST_NAMED_TOOLS]
    return (
        f"the MCP server {name} lists tools without the protocol's form "
        f"(an inputSchema of type object); left out: {', '.join(tools)}"
    )


@contextmanager
def with_tools(
    environment: Environment, access: ToolAccess, clock: TrialClock | None = None
) -> Iterator[ToolEnvironment]:
    """Yield the environment with the tools of the servers, which run until the block ends.

    `clock` counts the time of the trial: a call of a tool waits no longer than the time
    that is left.

    Raises `ServerFailed`, and `UsageError` if a server's name is taken, or `--allow` or
    `--deny` name an unknown tool.
    """
    with ExitStack() as resources:
        # 1. Start all servers.
        running_servers = {}
        for name, spec in access.servers.items():
            server = resources.enter_context(running_server(name, spec))
            if clock is not None:
                server.clock = clock
            running_servers[name] = server

        # 2. Offer their operations to scripts.
        servers = {}
        for name, server in running_servers.items():
            if environment.tool_schema.operation(name) is not None:
                msg = f"--mcp {name}: scripts have a call of this name; name the server otherwise"
                raise UsageError(msg)
            servers[name] = ServerOperations(server, access)
        yield ToolEnvironment(environment, servers)


def declared_operations(access: ToolAccess) -> list[Operation]:
    """Return the operations of the servers, including denied tools.

    Each server is started for this and then ended. Raises `ServerFailed`, and
    `UsageError` if a name in `--allow` or `--deny` matches no tool.
    """
    declared = []
    for name, spec in access.servers.items():
        with running_server(name, spec) as server:
            tools = ServerOperations(server, access).all_tools
            declared += [tool.operation for tool in tools]
            declared += own_operations(server)
    return declared
