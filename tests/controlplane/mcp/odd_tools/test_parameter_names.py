"""Parameters of an MCP server's tools get names that Python can write.

A server has a tool `look` with the parameters `from` and `a-b`. A script calls it with

    harness.odd.look(from_="x", a_b=None)    ->    the server gets {"from": "x", "a-b": None}
"""

import json
from pathlib import Path

from tests.controlplane.mcp.odd_tools.odd_server import tools_of


def test_parameters_are_sent_by_the_names_of_the_server(tmp_path: Path) -> None:
    functions = """
def list_tools(request):
    parameters = {"from": {"type": "string"}, "a-b": {"type": "string"}}
    schema = {"type": "object", "properties": parameters, "required": ["from"]}
    send_result(request, {"tools": [tool("look") | {"inputSchema": schema}]})

def call_tool(request):
    # The tool returns its arguments.
    arguments = json.dumps(request["params"]["arguments"])
    send_result(request, {"content": [{"type": "text", "text": arguments}]})
"""

    with tools_of(tmp_path, functions) as environment:
        result = environment.call("odd.look", {"from_": "x", "a_b": None})

    assert json.loads(str(result["text"])) == {"from": "x", "a-b": None}
