"""Starts the MCP servers that a user names, and offers their tools to the scripts of a trial.

Each trial has servers of its own, since a server may remember what a trial has done. They run while
the block of `with_tools` does.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from controlplane.agent.evidence import Environment
from controlplane.agent.loop import TrialClock
from controlplane.errors import UsageError
from controlplane.mcp.servers.own_operations import own_operations
from controlplane.mcp.servers.server_operations import ServerOperations
from controlplane.mcp.servers.server_start import running_server
from controlplane.mcp.tool_access import ToolAccess
from controlplane.mcp.tool_environment import ToolEnvironment
from controlplane.sandbox.interface import Operation


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
