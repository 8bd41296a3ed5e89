"""Tools of MCP servers as calls of scripts: names, effects,
results, faults; and servers that send or wait too much."""

import base64
import gzip
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

from controlplane.agent.loop import TrialClock
from controlplane.errors import ServerFailed, UsageError
from controlplane.mcp.program_secrets import environment_for_servers, without_secrets
from controlplane.mcp.server_specs import ServerSpec
from controlplane.mcp.serving.http_serving import served_over_http
from controlplane.mcp.serving.offered_server import ServerOffer, offered_server
from controlplane.mcp.tool_access import ToolAccess, matches_any, tool_access
from controlplane.mcp.tool_environment import ToolEnvironment, with_tools
from controlplane.sandbox.child.step.result_types import with_attributes
from controlplane.sandbox.interface import (
    CallError,
    Effect,
    ToolSchema,
    bounds,
    parsed_result,
)
from controlplane.sandbox.interface.schemas import type_text
from tests.support.byte_server import ByteServer, free_port
from tests.support.command import (
    ROOT,
    check_line,
    environment,
    inside,
    wait_until,
    write_config,
)
from tests.support.endpoints import response
from tests.support.terminal import Terminal

LOANS = ROOT / "tests/support/loans_server.py"
PLAIN = ROOT / "tests/support/plain_loans.py"
COMMAND = ServerSpec(command=sys.executable, args=(str(LOANS),))


@pytest.fixture
def loans() -> Iterator[ToolEnvironment]:
    access = ToolAccess({"loans": COMMAND}, deny=("loans.echo",))
    with with_tools(Nothing(), access) as made:
        assert isinstance(made, ToolEnvironment)
        yield made


def test_a_server_is_declared_called_and_outlived(loans: ToolEnvironment) -> None:
    declared = {operation.name: operation for operation in loans.tool_schema.operations}
    assert declared["loans.rows"].effect is Effect.RETURNS
    assert declared["loans.extend"].effect is Effect.ACTS
    assert [
        (parameter.name, type_text(parameter.json_schema))
        for parameter in declared["loans.loan"].parameters
    ] == [("number", "int")]
    assert "loans.class_" in declared
    assert "loans.echo" not in declared
    rows = loans.call("loans.rows", {})
    assert len(json.loads(str(rows["data"]))["rows"]) == 10_000
    again = loans.call("loans.rows", {})
    assert again["call_path"] == rows["call_path"]
    assert str(rows["call_path"]).startswith("/mcp/loans/calls/rows/")
    assert loans.call("loans.picture", {})["text"] == "[image image/png, 3,000 bytes]"
    assert loans.call("loans.secret", {})["text"] == ""
    listed = parsed_result(
        declared["loans.resources"], loans.call("loans.resources", {})
    )
    assert [entry["uri"] for entry in listed] == ["loans://rules"]
    resource = loans.call("loans.resource", {"uri": "loans://rules"})
    assert resource == {
        "call_path": "/mcp/loans/resources/rules",
        "text": "A loan is kept for 14 days.",
        "data": "",
    }
    assert "number: int" in str(loans.call("loans.help", {"words": "loan"})["text"])
    assert "harness.loans.extend" in str(
        loans.call("loans.help", {"words": "extend a loan"})["text"]
    )
    for refused, said in (
        (("loans.extend", {"number": 1}), "--allow loans.extend"),
        (("loans.loan", {"number": "many"}), "loans.loan"),
        (("loans.loan", {"number": 99_999}), "loans.loan"),
        (("loans.resource", {"uri": "loans://nothing"}), "loans.resource failed"),
        (("loans.flood", {}), "loans.flood failed"),
    ):
        with pytest.raises(CallError, match=said):
            loans.call(*refused)


SHARED = ROOT.parent / "shared/ask/F/odd_server.py"


