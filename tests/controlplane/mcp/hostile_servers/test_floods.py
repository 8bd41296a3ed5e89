"""An MCP server sends so much that it would fill the memory: its call fails before that.

A message may have 4 MB and 60,000 values. A list of tools may not be without end, either.
"""

import resource
import sys
from pathlib import Path

import pytest

from controlplane.errors import ServerFailed
from controlplane.mcp.offered_servers import with_tools
from controlplane.mcp.server_specs import ServerSpec
from controlplane.mcp.tool_access import ToolAccess
from controlplane.sandbox.interface import CallError
from tests.controlplane.mcp.small_servers import (
    EmptyEnvironment,
    small_server,
    start_and_end_servers,
)
from tests.support.command import ROOT


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


def test_a_line_without_end_fails_its_call() -> None:
    """The tool `flood` of this server sends 20 MB without a line break."""
    loans_server = ROOT / "tests/support/loans_server.py"
    spec = ServerSpec(command=sys.executable, args=(str(loans_server),))

    with (
        with_tools(EmptyEnvironment(), ToolAccess({"loans": spec})) as environment,
        pytest.raises(CallError, match=r"loans\.flood failed"),
    ):
        environment.call("loans.flood", {})


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
