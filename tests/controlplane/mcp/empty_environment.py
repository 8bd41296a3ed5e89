"""An environment of a trial to which only the tools of MCP servers are added.

    with with_tools(EmptyEnvironment(), ToolAccess({"db": spec})) as environment:
        environment.call("db.look", {})        calls the tool `look` of the server `db`

A trial is an attempt at a task; its environment has the operations that scripts can call.
"""

from controlplane.mcp.tool_access import ToolAccess
from controlplane.mcp.tool_environment import with_tools
from controlplane.sandbox.interface import CallError, ToolSchema


class EmptyEnvironment:
    """An environment of a trial that has no operations of its own."""

    tool_schema = ToolSchema(operations=())

    def call(self, operation: str, arguments: object) -> dict[str, object]:
        raise CallError("unimplemented", operation)


def start_and_end_servers(access: ToolAccess) -> None:
    """Start the servers as a trial does, and end them. Raises what a trial would fail with."""
    with with_tools(EmptyEnvironment(), access):
        pass
