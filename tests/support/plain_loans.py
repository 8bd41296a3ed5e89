"""An MCP server with the same loans as `tests/support/loans_server.py`, without MCP's library.

MCP is a protocol by which agents call the tools of a server: JSON messages, one a line, on
standard input and output. The library takes a second to import; this server starts at once.
It has the five tools that most tests need.
"""

import json
import os
import sys

LOANS = [
    {"id": number, "kept_until": f"2026-{number % 12 + 1:02}-01"}
    for number in range(10_000)
]
"""The table of loans: `{"id": 0, "kept_until": "2026-01-01"}` and so on."""

INTEGER = {"type": "integer"}
"""The JSON schema of a parameter that is a whole number."""

METHOD_NOT_FOUND = -32601
"""The protocol's code for a method that the server does not have."""


def tool(
    name: str, description: str, properties: dict[str, object], *, reads: bool = True
) -> dict[str, object]:
    """Return the declaration of a tool, which says whether the tool only reads."""
    declaration: dict[str, object] = {
        "name": name,
        "description": description,
        "inputSchema": {"type": "object", "properties": properties},
    }
    if reads:
        declaration["annotations"] = {"readOnlyHint": True}
    return declaration


TOOLS = [
    tool("rows", "All loans.", {"limit": INTEGER}),
    tool("loan", "One loan as text.", {"number": INTEGER}),
    tool("echo", "The text.", {"text": {"type": "string"}}),
    tool("extend", "Extend a loan.", {"number": INTEGER}, reads=False),
    tool("die", "End the server.", {}),
]
"""The declarations of the five tools, in the form of the protocol."""


def call_tool(
    name: str, limit: int = 10_000, number: int = 0, text: str = ""
) -> dict[str, object]:
    """Return the structured result of a tool: `call_tool("extend", number=3)` ->
    `{"result": "extended 3"}`. Each tool uses its own of the three arguments."""
    if name == "rows":
        return {"rows": LOANS[:limit]}
    if name == "loan":
        kept_until = LOANS[number]["kept_until"]
        # The escape sequence would turn a terminal red.
        return {"result": f"loan-{number} may be kept until {kept_until}\x1b[31m"}
    if name == "echo":
        return {"result": text}
    if name == "extend":
        return {"result": f"extended {number}"}
    if name == "die":
        os._exit(1)
    raise KeyError(name)


def result_of(method: str, params: dict[str, object]) -> dict[str, object]:
    """Return the result of one of the protocol's methods. Raises `NotImplementedError` for others."""
    if method == "initialize":
        return {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "loans", "version": ""},
        }
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        result = call_tool(str(params["name"]), **params.get("arguments") or {})
        # As text, agents get a single value as it is, and anything else as JSON.
        text = str(result["result"]) if "result" in result else json.dumps(result)
        return {
            "content": [{"type": "text", "text": text}],
            "structuredContent": result,
        }
    raise NotImplementedError(method)


for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:  # A notification, to which there is no response.
        continue
    response: dict[str, object] = {"jsonrpc": "2.0", "id": request["id"]}
    try:
        response["result"] = result_of(request["method"], request.get("params") or {})
    except NotImplementedError:
        response["error"] = {"code": METHOD_NOT_FOUND, "message": "unknown method"}
    print(json.dumps(response), flush=True)
