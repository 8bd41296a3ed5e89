"""Tools of an MCP server get names that Python can write, and the server gets its own names.

Servers name their tools as they like. The tool `a.b` of the server `odd`, for example, is
`harness.odd.a_b_2()` in scripts if it also has a tool `a_b`.
"""

from pathlib import Path

import pytest

from tests.controlplane.mcp.odd_tools.odd_server import tools_of

ODDLY_NAMED_TOOLS = """
def list_tools(request):
    send_result(request, {"tools": [tool("a_b"), tool("a.b"), tool("class")]})

def call_tool(request):
    # Each tool returns the name by which it was called.
    name = request["params"]["name"]
    send_result(request, {"content": [{"type": "text", "text": name}]})
"""


@pytest.mark.parametrize(
    ("name_in_scripts", "name_of_server"),
    [
        pytest.param("odd.a_b", "a_b", id="nothing is odd"),
        pytest.param("odd.a_b_2", "a.b", id="a dot, and the name `a_b` is taken"),
        pytest.param("odd.class_", "class", id="a keyword of Python"),
    ],
)
def test_tool_is_called_by_a_name_that_scripts_can_write(
    name_in_scripts: str, name_of_server: str, tmp_path: Path
) -> None:
    """The server has the tools `a_b`, `a.b` and `class`."""
    with tools_of(tmp_path, ODDLY_NAMED_TOOLS) as environment:
        result = environment.call(name_in_scripts, {})

    assert result["text"] == name_of_server
