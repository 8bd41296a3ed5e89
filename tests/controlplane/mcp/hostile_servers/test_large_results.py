"""An MCP server sends so much for a call that it would fill the memory: the call fails before that.

A message may have 4 MB and 60,000 values:

    {"content": [[], [], ...]}, 800,000 lists    ->    "db.look failed: the message is longer than ..."
"""

import resource
from pathlib import Path

import pytest

from controlplane.mcp.tool_access import ToolAccess
from controlplane.mcp.tool_environment import with_tools
from controlplane.sandbox.interface import CallError
from tests.controlplane.mcp.empty_environment import EmptyEnvironment
from tests.controlplane.mcp.small_servers import small_server


@pytest.mark.parametrize(
    ("call_tool", "expected_error"),
    [
        pytest.param(
            """
def call_tool(request):
    while True:
        send(method="notifications/message", params={"level": "info", "data": "x"})
""",
            "failed: .*closed",
            id="messages without end",
        ),
        pytest.param(
            """
def call_tool(request):
    send_result(request, {"content": [{"type": "text", "text": ""}] * 100_000})
""",
            "failed: the message is longer than .* or 60,000 values",
            id="100,000 texts",
        ),
        pytest.param(
            """
def call_tool(request):
    send_result(request, {"content": [[]] * 800_000})
""",
            "failed: the message is longer than .* or 60,000 values",
            id="800,000 lists",
        ),
    ],
)
def test_a_flood_fails_its_call_and_takes_little_memory(
    call_tool: str, expected_error: str, tmp_path: Path
) -> None:
    """The product runs in this process, so its memory can be measured here."""
    server = small_server(tmp_path, call_tool)

    with with_tools(EmptyEnvironment(), ToolAccess({"db": server})) as environment:
        before = resource.getrusage(resource.RUSAGE_SELF)
        with pytest.raises(CallError, match=rf"(?i)db\.look {expected_error}"):
            environment.call("db.look", {})
        after = resource.getrusage(resource.RUSAGE_SELF)

    growth_kib = after.ru_maxrss - before.ru_maxrss
    # Far more than an ordinary call takes, and far less than the flood would.
    assert growth_kib < 200_000
