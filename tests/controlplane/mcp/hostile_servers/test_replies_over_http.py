"""A reply of an MCP server over HTTP that is too large fails only the call that asked for it."""

import gzip
import json
import socket
from typing import Any

import pytest

from controlplane.mcp.offered_servers import with_tools
from controlplane.mcp.server_specs import ServerSpec
from controlplane.mcp.tool_access import ToolAccess
from controlplane.sandbox.interface import CallError
from tests.controlplane.mcp.small_servers import EmptyEnvironment
from tests.support.byte_server import ByteServer
from tests.support.endpoints import http_response


@pytest.mark.parametrize(
    ("tool", "expected_error"),
    [
        pytest.param("body", "4,000,000 bytes", id="JSON without end"),
        pytest.param("event", "4000000 byte", id="event stream without end"),
        pytest.param("packed", "compressed", id="small body that unpacks to 20 MB"),
    ],
)
def test_a_reply_that_is_too_large_fails_only_its_call(
    tool: str, expected_error: str
) -> None:
    """The next call, of the tool `fine` of the same server, succeeds."""
    with ByteServer(reply) as server:
        access = ToolAccess({"far": ServerSpec(url=f"{server.url}/mcp")})
        with with_tools(EmptyEnvironment(), access) as environment:
            with pytest.raises(CallError, match=expected_error):
                environment.call(f"far.{tool}", {})
            next_result = environment.call("far.fine", {})

    assert next_result["text"] == "fine"


def reply(connection: socket.socket, http_request: bytes) -> None:
    """Reply to one request as the server does, of which three tools send too much."""
    request = json.loads(http_request.partition(b"\r\n\r\n")[2])
    headers = {"content-type": "application/json"}
    if "id" not in request:  # A notification, which has no reply.
        connection.sendall(http_response(202, b"", headers))
        return

    result = result_of(request["method"])
    body = json.dumps(
        {"jsonrpc": "2.0", "id": request["id"], "result": result}
    ).encode()
    match request.get("params", {}).get("name"):
        case "body":
            send_without_end(connection, b"application/json")
        case "event":
            send_without_end(connection, b"text/event-stream")
        case "packed":
            headers["content-encoding"] = "gzip"
            body = gzip.compress(b" " * 20_000_000 + body)
    connection.sendall(http_response(200, body, headers))


def result_of(method: str) -> dict[str, Any]:
    """Return the result of a request: the names of four tools, or "fine" for a call of one."""
    match method:
        case "initialize":
            return {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "serverInfo": {"name": "e", "version": ""},
            }
        case "tools/list":
            tools = []
            for name in ("fine", "body", "event", "packed"):
                tools.append(
                    {
                        "name": name,
                        "inputSchema": {"type": "object"},
                        "annotations": {"readOnlyHint": True},
                    }
                )
            return {"tools": tools}
        case _:
            return {"content": [{"type": "text", "text": "fine"}]}


def send_without_end(connection: socket.socket, content_type: bytes) -> None:
    """Send the head of a response, and then blanks until the client closes the connection."""
    connection.sendall(
        b"HTTP/1.1 200 OK\r\n"
        b"connection: close\r\n"
        b"content-type: " + content_type + b"\r\n\r\n"
        b"data: "
    )
    while True:
        connection.sendall(b" " * 1_000_000)
