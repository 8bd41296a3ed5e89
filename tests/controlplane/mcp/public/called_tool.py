"""Checks that a tool of a public MCP server is offered to scripts, and can be called.

    check_tool(spec, "echo", {"message": "due"}, "due")

The server is given the name `it`, so that this calls `it.echo`, and looks for "due" in the result.
"""

from controlplane.mcp.server_specs import ServerSpec
from controlplane.mcp.tool_access import ToolAccess
from controlplane.mcp.tool_environment import with_tools
from tests.controlplane.mcp.empty_environment import EmptyEnvironment


def check_tool(
    spec: ServerSpec, tool: str, arguments: dict[str, object], expected_text: str
) -> None:
    """Check that a tool is offered to scripts and can be called, and that its result has a text.

    The server is given the name `it`: `check_tool(spec, "echo", {"message": "due"}, "due")` calls
    `it.echo`.
    """
    access = ToolAccess({"it": spec}, allow=("it.*",))
    with with_tools(EmptyEnvironment(), access) as environment:
        operations = environment.tool_schema.operations
        result = environment.call(f"it.{tool}", arguments)

    assert f"it.{tool}" in [operation.name for operation in operations]
    assert expected_text in str(result)
    assert environment.notices == []
