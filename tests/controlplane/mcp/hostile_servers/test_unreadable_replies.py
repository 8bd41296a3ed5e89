"""A reply of an MCP server that cannot be read fails the call that asked for it.

The error names the tool, "db.look failed: the message cannot be read", and the trial goes on. Each call
is made twice: the first bad reply must not change how the second one is treated.
"""

from pathlib import Path

import pytest

from controlplane.mcp.tool_access import ToolAccess
from controlplane.mcp.tool_environment import with_tools
from controlplane.sandbox.interface import CallError
from tests.controlplane.mcp.empty_environment import EmptyEnvironment
from tests.controlplane.mcp.small_servers import small_server


def test_incomplete_json_of_20000_levels(tmp_path: Path) -> None:
    server = small_server(
        tmp_path,
        """
def call_tool(request):
    print("this line is not a message, and is skipped")
    print('{"jsonrpc": "2.0", "id": %d, "result": %s}' % (request["id"], "[" * 20_000))
    sys.stdout.flush()
""",
    )

    with with_tools(EmptyEnvironment(), ToolAccess({"db": server})) as environment:
        for _ in range(2):
            with pytest.raises(
                CallError, match=r"db\.look failed: the message cannot be read"
            ):
                environment.call("db.look", {})


def test_a_number_of_5000_digits(tmp_path: Path) -> None:
    server = small_server(
        tmp_path,
        """
def call_tool(request):
    print("this line is not a message, and is skipped")
    result = '{"structuredContent": {"a": ' + "9" * 5_000 + "}"
    print('{"jsonrpc": "2.0", "id": %d, "result": %s}' % (request["id"], result))
    sys.stdout.flush()
""",
    )

    with with_tools(EmptyEnvironment(), ToolAccess({"db": server})) as environment:
        for _ in range(2):
            with pytest.raises(
                CallError, match=r"db\.look failed: the message cannot be read"
            ):
                environment.call("db.look", {})


def test_a_text_where_the_protocol_has_a_list(tmp_path: Path) -> None:
    server = small_server(
        tmp_path,
        """
def call_tool(request):
    print("this line is not a message, and is skipped")
    send_result(request, {"content": "no"})
""",
    )

    with with_tools(EmptyEnvironment(), ToolAccess({"db": server})) as environment:
        for _ in range(2):
            with pytest.raises(
                CallError,
                match=r"db\.look failed: its reply has not the protocol's form",
            ):
                environment.call("db.look", {})