@pytest.mark.skipif(
    not SHARED.is_file(), reason="needs the odd server in ../shared/ask"
)
def test_odd_tools_are_called_by_the_names_that_are_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bounds, "TOOL_CALL_S", 2.0)
    spec = ServerSpec(command=sys.executable, args=(str(SHARED),))
    changing = ServerSpec(
        command=sys.executable,
        args=(str(SHARED.with_name("odd_server_rw.py")),),
        read_only=("m*",),
    )
    access = ToolAccess({"odd": spec, "rw": changing}, allow=("rw.a_b_c_d_2",))
    with with_tools(Nothing(), access) as made:
        declared = {
            operation.name: operation for operation in made.tool_schema.operations
        }
        own = [
            json.loads(made.call(f"odd.{name}", {})["text"])["tool"]
            for name in ("a_b_c_d", "a_b_c_d_2", "class_")
        ]
        assert own == ["a_b_c_d", "a.b/c-d", "class"]
        assert json.loads(made.call("odd.kw", {"from_": "x", "a_b": None})["text"])[
            "args"
        ] == {
            "from": "x",
            "a-b": None,
        }
        structured = parsed_result(
            declared["odd.structured"], made.call("odd.structured", {})
        )
        assert (
            with_attributes(structured).items,
            with_attributes(structured).data.keys,
        ) == (
            [1, 2],
            "k",
        )
        broken = str(made.call("odd.badstructured", {})["text"])
        assert broken.startswith(
            "(The result breaks the schema of odd.badstructured: it['n'] is int, not str 'five'.)"
        )
        with pytest.raises(CallError, match=r"odd\.rpcerror failed: no such thing$"):
            made.call("odd.rpcerror", {})
        with pytest.raises(CallError, match=r"odd\.hang gave no answer within 2 s"):
            made.call("odd.hang", {})
        with pytest.raises(CallError, match=r"odd\.die failed: .*was started anew"):
            made.call("odd.die", {})
        assert "1,234.50" in str(made.call("odd.money", {})["text"])
        with pytest.raises(CallError, match=r"odd\.die failed: .*has ended again"):
            made.call("odd.die", {})
        assert "1,234.50" in str(made.call("rw.money", {})["text"])
        assert "a.b/c-d" in str(made.call("rw.a_b_c_d_2", {})["text"])
        with pytest.raises(
            CallError,
            match=r'--allow rw\.image, or with read_only = \["image"\] in \[mcp\.rw\]',
        ):
            made.call("rw.image", {})


RAW = """print("listening")
            print('{"jsonrpc": "2.0", "id": %d, "result": %s}' % (asked["id"], REPLY), flush=True)"""
"""A reply as it stands, behind a line that is none."""


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("'[' * 20_000", "the message cannot be read"),
        (
            "'{\"structuredContent\": {\"a\": ' + '9' * 5_000 + '}'",
            "the message cannot be read",
        ),
        ('\'{"content": "no"}\'', "its reply has not the protocol's form"),
    ],
)
def test_a_reply_that_cannot_be_read_fails_its_call_at_once(
    tmp_path: Path, reply: str, said: str
) -> None:
    began = time.monotonic()
    with with_tools(
        Nothing(), ToolAccess({"raw": spec_of(tmp_path, RAW.replace("REPLY", reply))})
    ) as made:
        for _ in range(2):
            with pytest.raises(CallError, match=rf"raw\.look failed: {said}"):
                made.call("raw.look", {})

    assert time.monotonic() - began < 30


def result_of(tmp_path: Path, result: dict[str, object]) -> dict[str, object]:
    """Return what a script gets of a tool whose server answers with this result."""
    spec = spec_of(tmp_path, RAW.replace("REPLY", repr(json.dumps(result))))
    with with_tools(Nothing(), ToolAccess({"raw": spec})) as environment:
        return environment.call("raw.look", {})


def test_structured_content_may_be_a_list(tmp_path: Path) -> None:
    content = [{"type": "text", "text": "two loans"}]
    called = result_of(
        tmp_path, {"content": content, "structuredContent": [{"n": 1}, {"n": 2}]}
    )

    assert json.loads(str(called["data"])) == [{"n": 1}, {"n": 2}]
    assert called["text"] == "two loans"


@pytest.mark.parametrize(
    ("mime_type", "data", "text"),
    [
        ("text/plain", b"kept for 14 days", "kept for 14 days"),
        ("text/csv", "a;ä\n".encode(), "a;ä\n"),
        ("text/plain", b"\xff\xfe", "[resource text/plain, 3 bytes]"),
        ("application/pdf", b"%PDF", "[resource application/pdf, 6 bytes]"),
    ],
)
def test_a_blob_of_text_keeps_its_text(
    tmp_path: Path, mime_type: str, data: bytes, text: str
) -> None:
    blob = {
        "uri": "x://y",
        "mimeType": mime_type,
        "blob": base64.b64encode(data).decode(),
    }
    called = result_of(tmp_path, {"content": [{"type": "resource", "resource": blob}]})

    assert called["text"] == text


