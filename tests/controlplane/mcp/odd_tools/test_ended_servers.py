"""An MCP server that ends during a call is started again, but only once.

The server is `odd`. Its tool `look` returns "seen", `die` ends the server, and `hang` gets no reply.
"""

from pathlib import Path

import pytest

from controlplane.mcp.tool_access import ToolAccess
from controlplane.mcp.tool_environment import with_tools
from controlplane.sandbox.interface import CallError, bounds
from tests.controlplane.mcp.empty_environment import EmptyEnvironment
from tests.controlplane.mcp.odd_tools.odd_server import tools_of
from tests.controlplane.mcp.small_servers import small_server

TOOLS_THAT_HANG_OR_DIE = """
def list_tools(request):
    send_result(request, {"tools": [tool("look"), tool("hang"), tool("die")]})

def call_tool(request):
    name = request["params"]["name"]
    if name == "look":
        send_result(request, {"content": [{"type": "text", "text": "seen"}]})
    if name == "die":
        sys.exit(3)
    # `hang` gets no reply.
"""


def test_server_that_ends_is_started_again_once(tmp_path: Path) -> None:
    """1. The call of `die` ends the server, and fails. The server is started anew.
    2. The new server replies.
    3. The next call of `die` ends it for good.
    """
    with tools_of(tmp_path, TOOLS_THAT_HANG_OR_DIE) as environment:
        with pytest.raises(CallError, match=r"odd\.die failed: .*was started anew"):
            environment.call("odd.die", {})
        result_of_new_server = environment.call("odd.look", {})
        with pytest.raises(CallError, match=r"odd\.die failed: .*has ended again"):
            environment.call("odd.die", {})

    assert result_of_new_server["text"] == "seen"


def test_call_without_a_reply_does_not_count_as_an_end_of_its_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The call of `hang` fails after the time for calls. The server still runs, so that it is
    started anew when `die` ends it."""
    monkeypatch.setattr(bounds, "TOOL_CALL_S", 2.0)

    with tools_of(tmp_path, TOOLS_THAT_HANG_OR_DIE) as environment:
        with pytest.raises(CallError, match=r"odd\.hang gave no answer within 2 s"):
            environment.call("odd.hang", {})
        with pytest.raises(CallError, match=r"odd\.die failed: .*was started anew"):
            environment.call("odd.die", {})


def test_server_that_ends_twice_leaves_the_other_servers_alone(tmp_path: Path) -> None:
    """The servers `odd` and `other` have the same tools."""
    spec = small_server(tmp_path, TOOLS_THAT_HANG_OR_DIE)
    access = ToolAccess({"odd": spec, "other": spec})

    with with_tools(EmptyEnvironment(), access) as environment:
        for _ in range(2):
            with pytest.raises(CallError, match=r"odd\.die failed"):
                environment.call("odd.die", {})
        result = environment.call("other.look", {})

    assert result["text"] == "seen"
