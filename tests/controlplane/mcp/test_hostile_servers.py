"""MCP servers that misbehave: replies that cannot be read, do not come, or do not end.

A bad reply fails the call that asked for it, at once and with the name of its tool. It
costs little time and memory, and leaves the trial and the other tools as they are.
"""

import gzip
import json
import resource
import socket
import sys
from pathlib import Path
from typing import Any

import pytest

from controlplane.errors import ServerFailed, UsageError
from controlplane.mcp.offered_servers import with_tools
from controlplane.mcp.server_specs import ServerSpec
from controlplane.mcp.tool_access import ToolAccess
from controlplane.sandbox.interface import CallError, bounds
from tests.controlplane.mcp.small_servers import (
    EmptyEnvironment,
    small_server,
    start_and_end_servers,
)
from tests.support.byte_server import ByteServer
from tests.support.command import ROOT
from tests.support.endpoints import http_response

REPLY_OF_DEEP_JSON = """
def call_tool(request):
    print("this line is not a message")
    print('{"jsonrpc": "2.0", "id": %d, "result": %s}' % (request["id"], "[" * 20_000))
    sys.stdout.flush()
"""
"""Replies with 20,000 opening brackets."""

REPLY_OF_A_LONG_NUMBER = """
def call_tool(request):
    print("this line is not a message")
    result = '{"structuredContent": {"a": ' + "9" * 5_000 + "}"
    print('{"jsonrpc": "2.0", "id": %d, "result": %s}' % (request["id"], result))
    sys.stdout.flush()
"""
"""Replies with a number of 5,000 digits."""

REPLY_OF_ANOTHER_FORM = """
def call_tool(request):
    print("this line is not a message")
    send_result(request, {"content": "no"})
"""
"""Replies with a text where the protocol has a list."""


HANGING_TOOL = """
def call_tool(request):
    time.sleep(600)
"""
"""Does not reply for ten minutes."""