def test_names_of_servers_become_names_that_scripts_can_write(tmp_path: Path) -> None:
    file = tmp_path / "servers.json"
    servers = {
        "brave-search": {"command": "x"},
        "awslabs.core-mcp-server": {"command": "y"},
    }
    file.write_text(json.dumps({"mcpServers": servers}))
    allowed = ("brave-search.web", "awslabs.core-mcp-server.*", "brave_search.news")
    access = tool_access(NONE | {"mcp_config": str(file), "allow": allowed})

    assert access is not None
    assert list(access.servers) == ["brave_search", "awslabs_core_mcp_server"]
    assert access.allow == (
        "brave_search.web",
        "awslabs_core_mcp_server.*",
        "brave_search.news",
    )
    assert access.user_names["brave_search"] == "brave-search"


def test_a_tool_that_hangs_fails_its_call_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "TOOL_CALL_S", 1.0)
    with with_tools(
        Nothing(), ToolAccess({"raw": spec_of(tmp_path, "time.sleep(600)")})
    ) as made:
        for _ in range(2):
            with pytest.raises(CallError, match=r"raw\.look gave no answer within 1 s"):
                made.call("raw.look", {})


def is_listening(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_a_server_over_http_gets_its_headers() -> None:
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, LOANS, "http", str(port)], stderr=subprocess.DEVNULL
    )
    try:
        wait_until(lambda: is_listening(port), within_s=60)
        spec = ServerSpec(url=f"http://127.0.0.1:{port}/mcp", headers={"X-Key": "1"})
        with with_tools(Nothing(), ToolAccess({"loans": spec})) as made:
            assert "2026-03-01" in str(made.call("loans.loan", {"number": 2})["text"])
            process.kill()
            process.wait()
            with pytest.raises(CallError, match=r"loans\.loan failed"):
                made.call("loans.loan", {"number": 2})
    finally:
        process.kill()
        process.wait()


def endless_replies(connection: socket.socket, request: bytes) -> None:
    """Reply as a server whose tools, but for `fine`, reply
    without end, or with a little that unpacks to a lot."""
    asked = json.loads(request.partition(b"\r\n\r\n")[2])
    tool = asked.get("params", {}).get("name")
    result = {"content": [{"type": "text", "text": "fine"}]}
    if asked["method"] == "initialize":
        result = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "serverInfo": {"name": "e", "version": ""},
        }
    elif asked["method"] == "tools/list":
        hints = {
            "inputSchema": {"type": "object"},
            "annotations": {"readOnlyHint": True},
        }
        result = {
            "tools": [
                {"name": name} | hints for name in ("fine", "body", "event", "packed")
            ]
        }
    body = (
        json.dumps({"jsonrpc": "2.0", "id": asked.get("id"), "result": result}).encode()
        if "id" in asked
        else b""
    )
    headers = {"content-type": "application/json"}
    if tool == "packed":
        headers["content-encoding"] = "gzip"
        body = gzip.compress(b" " * 20_000_000 + body)
    if tool in ("body", "event"):
        kind = b"text/event-stream" if tool == "event" else b"application/json"
        connection.sendall(
            b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: "
            + kind
            + b"\r\n\r\ndata: "
        )
        while True:
            connection.sendall(b" " * 1_000_000)
    connection.sendall(response(200 if "id" in asked else 202, body, headers))


def test_a_reply_without_end_fails_its_call_alone() -> None:
    with ByteServer(endless_replies) as server:
        spec = ServerSpec(url=f"{server.url}/mcp")
        with with_tools(Nothing(), ToolAccess({"far": spec})) as made:
            for tool, said in (
                ("body", "4,000,000 bytes"),
                ("event", "4000000 byte"),
                ("packed", "compressed"),
            ):
                with pytest.raises(CallError, match=said):
                    made.call(f"far.{tool}", {})
                assert made.call("far.fine", {})["text"] == "fine"


