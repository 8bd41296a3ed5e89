"""Servers and clients that send too much or wait too long, and secrets that stay where they belong."""

import os
import resource
import sys
import time
from pathlib import Path

import pytest

from agent.model import DEADLINE
from controlplane.errors import ServerFailed, UsageError
from controlplane.mcp.server_specs import ServerSpec, ToolAccess, environment_for_servers, without_secrets
from controlplane.mcp.tool_environment import ToolEnvironment, with_tools
from sandbox import CALL_ENDS
from sandbox.interface import CallError, Surface

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
ENDLESS = (
    'say(id=asked["id"], result={"tools": [{"name": "a", "description": "x" * 1_000_000} | HINTS], "nextCursor": "n"})'
)
FLOOD = """while True: say(method="notifications/message", params={"level": "info", "data": "x"})"""
BLOCKS = """say(id=asked["id"], result={"content": [{"type": "text", "text": ""}] * 100_000})"""
LISTS = """say(id=asked["id"], result={"content": [[]] * 800_000})"""


class Nothing:
    surface = Surface(operations=())

    def call(self, operation: str, arguments: object) -> dict[str, object]:
        raise CallError("unimplemented", operation)


def spec_of(folder: Path, call: str = "pass", tools: str = LISTED) -> ServerSpec:
    place = folder / "server.py"
    place.write_text(SERVER.replace("TOOLS", tools).replace("CALL", call))
    return ServerSpec(command=sys.executable, args=(str(place),))


@pytest.mark.parametrize("ends", [CALL_ENDS, DEADLINE], ids=["the step", "the trial"])
def test_calls_end_with_the_step_and_the_trial(ends: object, tmp_path: Path) -> None:
    with with_tools(Nothing(), ToolAccess({"db": spec_of(tmp_path)})) as made:  # type: ignore[arg-type]
        began, before = time.monotonic(), ends.get()  # type: ignore[attr-defined]
        reset = ends.set(began + 0.6)  # type: ignore[attr-defined]
        try:
            for _ in range(4):
                with pytest.raises(CallError, match=r"db\.look gave no answer within"):
                    made.call("db.look", {})
        finally:
            ends.reset(reset)  # type: ignore[attr-defined]
        assert (time.monotonic() - began < 2, ends.get()) == (True, before)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (FLOOD, "failed: .*closed"),
        (BLOCKS, "failed: its reply cannot be read"),
        (LISTS, "failed: its reply cannot be read"),
    ],
)
def test_a_flood_fails_its_call_and_takes_little(call: str, said: str, tmp_path: Path) -> None:
    with with_tools(Nothing(), ToolAccess({"db": spec_of(tmp_path, call)})) as made:  # type: ignore[arg-type]
        usage = resource.getrusage(resource.RUSAGE_SELF)
        with pytest.raises(CallError, match=rf"(?i)db\.look {said}"):
            made.call("db.look", {})
        now = resource.getrusage(resource.RUSAGE_SELF)
        assert (now.ru_utime - usage.ru_utime < 3, now.ru_maxrss - usage.ru_maxrss < 200_000) == (True, True)


def test_a_list_of_tools_without_end_is_not_read_on(tmp_path: Path) -> None:
    access = ToolAccess({"db": spec_of(tmp_path, tools=ENDLESS)})
    with pytest.raises(ServerFailed, match="its list of tools is longer than"), with_tools(Nothing(), access):  # type: ignore[arg-type]
        pass


@pytest.mark.parametrize("name", ["db.drop-table", "db.drop_table", "db.drop*"])
def test_a_tool_is_denied_by_either_of_its_names(name: str, tmp_path: Path) -> None:
    access = ToolAccess({"db": spec_of(tmp_path)}, deny=(name,))
    with with_tools(Nothing(), access) as made:  # type: ignore[arg-type]
        assert isinstance(made, ToolEnvironment)
        assert made.surface.operation("db.drop_table") is None
        assert made.surface.operation("db.look") is not None


@pytest.mark.parametrize("option", ["allow", "deny"])
def test_a_name_that_no_tool_has_is_refused(option: str, tmp_path: Path) -> None:
    access = ToolAccess({"db": spec_of(tmp_path)}, **{option: ("db.drop-tables",)})  # type: ignore[arg-type]
    said = rf"--{option} db\.drop-tables: the server db has no such tool; did you mean"
    with pytest.raises(UsageError, match=said), with_tools(Nothing(), access):  # type: ignore[arg-type]
        pass


def test_an_address_is_told_without_its_secrets() -> None:
    url = "http://user:pa55word@127.0.0.1:9/mcp?token=t0ps3cret"
    access = ToolAccess({"far": ServerSpec(url=url, headers={"Authorization": "Bearer abcdefgh"})})
    with pytest.raises(ServerFailed) as refused, with_tools(Nothing(), access):  # type: ignore[arg-type]
        pass
    assert "http://127.0.0.1:9/mcp" in str(refused.value)
    assert not [word for word in ("pa55word", "t0ps3cret", "abcdefgh", "user:") if word in str(refused.value)]


def test_servers_inherit_no_keys_and_a_program_prints_none(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "SSH_AUTH_SOCK", "UV_PUBLISH_TOKEN"):
        monkeypatch.setenv(name, f"secret-of-{name}")
    inherited = environment_for_servers()
    assert [name for name, value in inherited.items() if value.startswith("secret-of-")] == []
    assert inherited["PATH"] == os.environ["PATH"]
    assert without_secrets("key: secret-of-GITHUB_TOKEN.") == "key: ***."
