"""The tools of `loans_server` that a question needs,
of a server that is started in no time: it imports no SDK."""

import json
import os
import sys

ROWS = [
    {"id": number, "kept_until": f"2026-{number % 12 + 1:02}-01"}
    for number in range(10_000)
]
INTEGER = {"type": "integer"}


def tool(
    name: str, about: str, properties: dict[str, object], *, reads: bool = True
) -> dict[str, object]:
    schema = {"type": "object", "properties": properties}
    return {"name": name, "description": about, "inputSchema": schema} | (
        {"annotations": {"readOnlyHint": True}} if reads else {}
    )


TOOLS = [
    tool("rows", "All loans.", {"limit": INTEGER}),
    tool("loan", "One loan as text.", {"number": INTEGER}),
    tool("echo", "The text.", {"text": {"type": "string"}}),
    tool("extend", "Extend a loan.", {"number": INTEGER}, reads=False),
    tool("die", "End the server.", {}),
]


def called(
    name: str, limit: int = 10_000, number: int = 0, text: str = ""
) -> dict[str, object]:
    if name == "die":
        os._exit(1)
    if name == "rows":
        return {"rows": ROWS[:limit]}
    said = {
        "loan": f"loan-{number} may be kept until {ROWS[number]['kept_until']}\x1b[31m",
        "echo": text,
        "extend": f"extended {number}",
    }
    return {"result": said[name]}


def reply(method: str, params: dict[str, object]) -> dict[str, object]:
    if method == "initialize":
        server = {"name": "loans", "version": ""}
        return {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": server,
        }
    if method == "tools/list":
        return {"tools": TOOLS}
    found = called(str(params["name"]), **params.get("arguments") or {})
    text = str(found["result"]) if "result" in found else json.dumps(found)
    return {"content": [{"type": "text", "text": text}], "structuredContent": found}


for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        known = asked["method"] in ("initialize", "tools/list", "tools/call")
        unknown = {"error": {"code": -32601, "message": "unknown method"}}
        told = (
            {"result": reply(asked["method"], asked.get("params") or {})}
            if known
            else unknown
        )
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"]} | told), flush=True)