NONE = {"mcp": (), "mcp_config": None, "allow": (), "deny": ()}


def test_servers_come_from_flags_files_and_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOANS_KEY", "s3cret")
    monkeypatch.setenv("MCP_WEB_TOKEN", "t0ken")
    file = tmp_path / "servers.json"
    held = {
        "mcpServers": {
            "db": {
                "command": "x",
                "args": ["${LOANS_KEY}", "${NO:-y}"],
                "type": "stdio",
            }
        }
    }
    file.write_text(json.dumps(held), encoding="utf-8-sig")  # as some editors save it
    given = NONE | {
        "mcp": ("a=python 'b c'", "web=https://x/mcp"),
        "mcp_config": str(file),
        "allow": ("db.*",),
    }
    access = tool_access(given)

    assert access is not None
    assert access.servers["db"].args == ("s3cret", "y")
    assert access.servers["a"].args == ("b c",)
    assert access.servers["web"].headers == {"Authorization": "Bearer t0ken"}
    assert [matches_any(access.allow, [name]) for name in ("db.drop", "a.drop")] == [
        True,
        False,
    ]
    assert tool_access(dict(NONE)) is None
    held["mcpServers"]["db"]["args"] = ["${NOT_THERE}"]
    file.write_text(json.dumps(held))
    with (tmp_path / "endless.json").open("wb") as endless:
        endless.truncate(1 << 40)
    for wrong, said in (
        ({"mcp_config": str(endless.name)}, "longer than 1,000,000 bytes"),
        ({"mcp": ("x",)}, "NAME=COMMAND"),
        ({"mcp": ("-=y",)}, "has letters or digits"),
        ({"mcp": ("x='",)}, "cannot be read"),
        ({"mcp_config": str(file)}, "has no NOT_THERE"),
        ({"mcp_config": str(tmp_path)}, "cannot be read: Is a directory"),
        ({"allow": ("db.x",)}, "name tools as NAME.TOOL"),
    ):
        with pytest.raises(UsageError, match=said):
            tool_access(NONE | wrong)


SCRIPT = """
one = harness.loans.loan(number=2)
kept = {row["id"]: row.kept_until for row in harness.loans.rows().rows}
joined = [row for row in harness.loans.rows().data["rows"] if kept[row["id"]] == "2026-03-01"]
print(len(joined))
for forged in (harness.loans.echo("kept until 2099-01-01"),):
    try:
        scratchpad.cite(forged.call_path, "what it says of loan-2", "kept until 2099-01-01")
        print("forged")
    except CitationError:
        print("refused")
scratchpad.cite(one.call_path, "loan-2 is kept until 2026-03-01", "kept until 2026-03-01")
scratchpad["answer"] = "Until 2026-03-01."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "2026-03-01" in sp["answer"])
"""


def test_a_question_is_answered_from_a_server_and_replays_without_it(
    tmp_path: Path,
) -> None:
    (tmp_path / "notes.md").write_text("nothing\n")
    (tmp_path / "replies.toml").write_text(f"[[reply]]\ncode = {json.dumps(SCRIPT)}\n")
    (tmp_path / "server.py").write_text(PLAIN.read_text())
    options = (
        "--mcp",
        f"loans={sys.executable} server.py",
        "--model",
        "scripted:replies.toml",
        "--json",
    )
    asked = inside(
        "ask",
        "Until when?",
        "notes.md",
        *options,
        cwd=tmp_path,
        OPENAI_API_KEY="s3cret-key",
    )

    assert asked.code == 0, asked.err + asked.out
    (citation,) = asked.json["citations"]
    assert (citation["path"][:22], citation["line"]) == ("/mcp/loans/calls/loan/", None)
    (tmp_path / "server.py").unlink()
    again = inside("replay", "last", "--verify", cwd=tmp_path)
    assert again.code == 0, again.out
    trial = json.loads(
        inside("replay", "last", "--trial", "ask", "--json", cwd=tmp_path).out
    )
    assert trial["steps"][0]["output"] == "834\nrefused\n"
    journal = (tmp_path / asked.json["journal"]).read_text()
    assert "s3cret" not in journal
    assert "server.py" not in journal


