"""Servers and clients that send too much or wait too long, and secrets that stay where they belong."""

import json
import os
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx2
import pytest

from agent.model import DEADLINE
from controlplane.errors import ServerFailed, UsageError
from controlplane.mcp.served_trial import MOST_OPEN, tool_server
from controlplane.mcp.server_specs import ServerSpec, ToolAccess, environment_for_servers, without_secrets
from controlplane.mcp.tool_environment import with_tools
from controlplane.mcp.transports import served_over_http
from sandbox import CALL_ENDS
from sandbox.interface import CallError, ToolSchema
from tests.support.command import environment, wait_until

SERVER = """
import json, sys, time

def say(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)

HINTS = {"inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}
for line in sys.stdin:
    asked = json.loads(line)
    match asked["method"]:
        case "initialize":
            info = {"name": "r", "version": ""}
            say(id=asked["id"], result={"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": info})
        case "tools/list":
            TOOLS
        case "tools/call":
            CALL
        case _ if "id" in asked:
            say(id=asked["id"], error={"code": -32601, "message": "unknown"})
"""
LISTED = 'say(id=asked["id"], result={"tools": [{"name": name} | HINTS for name in ("drop-table", "look")]})'
ENDLESS = """say(id=asked["id"], result={
    "tools": [{"name": "a", "description": "x" * 1_000_000} | HINTS], "nextCursor": str(asked["id"]),
})"""
FLOOD = """while True: say(method="notifications/message", params={"level": "info", "data": "x"})"""
BLOCKS = """say(id=asked["id"], result={"content": [{"type": "text", "text": ""}] * 100_000})"""
LISTS = """say(id=asked["id"], result={"content": [[]] * 800_000})"""


class Nothing:
    """An environment without files."""

    tool_schema = ToolSchema(operations=())

    def call(self, operation: str, arguments: object) -> dict[str, object]:
        raise CallError("unimplemented", operation)


def spec_of(folder: Path, call: str = "pass", tools: str = LISTED) -> ServerSpec:
    place = folder / "server.py"
    place.write_text(SERVER.replace("TOOLS", tools).replace("CALL", call))
    return ServerSpec(command=sys.executable, args=(str(place),))


@pytest.mark.parametrize("ends", [CALL_ENDS, DEADLINE], ids=["the step", "the trial"])
def test_calls_end_with_the_step_and_the_trial(ends: object, tmp_path: Path) -> None:
    with with_tools(Nothing(), ToolAccess({"db": spec_of(tmp_path)})) as made:
        began, before = time.monotonic(), ends.get()
        reset = ends.set(began + 0.6)
        try:
            for _ in range(4):
                with pytest.raises(CallError, match=r"db\.look gave no answer within"):
                    made.call("db.look", {})
        finally:
            ends.reset(reset)
        assert (time.monotonic() - began < 2, ends.get()) == (True, before)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (FLOOD, "failed: .*closed"),
        (BLOCKS, "failed: the message is longer than .* or 60,000 values"),
        (LISTS, "failed: the message is longer than .* or 60,000 values"),
    ],
)
def test_a_flood_fails_its_call_and_takes_little(call: str, said: str, tmp_path: Path) -> None:
    with with_tools(Nothing(), ToolAccess({"db": spec_of(tmp_path, call)})) as made:
        usage = resource.getrusage(resource.RUSAGE_SELF)
        with pytest.raises(CallError, match=rf"(?i)db\.look {said}"):
            made.call("db.look", {})
        now = resource.getrusage(resource.RUSAGE_SELF)
        assert (now.ru_utime - usage.ru_utime < 3, now.ru_maxrss - usage.ru_maxrss < 200_000) == (True, True)


def test_a_list_of_tools_without_end_is_not_read_on(tmp_path: Path) -> None:
    access = ToolAccess({"db": spec_of(tmp_path, tools=ENDLESS)})
    with pytest.raises(ServerFailed, match="its list of tools is longer than"), with_tools(Nothing(), access):
        pass


MISFORMED = """say(id=asked["id"], result={"nextCursor": "again", "tools": [
    {"name": "look"} | HINTS, {"name": "bare"}, {"name": "none", "inputSchema": None}, 7,
    {"name": "odd", "inputSchema": []},
]})"""


