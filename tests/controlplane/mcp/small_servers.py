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