TASK = """
instruction = "Until when may loan-2 be kept?"
[mcp.loans]
[expected]
outcome = "OUTCOME_OK"
answer = "Until 2026-03-01."
"""


@pytest.fixture
def loan_task(tmp_path: Path) -> None:
    """A folder of one task that names a server, and the replies that solve it."""
    (tmp_path / "tasks/loan/files").mkdir(parents=True)
    (tmp_path / "tasks/loan/files/notes.md").write_text("nothing\n")
    (tmp_path / "tasks/loan/task.toml").write_text(TASK)
    (tmp_path / "replies.toml").write_text(f"[[reply]]\ncode = {json.dumps(SCRIPT)}\n")


@pytest.mark.usefixtures("loan_task")
def test_a_task_of_a_folder_names_a_server_that_only_the_user_starts(
    tmp_path: Path,
) -> None:
    run = (
        "run",
        "--benchmark",
        "folder:tasks",
        "--model",
        "scripted:replies.toml",
        "--json",
    )
    check_line(
        inside(*run, cwd=tmp_path),
        2,
        "tasks use the MCP server loans: name it with --mcp",
    )
    config = f"[mcp.loans]\ncommand = {json.dumps(sys.executable)}\nargs = [{json.dumps(str(PLAIN))}]\n"
    write_config(tmp_path / "controlplane.toml", config)
    played = inside(*run, cwd=tmp_path)

    assert [trial["score"] for trial in played.json["trials"]] == [1.0], played.out


@pytest.mark.usefixtures("loan_task")
def test_a_run_whose_server_did_not_start_is_resumed_with_one_that_does(
    tmp_path: Path,
) -> None:
    run = (
        "run",
        "--benchmark",
        "folder:tasks",
        "--model",
        "scripted:replies.toml",
        "--mcp",
        "loans=/nowhere/server",
    )

    assert inside(*run, cwd=tmp_path).code == 3
    resumed = inside(
        "resume",
        "last",
        "--mcp",
        f"loans={sys.executable} {PLAIN}",
        "--json",
        cwd=tmp_path,
    )
    assert [trial["score"] for trial in resumed.json["trials"]] == [1.0], resumed.err


@pytest.mark.parametrize(
    ("typed", "printed"),
    [
        ("y\n", "extended 2"),
        pytest.param("n\n", "--allow loans.extend", marks=pytest.mark.heavy),
    ],
)
def test_a_person_at_the_terminal_is_asked_before_a_tool_without_hints_is_called(
    tmp_path: Path, typed: str, printed: str
) -> None:
    (tmp_path / "notes.md").write_text("nothing\n")
    tried = "try:\n    print(harness.loans.extend(number=2).text)\nexcept HarnessError as refused:\n    print(refused)\n"
    (tmp_path / "replies.toml").write_text(
        f"[[reply]]\ncode = {json.dumps(tried + SCRIPT)}\n"
    )
    server = (
        "--mcp",
        f"loans={sys.executable} {PLAIN}",
        "--model",
        "scripted:replies.toml",
    )
    with Terminal(
        "ask", "Until when?", "notes.md", *server, cwd=tmp_path, columns=120
    ) as terminal:
        terminal.wait_for(
            r"May the script call loans\.extend\(number=2\)", timeout_s=60
        )
        terminal.type(typed)
        terminal.wait_for("Until 2026-03-01", timeout_s=60)
        assert terminal.finish() == 0
    trial = inside("replay", "last", "--trial", "ask", "--json", cwd=tmp_path).json

    assert printed in trial["steps"][0]["output"]


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


def test_calls_end_with_the_step(tmp_path: Path) -> None:
    clock = TrialClock()
    access = ToolAccess({"db": spec_of(tmp_path)})
    with with_tools(Nothing(), access, clock) as environment:
        clock.end_calls_at(time.monotonic() + 0.6)
        with pytest.raises(CallError, match=r"db\.look gave no answer within"):
            environment.call("db.look", {})


