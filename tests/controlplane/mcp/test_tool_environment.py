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
from http import HTTPStatus
from pathlib import Path
from typing import Any

import httpx2
import pytest

from controlplane.agent.loop import TrialClock
from controlplane.errors import ServerFailed, Unreachable, UsageError
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
    check_error_line,
    clean_environment,
    run_in_process,
    wait_until,
    write_config,
)
from tests.support.endpoints import http_response
from tests.support.terminal import Terminal

LOANS = ROOT / "tests/support/loans_server.py"
PLAIN = ROOT / "tests/support/plain_loans.py"
COMMAND = ServerSpec(command=sys.executable, args=(str(LOANS),))


@pytest.fixture(scope="module")
def loans() -> Iterator[ToolEnvironment]:
    """The tools of `tests/support/loans_server.py`, without `echo`, which is denied."""
    access = ToolAccess({"loans": COMMAND}, deny=("loans.echo",))
    with with_tools(Nothing(), access) as environment:
        assert isinstance(environment, ToolEnvironment)
        yield environment


def test_tools_of_a_server_are_declared(loans: ToolEnvironment) -> None:
    declared = {operation.name: operation for operation in loans.tool_schema.operations}

    assert declared["loans.rows"].effect is Effect.RETURNS
    assert declared["loans.extend"].effect is Effect.ACTS
    (parameter,) = declared["loans.loan"].parameters
    assert parameter.name == "number"
    assert type_text(parameter.json_schema) == "int"
    assert "loans.class_" in declared  # The tool `class`, which scripts cannot write.
    assert "loans.echo" not in declared


def test_a_long_result_arrives_whole_and_repeated_calls_have_one_path(
    loans: ToolEnvironment,
) -> None:
    rows = loans.call("loans.rows", {})
    assert len(json.loads(str(rows["data"]))["rows"]) == 10_000
    assert str(rows["call_path"]).startswith("/mcp/loans/calls/rows/")

    repeated = loans.call("loans.rows", {})
    assert repeated["call_path"] == rows["call_path"]


def test_an_image_is_described(loans: ToolEnvironment) -> None:
    assert loans.call("loans.picture", {})["text"] == "[image image/png, 3,000 bytes]"


def test_a_server_gets_none_of_our_keys(loans: ToolEnvironment) -> None:
    names_of_keys = loans.call("loans.secret", {})["text"]
    assert names_of_keys == ""


def test_resources_of_a_server_are_listed_and_read(loans: ToolEnvironment) -> None:
    declared = {operation.name: operation for operation in loans.tool_schema.operations}
    listed = parsed_result(
        declared["loans.resources"], loans.call("loans.resources", {})
    )
    assert [entry["uri"] for entry in listed] == ["loans://rules"]

    rules = loans.call("loans.resource", {"uri": "loans://rules"})
    assert rules == {
        "call_path": "/mcp/loans/resources/rules",
        "text": "A loan is kept for 14 days.",
        "data": "",
    }


def test_help_finds_tools_by_words(loans: ToolEnvironment) -> None:
    one_word = loans.call("loans.help", {"words": "loan"})
    assert "number: int" in str(one_word["text"])

    three_words = loans.call("loans.help", {"words": "extend a loan"})
    assert "harness.loans.extend" in str(three_words["text"])


@pytest.mark.parametrize(
    ("operation", "arguments", "reason"),
    [
        ("loans.extend", {"number": 1}, "--allow loans.extend"),
        ("loans.loan", {"number": "many"}, "loans.loan"),
        ("loans.loan", {"number": 99_999}, "loans.loan"),
        ("loans.resource", {"uri": "loans://nothing"}, "loans.resource failed"),
    ],
)
def test_a_call_that_fails_names_its_tool(
    loans: ToolEnvironment, operation: str, arguments: dict[str, Any], reason: str
) -> None:
    with pytest.raises(CallError, match=reason):
        loans.call(operation, arguments)


