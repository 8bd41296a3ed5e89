"""A list of tools that goes round in circles is read once, and names usable tools first.

An MCP server sends its tools in pages; a page has a cursor that leads to the next one.
"""

from pathlib import Path

import pytest

from controlplane.errors import UsageError
from controlplane.mcp.offered_servers import with_tools
from controlplane.mcp.tool_access import ToolAccess
from tests.controlplane.mcp.empty_environment import (
    EmptyEnvironment,
    start_and_end_servers,
)
from tests.controlplane.mcp.small_servers import small_server


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