def test_calls_end_with_the_trial(tmp_path: Path) -> None:
    access = ToolAccess({"db": spec_of(tmp_path)})
    with with_tools(Nothing(), access, TrialClock(limit_s=0.6)) as environment:
        for _ in range(2):
            with pytest.raises(CallError, match=r"db\.look gave no answer within"):
                environment.call("db.look", {})


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (FLOOD, "failed: .*closed"),
        (BLOCKS, "failed: the message is longer than .* or 60,000 values"),
        (LISTS, "failed: the message is longer than .* or 60,000 values"),
    ],
)
def test_a_flood_fails_its_call_and_takes_little(
    call: str, said: str, tmp_path: Path
) -> None:
    with with_tools(Nothing(), ToolAccess({"db": spec_of(tmp_path, call)})) as made:
        usage = resource.getrusage(resource.RUSAGE_SELF)
        with pytest.raises(CallError, match=rf"(?i)db\.look {said}"):
            made.call("db.look", {})
        now = resource.getrusage(resource.RUSAGE_SELF)
        assert (
            now.ru_utime - usage.ru_utime < 3,
            now.ru_maxrss - usage.ru_maxrss < 200_000,
        ) == (
            True,
            True,
        )


def test_a_list_of_tools_without_end_is_not_read_on(tmp_path: Path) -> None:
    access = ToolAccess({"db": spec_of(tmp_path, tools=ENDLESS)})
    with (
        pytest.raises(ServerFailed, match="its list of tools is longer than"),
        with_tools(Nothing(), access),
    ):
        pass


MISFORMED = """say(id=asked["id"], result={"nextCursor": "again", "tools": [
    {"name": "look"} | HINTS, {"name": "bare"}, {"name": "none", "inputSchema": None}, 7,
    {"name": "odd", "inputSchema": []},
]})"""


def test_a_tool_without_a_schema_is_left_out_and_a_repeated_cursor_ends_the_list(
    tmp_path: Path,
) -> None:
    call = """say(id=asked["id"], result={"content": [{"type": "text", "text": "seen"}]})"""
    access = ToolAccess({"db": spec_of(tmp_path, call, MISFORMED)}, allow=("db.bare",))
    with with_tools(Nothing(), access) as made:
        assert [operation.name for operation in made.tool_schema.operations] == [
            "db.look",
            "db.help",
        ]
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


@pytest.mark.parametrize("option", ["allow", "deny"])
def test_a_refused_name_suggests_usable_tools_before_those_left_out(
    option: str, tmp_path: Path
) -> None:
    server = spec_of(tmp_path, tools=MISFORMED)
    access = ToolAccess({"db": server}, **{option: ("db.qqqqqqqqqq",)})
    with (
        pytest.raises(UsageError, match=r"known: db\.look, .*db\.bare"),
        with_tools(Nothing(), access),
    ):
        pass


def test_a_long_argument_hides_no_other_from_the_one_who_is_asked(
    tmp_path: Path,
) -> None:
    asked: list[str] = []

    def approve(question: str) -> bool:
        asked.append(question)
        return False

    schema = (
        '{"type": "object", "properties": {"note": {"type": "string"}, "to": {"type": "string"},'
        ' "amount": {"type": "integer"}}}'
    )
    tools = f'say(id=asked["id"], result={{"tools": [{{"name": "pay", "inputSchema": {schema}}}]}})'
    access = ToolAccess({"bank": spec_of(tmp_path, tools=tools)}, approve=approve)
    arguments = {"note": "thanks " * 1_000, "to": "b\u043eb\x1b[2K", "amount": 999_999}
    with (
        with_tools(Nothing(), access) as made,
        pytest.raises(CallError, match="not allowed"),
    ):
        made.call("bank.pay", arguments)
    (question,) = asked

    assert "amount=999999" in question
    assert "[6,702 further characters are not shown]" in question
    assert "letters of different scripts" in question
    assert "\x1b" not in question


def test_an_address_is_told_without_its_secrets() -> None:
    url = "http://user:pa55word@127.0.0.1:9/mcp?token=t0ps3cret"
    access = ToolAccess(
        {"far": ServerSpec(url=url, headers={"Authorization": "Bearer abcdefgh"})}
    )
    with pytest.raises(ServerFailed) as refused, with_tools(Nothing(), access):
        pass

    assert "http://127.0.0.1:9/mcp" in str(refused.value)
    assert not [
        word
        for word in ("pa55word", "t0ps3cret", "abcdefgh", "user:")
        if word in str(refused.value)
    ]