def test_a_call_whose_server_floods_names_its_tool() -> None:
    # With a server of its own, as the flood ends it.
    with (
        with_tools(Nothing(), ToolAccess({"loans": COMMAND})) as environment,
        pytest.raises(CallError, match=r"loans\.flood failed"),
    ):
        environment.call("loans.flood", {})


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
        # Keys with the names of a dict's methods.
        assert with_attributes(structured).items == [1, 2]
        assert with_attributes(structured).data.keys == "k"
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
    access = tool_access(NO_OPTIONS | {"mcp_config": str(file), "allow": allowed})

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


def tool_reply(request: dict[str, Any]) -> dict[str, Any]:
    """Return the result of a server whose tools all answer "fine"."""
    if request["method"] == "initialize":
        return {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "serverInfo": {"name": "e", "version": ""},
        }
    if request["method"] == "tools/list":
        hints = {
            "inputSchema": {"type": "object"},
            "annotations": {"readOnlyHint": True},
        }
        names = ("fine", "body", "event", "packed")
        return {"tools": [{"name": name} | hints for name in names]}
    return {"content": [{"type": "text", "text": "fine"}]}


def endless_replies(connection: socket.socket, http_request: bytes) -> None:
    """Reply as a server with three tools that send too much.

    `body` sends JSON without end, `event` an event stream without end, and `packed` a
    small body that unpacks to 20 MB. The tool `fine` is well-behaved.
    """
    request = json.loads(http_request.partition(b"\r\n\r\n")[2])
    tool = request.get("params", {}).get("name")
    if tool in ("body", "event"):
        kind = b"text/event-stream" if tool == "event" else b"application/json"
        connection.sendall(
            b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: "
            + kind
            + b"\r\n\r\ndata: "
        )
        while True:
            connection.sendall(b" " * 1_000_000)

    headers = {"content-type": "application/json"}
    if "id" not in request:  # A notification, which has no reply.
        connection.sendall(http_response(202, b"", headers))
        return
    reply = {"jsonrpc": "2.0", "id": request["id"], "result": tool_reply(request)}
    body = json.dumps(reply).encode()
    if tool == "packed":
        headers["content-encoding"] = "gzip"
        body = gzip.compress(b" " * 20_000_000 + body)
    connection.sendall(http_response(200, body, headers))


def test_a_reply_without_end_fails_its_call_alone() -> None:
    with ByteServer(endless_replies) as server:
        spec = ServerSpec(url=f"{server.url}/mcp")
        with with_tools(Nothing(), ToolAccess({"far": spec})) as environment:
            for tool, reason in (
                ("body", "4,000,000 bytes"),
                ("event", "4000000 byte"),
                ("packed", "compressed"),
            ):
                with pytest.raises(CallError, match=reason):
                    environment.call(f"far.{tool}", {})
                assert environment.call("far.fine", {})["text"] == "fine"


NO_OPTIONS = {"mcp": (), "mcp_config": None, "allow": (), "deny": ()}


def test_without_options_there_are_no_servers() -> None:
    assert tool_access(dict(NO_OPTIONS)) is None


def test_servers_come_from_flags_files_and_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOANS_KEY", "s3cret")
    monkeypatch.setenv("MCP_WEB_TOKEN", "t0ken")
    database = {
        "command": "x",
        "args": ["${LOANS_KEY}", "${NO:-y}"],
        "type": "stdio",
    }
    file = tmp_path / "servers.json"
    # With a byte order mark, as some editors save it.
    file.write_text(json.dumps({"mcpServers": {"db": database}}), encoding="utf-8-sig")
    options = {
        "mcp": ("a=python 'b c'", "web=https://x/mcp"),
        "mcp_config": str(file),
        "allow": ("db.*",),
    }
    access = tool_access(NO_OPTIONS | options)

    assert access is not None
    assert access.servers["db"].args == ("s3cret", "y")
    assert access.servers["a"].args == ("b c",)
    assert access.servers["web"].headers == {"Authorization": "Bearer t0ken"}
    assert matches_any(access.allow, ["db.drop"])
    assert not matches_any(access.allow, ["a.drop"])


