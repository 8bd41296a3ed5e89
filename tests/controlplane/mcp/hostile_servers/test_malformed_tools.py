"""A tool of an MCP server without a schema of its parameters is left out, since it cannot be called."""

from pathlib import Path

import pytest

from controlplane.errors import UsageError
from controlplane.mcp.offered_servers import with_tools
from controlplane.mcp.tool_access import ToolAccess
from tests.controlplane.mcp.small_servers import (
    EmptyEnvironment,
    small_server,
    start_and_end_servers,
)


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


def test_a_list_of_tools_ends_when_a_cursor_comes_again(tmp_path: Path) -> None:
    """Each page has a new tool, and a cursor that leads to the next page. The second page has the
    cursor of the first, so that a third one would never be the last."""
    server = small_server(
        tmp_path,
        """
pages = []

def list_tools(request):
    pages.append(request)
    send_result(request, {"tools": [tool(f"look{len(pages)}")], "nextCursor": "again"})
""",
    )

    with with_tools(EmptyEnvironment(), ToolAccess({"db": server})) as environment:
        operations = environment.tool_schema.operations

    names = [operation.name for operation in operations]
    assert names == ["db.look1", "db.look2", "db.help"]


@pytest.mark.parametrize("option", ["allow", "deny"])
def test_an_option_with_an_unknown_tool_suggests_usable_tools_first(
    option: str, tmp_path: Path
) -> None:
    server = small_server(
        tmp_path,
        """
def list_tools(request):
    send_result(request, {"tools": [{"name": "bare"}, tool("look")]})
""",
    )
    access = ToolAccess({"db": server}, **{option: ("db.qqqqqqqqqq",)})

    with pytest.raises(UsageError, match=r"known: db\.look, .*db\.bare"):
        start_and_end_servers(access)
