"""An MCP server sends a line, or a list of tools, without end: it is not read to its end.

A message may have 4 MB. The list of tools comes in pages, each of which names the next one.
"""

from pathlib import Path

import pytest

from controlplane.errors import ServerFailed
from controlplane.mcp.tool_access import ToolAccess
from controlplane.mcp.tool_environment import with_tools
from controlplane.sandbox.interface import CallError
from tests.controlplane.mcp.empty_environment import (
    EmptyEnvironment,
    start_and_end_servers,
)
from tests.controlplane.mcp.small_servers import small_server


def test_a_line_without_end_fails_its_call(tmp_path: Path) -> None:
    """The reply is 20 MB without a line break."""
    server = small_server(
        tmp_path,
        """
def call_tool(request):
    for _ in range(20):
        sys.stdout.write("x" * 1_000_000)
    sys.stdout.flush()
    time.sleep(2)
""",
    )

    with (
        with_tools(EmptyEnvironment(), ToolAccess({"db": server})) as environment,
        pytest.raises(CallError, match=r"db\.look failed"),
    ):
        environment.call("db.look", {})


def test_a_list_of_tools_without_end_is_refused(tmp_path: Path) -> None:
    """Each page of the list has 1 MB, and a cursor that leads to a further one."""
    server = small_server(
        tmp_path,
        """
def list_tools(request):
    page = {"tools": [tool("a") | {"description": "x" * 1_000_000}]}
    send_result(request, page | {"nextCursor": str(request["id"])})
""",
    )

    with pytest.raises(ServerFailed, match="its list of tools is longer than"):
        start_and_end_servers(ToolAccess({"db": server}))
