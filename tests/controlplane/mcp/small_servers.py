"""Small MCP servers, of which a test writes down in Python what they do.

MCP is a protocol by which agents call the tools of a server: JSON messages, one a line, on
standard input and output.

    spec = small_server(folder, '''
    def call_tool(request):
        send_result(request, {"content": [{"type": "text", "text": "fine"}]})
    ''')

A call of the tool `look` of this server returns the text "fine".
"""

import sys
from pathlib import Path

from controlplane.mcp.server_specs import ServerSpec
from controlplane.mcp.tool_access import ToolAccess
from controlplane.mcp.tool_environment import with_tools
from controlplane.sandbox.interface import CallError, ToolSchema

# An environment of a trial to which only the tools of MCP servers are added.
#
#     with with_tools(EmptyEnvironment(), ToolAccess({"db": spec})) as environment:
#         environment.call("db.look", {})        calls the tool `look` of the server `db`
#
# A trial is an attempt at a task; its environment has the operations that scripts can call.


class EmptyEnvironment:
    """An environment of a trial that has no operations of its own."""

    tool_schema = ToolSchema(operations=())

    def call(self, operation: str, arguments: object) -> dict[str, object]:
        raise CallError("unimplemented", operation)


def start_and_end_servers(access: ToolAccess) -> None:
    """Start the servers as a trial does, and end them. Raises what a trial would fail with."""
    with with_tools(EmptyEnvironment(), access):
        pass


BEGINNING_OF_SERVER = """
import json, sys, time

def send(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)

def send_result(request, result):
    send(id=request["id"], result=result)

def tool(name):
    # A tool without parameters, which says that it only reads.
    return {
        "name": name,
        "inputSchema": {"type": "object"},
        "annotations": {"readOnlyHint": True},
    }

def initialize(request):
    result = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "serverInfo": {"name": "small", "version": ""},
    }
    send_result(request, result)

def list_tools(request):
    send_result(request, {"tools": [tool("drop-table"), tool("look")]})

def call_tool(request):
    pass  # A call gets no reply.
"""
"""The functions of a server. Those that a test defines replace the last three."""

END_OF_SERVER = """
for line in sys.stdin:
    request = json.loads(line)
    if request["method"] == "initialize":
        initialize(request)
    elif request["method"] == "tools/list":
        list_tools(request)
    elif request["method"] == "tools/call":
        call_tool(request)
    elif "id" in request:
        send(id=request["id"], error={"code": -32601, "message": "unknown"})
"""
"""Reads messages from standard input, and calls the functions above for them."""


def small_server(folder: Path, functions: str = "") -> ServerSpec:
    """Write a server to the folder, and return how it is started.

    `functions` are the Python functions `initialize`, `list_tools` and `call_tool`, or some of them.
    """
    file = folder / "server.py"
    file.write_text(BEGINNING_OF_SERVER + functions + END_OF_SERVER)
    return ServerSpec(command=sys.executable, args=(str(file),))
