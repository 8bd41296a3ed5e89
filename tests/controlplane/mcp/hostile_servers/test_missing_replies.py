"""A call of an MCP server's tool fails if no reply comes within the time for calls.

The error names the tool, "db.look gave no answer within 0.2 s", and the trial goes on. The call is made
twice: the first missing reply must not change how the second one is treated.
"""

from pathlib import Path

import pytest

from controlplane.mcp.tool_access import ToolAccess
from controlplane.mcp.tool_environment import with_tools
from controlplane.sandbox.interface import CallError, bounds
from tests.controlplane.mcp.empty_environment import EmptyEnvironment
from tests.controlplane.mcp.small_servers import small_server


def test_no_reply_within_the_time_for_calls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "TOOL_CALL_S", 0.2)
    server = small_server(
        tmp_path,
        """
def call_tool(request):
    time.sleep(600)
""",
    )

    with with_tools(EmptyEnvironment(), ToolAccess({"db": server})) as environment:
        for _ in range(2):
            with pytest.raises(
                CallError, match=r"db\.look gave no answer within 0\.2 s"
            ):
                environment.call("db.look", {})