def test_a_tool_without_a_schema_is_left_out_and_a_repeated_cursor_ends_the_list(tmp_path: Path) -> None:
    call = """say(id=asked["id"], result={"content": [{"type": "text", "text": "seen"}]})"""
    access = ToolAccess({"db": spec_of(tmp_path, call, MISFORMED)}, allow=("db.bare",))
    with with_tools(Nothing(), access) as made:
        assert [one.name for one in made.tool_schema.operations] == ["db.look", "db.help"]
        assert made.call("db.look", {})["text"] == "seen"
        (notice,) = made.notices
    assert "MCP server db" in notice
    assert "bare, none, ?, odd" in notice


@pytest.mark.parametrize("option", ["allow", "deny"])
def test_a_name_that_no_tool_has_is_refused(option: str, tmp_path: Path) -> None:
    access = ToolAccess({"db": spec_of(tmp_path)}, **{option: ("db.drop-tables",)})
    said = rf"--{option} db\.drop-tables: the server db has no such tool; did you mean"
    with pytest.raises(UsageError, match=said), with_tools(Nothing(), access):
        pass


def test_an_address_is_told_without_its_secrets() -> None:
    url = "http://user:pa55word@127.0.0.1:9/mcp?token=t0ps3cret"
    access = ToolAccess({"far": ServerSpec(url=url, headers={"Authorization": "Bearer abcdefgh"})})
    with pytest.raises(ServerFailed) as refused, with_tools(Nothing(), access):
        pass
    assert "http://127.0.0.1:9/mcp" in str(refused.value)
    assert not [word for word in ("pa55word", "t0ps3cret", "abcdefgh", "user:") if word in str(refused.value)]


def test_servers_inherit_no_keys_and_a_program_prints_none(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "SSH_AUTH_SOCK", "UV_PUBLISH_TOKEN"):
        monkeypatch.setenv(name, f"secret-of-{name}")
    monkeypatch.setenv("UV_INDEX_URL", "https://u:secret-of-@host/simple")
    inherited = environment_for_servers()
    assert [name for name, value in inherited.items() if "secret-of-" in value] == []
    assert inherited["PATH"] == os.environ["PATH"]
    assert without_secrets("key: secret-of-GITHUB_TOKEN.") == "key: ***."


class Client:
    """A client of `controlplane mcp` on its standard streams, which may leave replies unread."""

    def __init__(self, folder: Path) -> None:
        (folder / "docs").mkdir()
        (folder / "docs/loans.md").write_text("loan-02: kept until 2026-03-01\n")
        words = [sys.executable, "-m", "controlplane", "mcp", "docs"]
        piped = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(words, cwd=folder, env=environment(), **piped)
        info = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
        self.say(id=0, method="initialize", params=info)
        assert b"protocolVersion" in self.process.stdout.readline()
        self.say(method="notifications/initialized")

    def say(self, **message: object) -> None:
        self.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def write(self, data: bytes) -> None:
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def ask(self, number: int, name: str, **arguments: str) -> None:
        self.say(id=number, method="tools/call", params={"name": name, "arguments": arguments})

    def peak_kb(self) -> int:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0])


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    made = Client(tmp_path)
    try:
        yield made
    finally:
        made.process.kill()
        made.process.communicate()


def test_an_overlong_or_crowded_line_of_a_client_is_refused_and_takes_little(client: Client) -> None:
    before_kb = client.peak_kb()
    head = b'{"jsonrpc":"2.0","id":"%s","method":"tools/call","params":%s}\n'
    for name, params, said in (
        (b"long", b'"' + b"x" * 60_000_000 + b'"', "longer than 4,000,000 bytes"),
        (b"crowded", b"[" + b"{}," * 600_000 + b"{}]", "60,000 values"),
        (b"deep", b"[" * 900_000 + b"]" * 900_000, "60,000 values"),
        (b"shape", b"[1]", "cannot be read"),
    ):
        client.write(head % (name, params))
        reply = json.loads(client.process.stdout.readline())
        assert (reply["id"], said in str(reply["error"])) == (name.decode(), True)
    client.write(b'[1, 2]\n\xff\xfe{{{\n{"jsonrpc":"2.0","id":null,"method":"tools/call"}\n')
    client.ask(2, "submit_answer", answer="\ud800", question_id="\ud800")
    assert b"cannot be read" in client.process.stdout.readline()
    client.say(id=1, method="tools/list")
    assert b"execute_script" in client.process.stdout.readline()
    assert client.peak_kb() - before_kb < 25_000


