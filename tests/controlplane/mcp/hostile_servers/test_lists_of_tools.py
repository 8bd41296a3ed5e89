"""A list of tools that goes round in circles is not read for ever.

An MCP server sends its tools in pages; a page has a cursor, by which the client asks for the next
one.
"""

from pathlib import Path

from controlplane.mcp.tool_access import ToolAccess
from controlplane.mcp.tool_environment import with_tools
from tests.controlplane.mcp.empty_environment import EmptyEnvironment
from tests.controlplane.mcp.small_servers import small_server


def test_a_list_of_tools_ends_when_a_cursor_comes_again(tmp_path: Path) -> None:
    """Every page of this server has a new tool and the same cursor, so no page is the last. The
    second page has a cursor that is known, and no third page is asked for."""
    functions = """
pages = []

def list_tools(request):
    pages.append(request)
    send_result(request, {"tools": [tool(f"look{len(pages)}")], "nextCursor": "again"})
"""
    access = ToolAccess({"db": small_server(tmp_path, functions)})

    with with_tools(EmptyEnvironment(), access) as environment:
        operations = environment.tool_schema.operations

    names = [operation.name for operation in operations]
    # The product adds `help` to the tools of each server.
    assert names == ["db.look1", "db.look2", "db.help"]
