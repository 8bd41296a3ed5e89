"""A script gets the result of an MCP server's tool, or its error, whatever the fields are called.

A server sends a text for models, `content`, and data for programs, `structuredContent`. With the
data `{"n": 5, "items": [1, 2]}`, a script reads `result.data.items`, or `result.items` for short.
`items` is a method of Python's dict, too, but the data win.

Here the server is `odd`, and its tool `look`. The texts `functions` are functions of the server in
Python, which call `send_result`, `send` and `tool`, functions that it has already.
"""

from pathlib import Path

import pytest

from controlplane.sandbox.child.step.harness import with_attributes
from controlplane.sandbox.interface import CallError, parsed_result
from tests.controlplane.mcp.odd_tools.odd_server import tools_of


def test_fields_of_a_result_may_have_the_names_of_dict_methods(tmp_path: Path) -> None:
    functions = """
def list_tools(request):
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    send_result(request, {"tools": [tool("look") | {"outputSchema": schema}]})

def call_tool(request):
    data = {"n": 5, "items": [1, 2], "keys": "k"}
    send_result(request, {"content": [], "structuredContent": data})
"""

    with tools_of(tmp_path, functions) as environment:
        look = environment.tool_schema.operation("odd.look")
        assert look is not None
        result = parsed_result(look, environment.call("odd.look", {}))

    result_of_script = with_attributes(result)
    assert result_of_script.items == [1, 2]
    assert result_of_script.data.keys == "k"


def test_error_of_the_protocol_fails_the_call(tmp_path: Path) -> None:
    """The server replies with an error in place of a result."""
    functions = """
def call_tool(request):
    error = {"code": -32000, "message": "no such thing", "data": {"x": 1}}
    send(id=request["id"], error=error)
"""

    with (
        tools_of(tmp_path, functions) as environment,
        pytest.raises(CallError, match=r"odd\.look failed: no such thing$"),
    ):
        environment.call("odd.look", {})