def test_servers_inherit_no_keys_and_a_program_prints_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in (
        "OPENAI_API_KEY",
        "GITHUB_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "SSH_AUTH_SOCK",
        "UV_PUBLISH_TOKEN",
    ):
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
        piped = {
            "stdin": subprocess.PIPE,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.DEVNULL,
        }
        self.process = subprocess.Popen(words, cwd=folder, env=environment(), **piped)
        info = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "c", "version": "1"},
        }
        self.say(id=0, method="initialize", params=info)
        assert b"protocolVersion" in self.process.stdout.readline()
        self.say(method="notifications/initialized")

    def say(self, **message: object) -> None:
        self.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def write(self, data: bytes) -> None:
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def ask(self, number: int, name: str, **arguments: str) -> None:
        self.say(
            id=number,
            method="tools/call",
            params={"name": name, "arguments": arguments},
        )

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


def test_an_overlong_or_crowded_line_of_a_client_is_refused_and_takes_little(
    client: Client,
) -> None:
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
    client.write(
        b'[1, 2]\n\xff\xfe{{{\n{"jsonrpc":"2.0","id":null,"method":"tools/call"}\n'
    )
    client.ask(2, "submit_answer", answer="\ud800", question_id="\ud800")

    assert b"cannot be read" in client.process.stdout.readline()
    client.say(id=1, method="tools/list")
    assert b"execute_script" in client.process.stdout.readline()
    assert client.peak_kb() - before_kb < 25_000


@pytest.mark.second_tier
def test_few_questions_are_open_at_a_time(client: Client) -> None:
    for number in range(bounds.MOST_OPEN_QUESTIONS + 1):
        client.ask(number + 1, "begin", question="?")
    said = [
        json.loads(client.process.stdout.readline())
        for _ in range(bounds.MOST_OPEN_QUESTIONS + 1)
    ]
    refused = [message["id"] for message in said if message["result"].get("isError")]

    assert (len(refused), "questions are open" in str(said)) == (1, True)


@pytest.mark.second_tier
@pytest.mark.parametrize("is_cancelled", [False, True])
@pytest.mark.parametrize("end", ["signal", "close"])
def test_a_server_with_400_unread_calls_ends(
    end: str, is_cancelled: bool, client: Client
) -> None:
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


def test_a_call_that_is_cancelled_while_its_question_opens_holds_up_no_other(
    client: Client,
) -> None:
    client.ask(1, "execute_script", code="while True: pass")
    client.say(method="notifications/cancelled", params={"requestId": 1})
    client.ask(2, "execute_script", code="print('next')")
    while (reply := json.loads(client.process.stdout.readline()))["id"] != 2:
        pass

    assert "next" in reply["result"]["content"][0]["text"]


def test_a_script_ends_with_its_call_and_the_process_with_its_input(
    client: Client,
) -> None:
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
    # A script may run for 20 s; idle machines take one.
    assert time.monotonic() - started_s < 5
    client.ask(4, "execute_script", code="while True: pass")
    time.sleep(0.5)
    started_s = time.monotonic()
    client.process.stdin.close()
    client.process.stdin = None
    assert client.process.wait(30) in (0, 130)
    assert time.monotonic() - started_s < 5


def test_a_connection_without_the_token_keeps_nobody_out() -> None:
    server = offered_server(ServerOffer([], ""), lambda *_: "")
    with served_over_http(server, "open-sesame") as url, ExitStack() as held:
        place = ("127.0.0.1", int(url.rpartition(":")[2].split("/")[0]))
        slow, *silent = (
            held.enter_context(socket.create_connection(place, 20)) for _ in range(300)
        )
        slow.sendall(
            b"POST /mcp HTTP/1.1\r\nhost: x\r\nauthorization: Bearer open-sesame\r\ncontent-length: 9\r\n\r\n{"
        )
        silent[0].sendall(b"POST /mcp HTTP/1.1\r\nhost: x\r\n")
        headers = {
            "Authorization": "Bearer open-sesame",
            "Content-Type": "application/json",
        }
        long = httpx2.post(
            url, content=b"[" + b"{}," * 1_400_000 + b"{}]", headers=headers
        )
        assert long.status_code == 413
        assert (
            httpx2.post(
                url, json={}, headers={"Content-Type": "application/json"}
            ).status_code
            == 401
        )