@pytest.mark.second_tier
def test_few_questions_are_open_at_a_time(client: Client) -> None:
    for number in range(MOST_OPEN + 1):
        client.ask(number + 1, "begin", question="?")
    said = [json.loads(client.process.stdout.readline()) for _ in range(MOST_OPEN + 1)]
    refused = [one["id"] for one in said if one["result"].get("isError")]
    assert (len(refused), "questions are open" in str(said)) == (1, True)


@pytest.mark.second_tier
@pytest.mark.parametrize("is_cancelled", [False, True])
@pytest.mark.parametrize("end", ["signal", "close"])
def test_a_server_with_400_unread_calls_ends(end: str, is_cancelled: bool, client: Client) -> None:
    before_kb = client.peak_kb()
    for number in range(1, 401):
        client.ask(number, "execute_script", code="print('x' * 90_000)")
        if is_cancelled and number < 200:
            client.say(method="notifications/cancelled", params={"requestId": number})
    wait_until(lambda: client.peak_kb() > before_kb + 1_000)
    if end == "signal":
        client.process.send_signal(signal.SIGTERM)
    else:
        client.process.stdin.close()
        client.process.stdin = None
    assert client.process.wait(30) in (0, 130)


def test_a_call_that_is_cancelled_while_its_question_opens_holds_up_no_other(client: Client) -> None:
    client.ask(1, "execute_script", code="while True: pass")
    client.say(method="notifications/cancelled", params={"requestId": 1})
    client.ask(2, "execute_script", code="print('next')")
    while (reply := json.loads(client.process.stdout.readline()))["id"] != 2:
        pass
    assert "next" in reply["result"]["content"][0]["text"]


def test_a_script_ends_with_its_call_and_the_process_with_its_input(client: Client) -> None:
    client.ask(1, "execute_script", code="print(1)")
    assert json.loads(client.process.stdout.readline())["id"] == 1
    client.ask(2, "execute_script", code="while True: pass")
    time.sleep(0.5)
    started_s = time.monotonic()
    client.say(method="notifications/cancelled", params={"requestId": 2})
    client.ask(3, "execute_script", code="print('next')")
    while (reply := json.loads(client.process.stdout.readline()))["id"] != 3:
        pass
    assert "next" in reply["result"]["content"][0]["text"]
    assert time.monotonic() - started_s < 5  # A script may run for 20 s; idle machines take one.
    client.ask(4, "execute_script", code="while True: pass")
    time.sleep(0.5)
    started_s = time.monotonic()
    client.process.stdin.close()
    client.process.stdin = None
    assert client.process.wait(30) in (0, 130)
    assert time.monotonic() - started_s < 5


def test_a_connection_without_the_token_keeps_nobody_out() -> None:
    server = tool_server([], lambda *_: "", "")
    with served_over_http(server, "open-sesame") as url, ExitStack() as held:
        place = ("127.0.0.1", int(url.rpartition(":")[2].split("/")[0]))
        slow, *silent = (held.enter_context(socket.create_connection(place, 20)) for _ in range(300))
        slow.sendall(
            b"POST /mcp HTTP/1.1\r\nhost: x\r\nauthorization: Bearer open-sesame\r\ncontent-length: 9\r\n\r\n{"
        )
        silent[0].sendall(b"POST /mcp HTTP/1.1\r\nhost: x\r\n")
        headers = {"Authorization": "Bearer open-sesame", "Content-Type": "application/json"}
        long = httpx2.post(url, content=b"[" + b"{}," * 1_400_000 + b"{}]", headers=headers)
        assert long.status_code == 413
        assert httpx2.post(url, json={}, headers={"Content-Type": "application/json"}).status_code == 401
