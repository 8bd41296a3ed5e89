"""Half of a surrogate pair in a message of an MCP server becomes U+FFFD, and costs no call.

UTF-8 cannot encode `\\ud800`, half of a character in UTF-16, but JSON can escape it. A server may have
it wherever it has a text: in the description of a tool, in a schema, in a result, in an error.
"""

import json
import socket
from pathlib import Path
from typing import Any

import pytest

from controlplane.mcp.server_specs import ServerSpec
from controlplane.mcp.tool_access import ToolAccess
from controlplane.mcp.tool_environment import with_tools
from controlplane.sandbox.interface import CallError
from tests.controlplane.mcp.empty_environment import EmptyEnvironment
from tests.controlplane.mcp.small_servers import small_server
from tests.support.byte_server import ByteServer
from tests.support.endpoints import http_response

WORDS = "half \ud800 of it, all 😀 of that"
"""As JSON, the emoji is a whole pair of escapes."""
SHOWN = "half \ufffd of it, all 😀 of that"


def result_of(method: str) -> dict[str, Any]:
    """Return the result of a request: `WORDS` is in every text of it."""
    match method:
        case "initialize":
            return {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "serverInfo": {"name": "s", "version": ""},
                "instructions": WORDS,
            }
        case "tools/list":
            words = {"type": "string", "description": WORDS}
            return {
                "tools": [
                    {
                        "name": "echo",
                        "description": WORDS,
                        "inputSchema": {"type": "object", "properties": {"a": words}},
                        "annotations": {"readOnlyHint": True},
                    }
                ]
            }
        case _:
            return {"content": [{"type": "text", "text": WORDS}]}


def test_result_description_and_schema_over_standard_output(tmp_path: Path) -> None:
    functions = f"""
WORDS = {WORDS!r}

def initialize(request):
    send_result(request, {result_of("initialize")!r})

def list_tools(request):
    send_result(request, {result_of("tools/list")!r})

def call_tool(request):
    send_result(request, {result_of("tools/call")!r})
"""
    assert_words_are_shown(small_server(tmp_path, functions))


def test_error_over_standard_output(tmp_path: Path) -> None:
    functions = f"""
def call_tool(request):
    send(id=request["id"], error={{"code": 1, "message": {WORDS!r}}})
"""
    server = small_server(tmp_path, functions)

    with (
        with_tools(EmptyEnvironment(), ToolAccess({"s": server})) as environment,
        pytest.raises(CallError, match=SHOWN),
    ):
        environment.call("s.look", {})


@pytest.mark.parametrize("content_type", ["application/json", "text/event-stream"])
def test_result_description_and_schema_over_http(content_type: str) -> None:
    def reply(connection: socket.socket, http_request: bytes) -> None:
        request = json.loads(http_request.partition(b"\r\n\r\n")[2])
        headers = {"content-type": content_type}
        if "id" not in request:  # A notification, which has no reply.
            connection.sendall(http_response(202, b"", headers))
            return
        result = result_of(request["method"])
        message = {"jsonrpc": "2.0", "id": request["id"], "result": result}
        if content_type == "application/json":
            body = json.dumps(message, indent=1)
        else:
            body = f"event: message\r\ndata: {json.dumps(message)}\r\n\r\n"
        connection.sendall(http_response(200, body.encode(), headers))

    with ByteServer(reply) as server:
        assert_words_are_shown(ServerSpec(url=f"{server.url}/mcp"))


def assert_words_are_shown(server: ServerSpec) -> None:
    with with_tools(EmptyEnvironment(), ToolAccess({"s": server})) as environment:
        assert environment.call("s.echo", {})["text"] == SHOWN
        declared = environment.tool_schema.operation("s.echo")
        assert SHOWN in declared.summary
        assert declared.parameters[0].schema["description"] == SHOWN
