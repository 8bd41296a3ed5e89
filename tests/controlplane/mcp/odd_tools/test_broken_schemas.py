"""A result that breaks the schema which the server has declared for it is returned with a warning.

An MCP server may describe the data that a tool returns by a JSON schema, `outputSchema`. This one
declares that `n` is an integer, and returns `{"n": "five"}`. The mistake should not cost the script
its result.
"""

from pathlib import Path

from tests.controlplane.mcp.odd_tools.odd_server import tools_of


def test_result_that_breaks_its_schema_is_returned_with_a_warning(
    tmp_path: Path,
) -> None:
    functions = """
def list_tools(request):
    schema = {
        "type": "object",
        "properties": {"n": {"type": "integer"}},
        "required": ["n"],
    }
    send_result(request, {"tools": [tool("look") | {"outputSchema": schema}]})

def call_tool(request):
    content = [{"type": "text", "text": "x"}]
    send_result(request, {"content": content, "structuredContent": {"n": "five"}})
"""

    with tools_of(tmp_path, functions) as environment:
        result = environment.call("odd.look", {})

    assert str(result["text"]).startswith(
        "(The result breaks the schema of odd.look: it['n'] is int, not str 'five'.)"
    )
