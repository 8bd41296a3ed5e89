"""An option that names an unknown tool is refused, and the message names the tools that there are.

    --allow db.qqqqqqqqqq    ->    known: db.look, ..., db.bare

The server `db` has the tool `look`, and a tool `bare`, which cannot be used, since it has no schema
of its arguments. The tools that can be used come first.
"""

from pathlib import Path

import pytest

from controlplane.errors import UsageError
from controlplane.mcp.tool_access import ToolAccess
from tests.controlplane.mcp.empty_environment import start_and_end_servers
from tests.controlplane.mcp.small_servers import small_server


@pytest.mark.parametrize("option", ["allow", "deny"])
def test_an_option_with_an_unknown_tool_suggests_usable_tools_first(
    option: str, tmp_path: Path
) -> None:
    functions = """
def list_tools(request):
    send_result(request, {"tools": [{"name": "bare"}, tool("look")]})
"""
    server = small_server(tmp_path, functions)
    access = ToolAccess({"db": server}, **{option: ("db.qqqqqqqqqq",)})

    with pytest.raises(UsageError, match=r"known: db\.look, .*db\.bare"):
        start_and_end_servers(access)