@pytest.mark.parametrize(
    ("option", "reason"),
    [
        ({"mcp_config": "endless.json"}, "longer than 1,000,000 bytes"),
        ({"mcp_config": "unset_variable.json"}, "has no NOT_THERE"),
        ({"mcp_config": "."}, "cannot be read: Is a directory"),
        ({"mcp": ("x",)}, "NAME=COMMAND"),
        ({"mcp": ("-=y",)}, "has letters or digits"),
        ({"mcp": ("x='",)}, "cannot be read"),
        ({"allow": ("db.x",)}, "name tools as NAME.TOOL"),
    ],
)
def test_servers_that_cannot_be_read_are_refused(
    option: dict[str, Any],
    reason: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    with Path("endless.json").open("wb") as endless:
        endless.truncate(1 << 40)
    database = {"command": "x", "args": ["${NOT_THERE}"], "type": "stdio"}
    Path("unset_variable.json").write_text(json.dumps({"mcpServers": {"db": database}}))

    with pytest.raises(UsageError, match=reason):
        tool_access(NO_OPTIONS | option)


# A script that counts the loans kept until 2026-03-01, tries to cite what the tool `echo`
# says after it, and then answers with a citation of loan 2. The server is PLAIN.
SCRIPT = """
loan = harness.loans.loan(number=2)
kept = {row["id"]: row.kept_until for row in harness.loans.rows().rows}
joined = [row for row in harness.loans.rows().data["rows"] if kept[row["id"]] == "2026-03-01"]
print(len(joined))
forged = harness.loans.echo("kept until 2099-01-01")
try:
    scratchpad.cite(forged.call_path, "what it says of loan-2", "kept until 2099-01-01")
    print("forged")
except CitationError:
    print("refused")
scratchpad.cite(loan.call_path, "loan-2 is kept until 2026-03-01", "kept until 2026-03-01")
scratchpad["answer"] = "Until 2026-03-01."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "2026-03-01" in sp["answer"])
"""
PRINTED_BY_SCRIPT = (
    "834\nrefused\n"  # Every 12th of PLAIN's 10,000 loans ends on that day.
)


def test_a_question_is_answered_from_a_server_and_replays_without_it(
    tmp_path: Path,
) -> None:
    (tmp_path / "notes.md").write_text("nothing\n")
    (tmp_path / "replies.toml").write_text(f"[[reply]]\ncode = {json.dumps(SCRIPT)}\n")
    (tmp_path / "server.py").write_text(PLAIN.read_text())
    answer = run_in_process(
        "ask",
        "Until when?",
        "notes.md",
        "--mcp",
        f"loans={sys.executable} server.py",
        "--model",
        "scripted:replies.toml",
        "--json",
        cwd=tmp_path,
        OPENAI_API_KEY="s3cret-key",
    )

    assert answer.code == 0, answer.err + answer.out
    (citation,) = answer.json["citations"]
    assert citation["path"].startswith("/mcp/loans/calls/loan/")
    assert citation["line"] is None

    (tmp_path / "server.py").unlink()
    replay = run_in_process("replay", "last", "--verify", cwd=tmp_path)
    assert replay.code == 0, replay.out
    trial = run_in_process(
        "replay", "last", "--trial", "ask", "--json", cwd=tmp_path
    ).json
    assert trial["steps"][0]["output"] == PRINTED_BY_SCRIPT

    journal = (tmp_path / answer.json["journal"]).read_text()
    assert "s3cret" not in journal
    assert "server.py" not in journal


LOAN_TASK = """
instruction = "Until when may loan-2 be kept?"
[mcp.loans]
[expected]
outcome = "OUTCOME_OK"
answer = "Until 2026-03-01."
"""
RUN_OF_LOAN_TASK = (
    "run",
    "--benchmark",
    "folder:tasks",
    "--model",
    "scripted:replies.toml",
)


@pytest.fixture
def loan_task(tmp_path: Path) -> None:
    """Write the task folder `tasks/loan`, which uses a server named `loans`, and the
    model's reply `replies.toml`, which solves the task if that server runs."""
    (tmp_path / "tasks/loan/files").mkdir(parents=True)
    (tmp_path / "tasks/loan/files/notes.md").write_text("nothing\n")
    (tmp_path / "tasks/loan/task.toml").write_text(LOAN_TASK)
    (tmp_path / "replies.toml").write_text(f"[[reply]]\ncode = {json.dumps(SCRIPT)}\n")


@pytest.mark.usefixtures("loan_task")
def test_a_task_names_a_server_and_the_users_configuration_starts_it(
    tmp_path: Path,
) -> None:
    without_server = run_in_process(*RUN_OF_LOAN_TASK, "--json", cwd=tmp_path)
    check_error_line(
        without_server,
        UsageError.exit_code,
        "tasks use the MCP server loans: name it with --mcp",
    )

    config = (
        "[mcp.loans]\n"
        f"command = {json.dumps(sys.executable)}\n"
        f"args = [{json.dumps(str(PLAIN))}]\n"
    )
    write_config(tmp_path / "controlplane.toml", config)
    run = run_in_process(*RUN_OF_LOAN_TASK, "--json", cwd=tmp_path)

    assert [trial["score"] for trial in run.json["trials"]] == [1.0], run.out


@pytest.mark.usefixtures("loan_task")
def test_a_run_whose_server_did_not_start_is_resumed_with_one_that_does(
    tmp_path: Path,
) -> None:
    failed_run = run_in_process(
        *RUN_OF_LOAN_TASK, "--mcp", "loans=/nowhere/server", cwd=tmp_path
    )
    assert failed_run.code == Unreachable.exit_code

    good_server = f"loans={sys.executable} {PLAIN}"
    resumed = run_in_process(
        "resume", "last", "--mcp", good_server, "--json", cwd=tmp_path
    )
    assert [trial["score"] for trial in resumed.json["trials"]] == [1.0], resumed.err


EXTENDING_SCRIPT = """
try:
    print(harness.loans.extend(number=2).text)
except HarnessError as refusal:
    print(refusal)
"""


@pytest.mark.parametrize(
    ("typed", "printed"),
    [
        ("y\n", "extended 2"),
        pytest.param("n\n", "--allow loans.extend", marks=pytest.mark.heavy),
    ],
)
def test_a_person_is_asked_before_a_tool_without_hints_is_called(
    tmp_path: Path, typed: str, printed: str
) -> None:
    (tmp_path / "notes.md").write_text("nothing\n")
    code = EXTENDING_SCRIPT + SCRIPT
    (tmp_path / "replies.toml").write_text(f"[[reply]]\ncode = {json.dumps(code)}\n")
    with Terminal(
        "ask",
        "Until when?",
        "notes.md",
        "--mcp",
        f"loans={sys.executable} {PLAIN}",
        "--model",
        "scripted:replies.toml",
        cwd=tmp_path,
        columns=120,
    ) as terminal:
        terminal.wait_for(
            r"May the script call loans\.extend\(number=2\)", timeout_s=60
        )
        terminal.type(typed)
        terminal.wait_for("Until 2026-03-01", timeout_s=60)
        assert terminal.finish() == 0
    trial = run_in_process(
        "replay", "last", "--trial", "ask", "--json", cwd=tmp_path
    ).json

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
    """Write a server into the folder and return how to start it.

    `tools` and `call` are the Python code with which it replies to the request `asked`
    for its list of tools and to a call of one; with "pass" a call gets no reply.
    """
    file = folder / "server.py"
    file.write_text(SERVER.replace("TOOLS", tools).replace("CALL", call))
    return ServerSpec(command=sys.executable, args=(str(file),))


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
    ("call", "reason"),
    [
        (FLOOD, "failed: .*closed"),
        (BLOCKS, "failed: the message is longer than .* or 60,000 values"),
        (LISTS, "failed: the message is longer than .* or 60,000 values"),
    ],
)
def test_a_flood_fails_its_call_and_takes_little(
    call: str, reason: str, tmp_path: Path
) -> None:
    access = ToolAccess({"db": spec_of(tmp_path, call)})
    with with_tools(Nothing(), access) as environment:
        before = resource.getrusage(resource.RUSAGE_SELF)
        with pytest.raises(CallError, match=rf"(?i)db\.look {reason}"):
            environment.call("db.look", {})
        after = resource.getrusage(resource.RUSAGE_SELF)

    assert after.ru_utime - before.ru_utime < 3  # seconds
    assert after.ru_maxrss - before.ru_maxrss < 200_000  # KiB


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
    """The server gives the same page of tools, with the same cursor, again and again."""
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
    # In quotation marks the note has 7,002 characters, of which 300 are shown.
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
    for secret in ("pa55word", "t0ps3cret", "abcdefgh", "user:"):
        assert secret not in str(refused.value)


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
    """A client that starts `controlplane mcp docs` and talks to it in JSON lines.

    It reads a reply only when a test calls `reply()`, so that replies can pile up unread.
    """

    def __init__(self, folder: Path) -> None:
        (folder / "docs").mkdir()
        (folder / "docs/loans.md").write_text("loan-02: kept until 2026-03-01\n")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "controlplane", "mcp", "docs"],
            cwd=folder,
            env=clean_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        info = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "c", "version": "1"},
        }
        self.send(id=0, method="initialize", params=info)
        assert "protocolVersion" in self.reply()["result"]
        self.send(method="notifications/initialized")

    def send(self, **message: object) -> None:
        """Send one message, such as `send(id=1, method="tools/list")`."""
        self.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def write(self, data: bytes) -> None:
        """Send bytes as they are, whether they are messages or not."""
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def call_tool(self, number: int, name: str, **arguments: str) -> None:
        """Send a call of a tool of the server. `number` is the id of its reply."""
        self.send(
            id=number,
            method="tools/call",
            params={"name": name, "arguments": arguments},
        )

    def cancel(self, number: int) -> None:
        """Send that the result of this call is not wanted any more."""
        self.send(method="notifications/cancelled", params={"requestId": number})

    def reply(self) -> dict[str, Any]:
        """Return the next message of the server."""
        message: dict[str, Any] = json.loads(self.process.stdout.readline())
        return message

    def reply_to(self, number: int) -> dict[str, Any]:
        """Return the reply to one call, and drop the messages before it."""
        while True:
            message = self.reply()
            if message["id"] == number:
                return message

    def close_input(self) -> None:
        """Close the server's standard input, which asks the server to end."""
        self.process.stdin.close()
        self.process.stdin = None  # `communicate` would flush a closed file.

    def peak_kb(self) -> int:
        """Return the most memory that the server's process had so far, in KiB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0])


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    """A client with a running server, which is killed after the test."""
    client = Client(tmp_path)
    try:
        yield client
    finally:
        client.process.kill()
        client.process.communicate()


# The server keeps 4 MB of a line at most. With what a parser needs for them, that stays
# below this growth; the longest line of the test alone has 60 MB.
MOST_GROWTH_KB = 25_000


def test_a_line_of_a_client_that_is_too_long_or_crowded_is_refused(
    client: Client,
) -> None:
    before_kb = client.peak_kb()
    for name, params, reason in (
        ("long", b'"' + b"x" * 60_000_000 + b'"', "longer than 4,000,000 bytes"),
        ("crowded", b"[" + b"{}," * 600_000 + b"{}]", "60,000 values"),
        ("deep", b"[" * 900_000 + b"]" * 900_000, "60,000 values"),
        ("list", b"[1]", "cannot be read"),  # The protocol has an object here.
    ):
        client.write(
            b'{"jsonrpc":"2.0","id":"%s","method":"tools/call","params":%s}\n'
            % (name.encode(), params)
        )
        reply = client.reply()
        assert reply["id"] == name
        assert reason in str(reply["error"])

    assert client.peak_kb() - before_kb < MOST_GROWTH_KB


def test_a_message_of_a_client_that_cannot_be_read_stops_no_other(
    client: Client,
) -> None:
    # Without an id that a reply could carry, there is no reply.
    client.write(b"[1, 2]\n")
    client.write(b"\xff\xfe{{{\n")
    client.write(b'{"jsonrpc":"2.0","id":null,"method":"tools/call"}\n')
    # Half of a surrogate pair is not a text.
    client.call_tool(2, "submit_answer", answer="\ud800", question_id="\ud800")
    client.send(id=3, method="tools/list")

    refusal = client.reply()
    assert refusal["id"] == 2
    assert "cannot be read" in str(refusal["error"])
    tool_list = client.reply()
    assert tool_list["id"] == 3
    assert "execute_script" in str(tool_list["result"])


@pytest.mark.second_tier
def test_few_questions_are_open_at_a_time(client: Client) -> None:
    one_too_many = bounds.MOST_OPEN_QUESTIONS + 1
    for number in range(one_too_many):
        client.call_tool(number + 1, "begin", question="?")
    results = [client.reply()["result"] for _ in range(one_too_many)]

    (refusal,) = [result for result in results if result.get("isError")]
    assert "questions are open" in str(refusal)


# A server that its user ends in the midst of its work may say so: 128 + SIGINT.
ENDED_BY_ITS_USER = (0, 130)


@pytest.mark.second_tier
@pytest.mark.parametrize("is_cancelled", [False, True])
@pytest.mark.parametrize("end", ["signal", "close"])
def test_a_server_with_400_unread_calls_ends(
    end: str, is_cancelled: bool, client: Client
) -> None:
    before_kb = client.peak_kb()
    for number in range(1, 401):
        client.call_tool(number, "execute_script", code="print('x' * 90_000)")
        if is_cancelled and number < 200:
            client.cancel(number)
    wait_until(lambda: client.peak_kb() > before_kb + 1_000)  # It is at work.

    if end == "signal":
        client.process.send_signal(signal.SIGTERM)
    else:
        client.close_input()

    assert client.process.wait(30) in ENDED_BY_ITS_USER


def test_a_call_that_is_cancelled_while_its_question_opens_holds_up_no_other(
    client: Client,
) -> None:
    client.call_tool(1, "execute_script", code="while True: pass")
    client.cancel(1)
    client.call_tool(2, "execute_script", code="print('next')")

    assert "next" in client.reply_to(2)["result"]["content"][0]["text"]


# Seconds within which an endless script must end, though it may run for 20 seconds.
# Idle machines take one.
SCRIPT_END_S = 5


def test_a_running_script_ends_when_its_call_is_cancelled(client: Client) -> None:
    client.call_tool(1, "execute_script", code="print(1)")
    assert client.reply()["id"] == 1
    client.call_tool(2, "execute_script", code="while True: pass")
    time.sleep(0.5)

    started_s = time.monotonic()
    client.cancel(2)
    client.call_tool(3, "execute_script", code="print('next')")

    assert "next" in client.reply_to(3)["result"]["content"][0]["text"]
    assert time.monotonic() - started_s < SCRIPT_END_S


def test_a_server_whose_input_closes_ends_though_a_script_runs(client: Client) -> None:
    client.call_tool(1, "execute_script", code="print(1)")
    assert client.reply()["id"] == 1
    client.call_tool(2, "execute_script", code="while True: pass")
    time.sleep(0.5)

    started_s = time.monotonic()
    client.close_input()

    assert client.process.wait(30) in ENDED_BY_ITS_USER
    assert time.monotonic() - started_s < SCRIPT_END_S


def test_many_connections_without_the_token_keep_nobody_out() -> None:
    bearer = {"Authorization": "Bearer open-sesame"}
    json_body = {"Content-Type": "application/json"}
    server = offered_server(ServerOffer([], ""), lambda *_: "")
    with (
        served_over_http(server, "open-sesame") as url,
        ExitStack() as open_connections,
    ):
        port = int(url.rpartition(":")[2].split("/")[0])
        connections = [
            open_connections.enter_context(
                socket.create_connection(("127.0.0.1", port), 20)
            )
            for _ in range(300)
        ]
        # Two clients stop in the midst of a request; the other 298 send nothing.
        connections[0].sendall(
            b"POST /mcp HTTP/1.1\r\nhost: x\r\n"
            b"authorization: Bearer open-sesame\r\ncontent-length: 9\r\n\r\n{"
        )
        connections[1].sendall(b"POST /mcp HTTP/1.1\r\nhost: x\r\n")

        overlong_body = b"[" + b"{}," * 1_400_000 + b"{}]"
        overlong = httpx2.post(url, content=overlong_body, headers=bearer | json_body)
        assert overlong.status_code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        without_token = httpx2.post(url, json={}, headers=json_body)
        assert without_token.status_code == HTTPStatus.UNAUTHORIZED
