"""A user who is asked whether a script may call a tool sees all that the call would do.

A tool of an MCP server that does not say that it only reads may change something. Unless an option
allows it, the user is asked about each call: "bank.pay(note='thanks ...', amount=999999)?".
"""

from pathlib import Path
from unittest.mock import Mock

import pytest

from controlplane.mcp.tool_access import ToolAccess
from controlplane.mcp.tool_environment import with_tools
from controlplane.sandbox.interface import CallError
from tests.controlplane.mcp.empty_environment import EmptyEnvironment
from tests.controlplane.mcp.small_servers import small_server

TOOL_THAT_PAYS = """
def list_tools(request):
    properties = {
        "note": {"type": "string"},
        "to": {"type": "string"},
        "amount": {"type": "integer"},
    }
    pay = {"name": "pay", "inputSchema": {"type": "object", "properties": properties}}
    send_result(request, {"tools": [pay]})
"""
"""A server with a tool `pay`, which does not say that it only reads."""


def test_user_who_is_asked_about_a_call_sees_all_of_its_arguments(
    tmp_path: Path,
) -> None:
    """A long note must not hide the amount, and a name must not hide what it is.

    The name in `to` has a Cyrillic letter between Latin ones, and an escape sequence that
    would clear the line of a terminal.
    """
    refuse = Mock(return_value=False)
    note = "thanks " * 1_000
    arguments = {"note": note, "to": "b\u043eb\x1b[2K", "amount": 999_999}
    server = small_server(tmp_path, TOOL_THAT_PAYS)
    access = ToolAccess({"bank": server}, approve=refuse)
    with (
        with_tools(EmptyEnvironment(), access) as environment,
        pytest.raises(CallError, match="not allowed"),
    ):
        environment.call("bank.pay", arguments)

    (question,) = refuse.call_args.args
    assert "amount=999999" in question
    shown_chars = 300  # of each argument
    hidden_chars = len(repr(note)) - shown_chars
    assert f"[{hidden_chars:,} further characters are not shown]" in question
    assert "letters of different scripts" in question
    assert "\x1b" not in question