class TestBadReplies:
    """A tool `db.look` of a server sends a reply that cannot be used, or none.

    A server is described by its functions, in Python: `call_tool` replies to a call. The
    call fails with an error that names the tool, and the trial goes on.
    """

    @pytest.mark.parametrize(
        ("functions", "expected_error"),
        [
            pytest.param(
                REPLY_OF_DEEP_JSON,
                "the message cannot be read",
                id="deep and incomplete",
            ),
            pytest.param(
                REPLY_OF_A_LONG_NUMBER, "the message cannot be read", id="long number"
            ),
            pytest.param(
                REPLY_OF_ANOTHER_FORM,
                "its reply has not the protocol's form",
                id="text for a list",
            ),
        ],
    )
    def test_unreadable_reply_fails_its_call_at_once(
        self, tmp_path: Path, functions: str, expected_error: str
    ) -> None:
        """Each server also prints a line that is not a message, which is skipped.

        The call is made twice: the first bad reply does not change how the second one is treated.
        """
        access = ToolAccess({"db": small_server(tmp_path, functions)})
        with with_tools(EmptyEnvironment(), access) as environment:
            for _ in range(2):
                # A call that waits for another reply would fail with "gave no answer".
                with pytest.raises(
                    CallError, match=rf"db\.look failed: {expected_error}"
                ):
                    environment.call("db.look", {})

    def test_hanging_tool_fails_its_call_after_the_time_for_calls(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A call may take 1 s here. A second call to the same server fails in the same way."""
        monkeypatch.setattr(bounds, "TOOL_CALL_S", 1.0)
        access = ToolAccess({"db": small_server(tmp_path, HANGING_TOOL)})
        with with_tools(EmptyEnvironment(), access) as environment:
            for _ in range(2):
                with pytest.raises(
                    CallError, match=r"db\.look gave no answer within 1 s"
                ):
                    environment.call("db.look", {})


ENDLESS_MESSAGES = """
def call_tool(request):
    while True:
        send(method="notifications/message", params={"level": "info", "data": "x"})
"""

REPLY_OF_100_000_TEXTS = """
def call_tool(request):
    send_result(request, {"content": [{"type": "text", "text": ""}] * 100_000})
"""

REPLY_OF_800_000_LISTS = """
def call_tool(request):
    send_result(request, {"content": [[]] * 800_000})
"""
"""Servers that send messages without end, or a reply with very many values."""


ENDLESS_LIST_OF_TOOLS = """
def list_tools(request):
    # A page of tools, and a cursor that leads to a further page.
    page = {"tools": [tool("a") | {"description": "x" * 1_000_000}]}
    send_result(request, page | {"nextCursor": str(request["id"])})
"""
"""Sends the list of its tools in pages without end."""


class TestFloods:
    """A server sends so much that it would fill the memory; its call fails before that.

    A message may have 4 MB and 60,000 values. The product runs in the process of the tests.
    """

    @pytest.mark.parametrize(
        ("functions", "expected_error"),
        [
            pytest.param(ENDLESS_MESSAGES, "failed: .*closed", id="endless messages"),
            pytest.param(
                REPLY_OF_100_000_TEXTS,
                "failed: the message is longer than .* or 60,000 values",
                id="many texts",
            ),
            pytest.param(
                REPLY_OF_800_000_LISTS,
                "failed: the message is longer than .* or 60,000 values",
                id="many lists",
            ),
        ],
    )
    def test_flood_of_a_server_fails_its_call_and_takes_little_memory(
        self, tmp_path: Path, functions: str, expected_error: str
    ) -> None:
        """The product runs in this process, so its memory can be measured here."""
        access = ToolAccess({"db": small_server(tmp_path, functions)})
        with with_tools(EmptyEnvironment(), access) as environment:
            before = resource.getrusage(resource.RUSAGE_SELF)
            with pytest.raises(CallError, match=rf"(?i)db\.look {expected_error}"):
                environment.call("db.look", {})
            after = resource.getrusage(resource.RUSAGE_SELF)

        growth_kib = after.ru_maxrss - before.ru_maxrss
        # Far more than an ordinary call takes, and far less than the flood would.
        assert growth_kib < 200_000

    def test_line_without_end_fails_its_call(self) -> None:
        """The tool `flood` sends 20 MB without a line break."""
        loans_server = ROOT / "tests/support/loans_server.py"
        spec = ServerSpec(command=sys.executable, args=(str(loans_server),))
        with (
            with_tools(EmptyEnvironment(), ToolAccess({"loans": spec})) as environment,
            pytest.raises(CallError, match=r"loans\.flood failed"),
        ):
            environment.call("loans.flood", {})

    def test_endless_list_of_tools_is_refused(self, tmp_path: Path) -> None:
        """Each page of the list has 1 MB, and leads to a further one."""
        access = ToolAccess({"db": small_server(tmp_path, ENDLESS_LIST_OF_TOOLS)})

        with pytest.raises(ServerFailed, match="its list of tools is longer than"):
            start_and_end_servers(access)


MALFORMED_TOOLS = """
def list_tools(request):
    tools = [
        tool("look"),
        {"name": "bare"},
        {"name": "none", "inputSchema": None},
        7,
        {"name": "odd", "inputSchema": []},
    ]
    # The cursor leads to the same page again and again.
    send_result(request, {"tools": tools, "nextCursor": "again"})

def call_tool(request):
    send_result(request, {"content": [{"type": "text", "text": "seen"}]})
"""
"""Only the tool `look` has a schema of its parameters, as the protocol requires; 7 has no name."""


class TestMalformedTools:
    """A tool without a schema of its parameters cannot be called, and is left out.

    The server offers five tools, of which `look` has a schema, as the protocol requires. The
    others are named in a notice to the user.
    """

    def test_tools_without_a_schema_are_left_out_with_a_notice(
        self, tmp_path: Path
    ) -> None:
        """Of the five tools, `look` can be called. The notice names the others, the number 7 as
        `?`.

        `help`, which describes the tools to scripts, is added to each server. The same page of the
        list of tools comes again and again, and is read once."""
        server = small_server(tmp_path, MALFORMED_TOOLS)
        access = ToolAccess({"db": server}, allow=("db.bare",))
        with with_tools(EmptyEnvironment(), access) as environment:
            operations = environment.tool_schema.operations
            result = environment.call("db.look", {})
            (notice,) = environment.notices

        assert [operation.name for operation in operations] == ["db.look", "db.help"]
        assert result["text"] == "seen"
        assert "MCP server db" in notice
        assert "bare, none, ?, odd" in notice

    @pytest.mark.parametrize("option", ["allow", "deny"])
    def test_option_with_an_unknown_tool_suggests_usable_tools_first(
        self, tmp_path: Path, option: str
    ) -> None:
        """The tool `look` can be used, and the tool `bare` was left out."""
        server = small_server(tmp_path, MALFORMED_TOOLS)
        access = ToolAccess({"db": server}, **{option: ("db.qqqqqqqqqq",)})

        with pytest.raises(UsageError, match=r"known: db\.look, .*db\.bare"):
            start_and_end_servers(access)


def result_over_http(request: dict[str, Any]) -> dict[str, Any]:
    """Return the result of a request to a server with four tools, which all return "fine"."""
    match request["method"]:
        case "initialize":
            return {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "serverInfo": {"name": "e", "version": ""},
            }
        case "tools/list":
            tools: list[dict[str, Any]] = []
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


def reply_over_http(connection: socket.socket, http_request: bytes) -> None:
    """Reply as a server over HTTP, of which three tools send too much.

    `body` sends JSON without end, `event` an event stream without end, and `packed` a
    small body that unpacks to 20 MB.
    """
    request = json.loads(http_request.partition(b"\r\n\r\n")[2])
    headers = {"content-type": "application/json"}
    if "id" not in request:  # A notification, which has no reply.
        connection.sendall(http_response(202, b"", headers))
        return

    reply = {
        "jsonrpc": "2.0",
        "id": request["id"],
        "result": result_over_http(request),
    }
    body = json.dumps(reply).encode()
    match request.get("params", {}).get("name"):
        case "body":
            send_without_end(connection, b"application/json")
        case "event":
            send_without_end(connection, b"text/event-stream")
        case "packed":
            headers["content-encoding"] = "gzip"
            body = gzip.compress(b" " * 20_000_000 + body)
    connection.sendall(http_response(200, body, headers))


class TestRepliesOverHttp:
    """A server over HTTP replies to three of its tools with more than a client should read.

    `body` gets JSON without end, `event` an event stream without end, and `packed` a small body
    that unpacks to 20 MB. The tool `fine` replies as it should.
    """

    @pytest.mark.parametrize(
        ("tool", "expected_error"),
        [
            pytest.param("body", "4,000,000 bytes", id="JSON without end"),
            pytest.param("event", "4000000 byte", id="stream without end"),
            pytest.param("packed", "compressed", id="small body that unpacks to 20 MB"),
        ],
    )
    def test_reply_without_end_over_http_fails_only_its_call(
        self, tool: str, expected_error: str
    ) -> None:
        """The next call, of another tool of the same server, succeeds."""
        with ByteServer(reply_over_http) as server:
            access = ToolAccess({"far": ServerSpec(url=f"{server.url}/mcp")})
            with with_tools(EmptyEnvironment(), access) as environment:
                with pytest.raises(CallError, match=expected_error):
                    environment.call(f"far.{tool}", {})
                next_result = environment.call("far.fine", {})

        assert next_result["text"] == "fine"
