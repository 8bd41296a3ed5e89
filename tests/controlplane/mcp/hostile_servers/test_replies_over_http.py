"""A reply of an MCP server over HTTP that is too large fails only the call that asked for it.

For example:

    far.body()    ->    CallError "... 4,000,000 bytes ..."
    far.fine()    ->    "fine"
"""

import pytest

from controlplane.mcp.server_specs import ServerSpec
from controlplane.mcp.tool_access import ToolAccess
from controlplane.mcp.tool_environment import with_tools
from controlplane.sandbox.interface import CallError
from tests.controlplane.mcp.empty_environment import EmptyEnvironment
from tests.controlplane.mcp.hostile_servers.flooding_server import reply
from tests.support.byte_server import ByteServer


@pytest.mark.parametrize(
    ("tool", "expected_error"),
    [
        pytest.param("body", "4,000,000 bytes", id="JSON without end"),
        pytest.param("event", "4000000 byte", id="event stream without end"),
        pytest.param("packed", "compressed", id="small body that unpacks to 20 MB"),
    ],
)
def test_a_reply_that_is_too_large_fails_only_its_call(
    tool: str, expected_error: str
) -> None:
    """The next call, of the tool `fine` of the same server, succeeds."""
    with ByteServer(reply) as server:
        access = ToolAccess({"far": ServerSpec(url=f"{server.url}/mcp")})
        with with_tools(EmptyEnvironment(), access) as environment:
            with pytest.raises(CallError, match=expected_error):
                environment.call(f"far.{tool}", {})
            next_result = environment.call("far.fine", {})

    assert next_result["text"] == "fine"
