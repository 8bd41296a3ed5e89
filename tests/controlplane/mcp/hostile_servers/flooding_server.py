"""An MCP server over HTTP, of whose four tools three send too much.

with ByteServer(reply) as server:
    ...    the tool "fine" returns "fine"; "body" and "event" send without end; "packed" unpacks
           to 20 MB
"""

import gzip
import json
import socket
from typing import Any

from tests.support.endpoints import http_response


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
