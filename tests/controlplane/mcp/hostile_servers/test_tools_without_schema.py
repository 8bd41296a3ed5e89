"""A tool of an MCP server without a schema of its parameters is left out, since it cannot be called.

    {"tools": [{"name": "bare"}, {"name": "look", "inputSchema": {"type": "object"}}]}

Of these, scripts can call `db.look`, and a notice names `bare`.
"""

from pathlib import Path

from controlplane.mcp.tool_access import ToolAccess
from controlplane.mcp.tool_environment import with_tools
from tests.controlplane.mcp.empty_environment import EmptyEnvironment
from tests.controlplane.mcp.small_servers import small_server


def test_tools_without_a_schema_are_left_out_with_a_notice(tmp_path: Path) -> None:
    server = small_server(
        tmp_path,
        """
def list_tools(request):
    tools = [
        {"name": "look", "inputSchema": {"type": "object"}},
        {"name": "bare"},
        {"name": "none", "inputSchema": None},
        7,
        {"name": "odd", "inputSchema": []},
    ]
    send_result(request, {"tools": tools})
""",
    )

    with with_tools(EmptyEnvironment(), ToolAccess({"db": server})) as environment:
        operations = environment.tool_schema.operations
        (notice,) = environment.notices

    # `help`, which describes the tools to scripts, is added to each server.
    assert [operation.name for operation in operations] == ["db.look", "db.help"]
    assert "MCP server db" in notice
    assert "bare, none, ?, odd" in notice  # The number 7 has no name.


def test_the_other_tools_of_the_server_can_be_called(tmp_path: Path) -> None:
    """It does no harm to allow a tool that was left out."""
    server = small_server(
        tmp_path,
        """
def list_tools(request):
    send_result(request, {"tools": [tool("look"), {"name": "bare"}]})

def call_tool(request):
    send_result(request, {"content": [{"type": "text", "text": "seen"}]})
""",
    )
    access = ToolAccess({"db": server}, allow=("db.bare",))

    with with_tools(EmptyEnvironment(), access) as environment:
        result = environment.call("db.look", {})

    assert result["text"] == "seen"
