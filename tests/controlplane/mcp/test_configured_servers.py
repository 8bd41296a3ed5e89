"""Servers in a file of `--mcp-config`, with the keys that other programs have for them.

What a key means is followed, or the key is refused by name: whoever writes `"disabledTools": ["drop"]`
relies on it.

    configured(folder, {"serverUrl": "https://x/mcp"}).url    ->    "https://x/mcp"
"""

import json
from pathlib import Path
from typing import Any

import pytest

from controlplane.errors import UsageError
from controlplane.mcp.server_specs import ServerSpec
from controlplane.mcp.tool_access import ToolAccess, tool_access
from controlplane.mcp.tool_environment import with_tools
from controlplane.sandbox.interface import CallError
from tests.controlplane.mcp.small_servers import (
    EmptyEnvironment,
    small_server,
    start_and_end_servers,
)


def access_of(folder: Path, servers: object, table: str = "mcpServers") -> ToolAccess:
    """Return the servers of a file."""
    file = folder / "servers.json"
    file.write_text(json.dumps({table: servers}))
    options = {"mcp": (), "mcp_config": str(file), "allow": (), "deny": ()}
    access = tool_access(options)
    assert access is not None
    return access


def configured(folder: Path, fields: dict[str, Any]) -> ServerSpec:
    """Return the only server of a file."""
    (spec,) = access_of(folder, {"db": fields}).servers.values()
    return spec


# Keys that are followed.


@pytest.mark.parametrize(
    ("fields", "field", "expected"),
    [
        pytest.param({"serverUrl": "https://x/mcp"}, "url", "https://x/mcp", id="url"),
        pytest.param(
            {"url": "https://x/mcp", "type": "streamableHttp"},
            "url",
            "https://x/mcp",
            id="type",
        ),
        pytest.param(
            {"command": "x", "transport": "stdio"}, "command", "x", id="stdio"
        ),
        pytest.param({"command": "x", "cwd": "/srv"}, "cwd", "/srv", id="cwd"),
        pytest.param({"command": "${env:KEY}"}, "command", "k1", id="variable"),
        pytest.param(
            {"command": "x", "args": ["--dir=${NONE:-/tmp}", "${KEY}"]},
            "args",
            ("--dir=/tmp", "k1"),
            id="default",
        ),
        pytest.param(
            {"url": "https://x/mcp", "headers": {"X-Key": "Bearer ${env:KEY}"}},
            "headers",
            {"X-Key": "Bearer k1"},
            id="header",
        ),
        pytest.param(
            {"command": "x", "disabledTools": ["drop"]},
            "withheld_tools",
            ("drop",),
            id="disabled tools",
        ),
        pytest.param(
            {"command": "x", "tools": {"drop": False, "look": True}},
            "withheld_tools",
            ("drop",),
            id="table of tools",
        ),
        pytest.param(
            {"command": "x", "includeTools": ["look"]},
            "offered_tools",
            ("look",),
            id="included tools",
        ),
        pytest.param(
            {"command": "x", "alwaysAllow": ["drop"]},
            "allowed_tools",
            ("drop",),
            id="allowed tools",
        ),
        pytest.param(
            {"command": "x", "trust": True}, "allowed_tools", ("*",), id="trusted"
        ),
        pytest.param({"command": "x", "trust": False}, "allowed_tools", (), id="not"),
        pytest.param(
            {"command": "x", "timeout": 30_000}, "call_s", 30, id="milliseconds"
        ),
        pytest.param({"command": "x", "timeout": 30}, "call_s", 30, id="seconds"),
        pytest.param(
            {"command": "x", "description": "costs $5", "_note": 1, "//": "mine"},
            "command",
            "x",
            id="labels",
        ),
    ],
)
def test_key_of_another_program_is_followed(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fields: dict[str, Any],
    field: str,
    expected: object,
) -> None:
    monkeypatch.setenv("KEY", "k1")

    assert getattr(configured(tmp_path, fields), field) == expected


def test_variables_of_a_file_are_passed_on(tmp_path: Path) -> None:
    """Those of `env` count more. The file is looked for beside the configuration."""
    lines = ["# keys", "", "export A=1", "B='x # y'", 'C = "z"', "D="]
    (tmp_path / "db.env").write_text("\n".join(lines))
    fields = {"command": "x", "env": {"A": "2"}, "envFile": "db.env"}

    spec = configured(tmp_path, fields)

    assert spec.env == {"A": "2", "B": "x # y", "C": "z", "D": ""}


def test_servers_of_an_editor_are_found(tmp_path: Path) -> None:
    access = access_of(tmp_path, {"db": {"command": "x"}}, table="servers")

    assert list(access.servers) == ["db"]


def test_variable_of_a_server_that_is_off_is_not_needed(tmp_path: Path) -> None:
    servers = {
        "on": {"command": "x"},
        "off": {"command": "${NOT_THERE}", "disabled": True},
    }

    assert list(access_of(tmp_path, servers).servers) == ["on"]


def test_tools_that_a_configuration_withholds_are_not_offered(tmp_path: Path) -> None:
    spec = small_server(tmp_path)  # It has the tools `drop-table` and `look`.
    servers = {
        "a": spec.model_copy(update={"withheld_tools": ("drop*",)}),
        "b": spec.model_copy(update={"offered_tools": ("look",)}),
    }

    with with_tools(EmptyEnvironment(), ToolAccess(servers)) as environment:
        names = {operation.name for operation in environment.tool_schema.operations}

    assert {"a.look", "b.look"} <= names
    assert not {"a.drop_table", "b.drop_table"} & names


def test_wrong_name_of_a_withheld_tool_is_refused(tmp_path: Path) -> None:
    """Otherwise the tool that is meant would be offered."""
    spec = small_server(tmp_path).model_copy(
        update={"withheld_tools": ("drop_tables",)}
    )

    with pytest.raises(UsageError, match="drop_tables: the server has no such tool"):
        start_and_end_servers(ToolAccess({"db": spec}))


def test_tool_that_a_configuration_allows_is_called(tmp_path: Path) -> None:
    functions = """
def list_tools(request):
    changing = {"annotations": {"readOnlyHint": False}}
    send_result(request, {"tools": [tool("pay") | changing, tool("move") | changing]})

def call_tool(request):
    send_result(request, {"content": [{"type": "text", "text": "done"}]})
"""
    spec = small_server(tmp_path, functions)
    access = ToolAccess({"db": spec.model_copy(update={"allowed_tools": ("pay",)})})

    with with_tools(EmptyEnvironment(), access) as environment:
        assert environment.call("db.pay", {})["text"] == "done"
        with pytest.raises(CallError, match="was not allowed"):
            environment.call("db.move", {})


def test_call_ends_after_the_timeout_of_its_server(tmp_path: Path) -> None:
    """The server gives no reply."""
    spec = small_server(tmp_path).model_copy(update={"call_s": 0.2})

    with (
        with_tools(EmptyEnvironment(), ToolAccess({"db": spec})) as environment,
        pytest.raises(CallError, match=r"no answer within 0\.2 s"),
    ):
        environment.call("db.look", {})


# Keys that are refused, by name.


@pytest.mark.parametrize(
    ("fields", "expected_error"),
    [
        pytest.param({"oauth": {}}, "db: oauth is not known here", id="login"),
        pytest.param({"disabledtools": []}, "did you mean 'disabled_tools'", id="typo"),
        pytest.param({"type": "sse"}, "the transport 'sse' is not spoken", id="sse"),
        pytest.param({"type": "http"}, "type 'http' needs a url", id="wrong type"),
        pytest.param(
            {"env": {"A": "${workspaceFolder}/a"}},
            "env: the environment has no workspaceFolder",
            id="variable of an editor",
        ),
        pytest.param(
            {"env": {"A": "${input:key}"}}, r"\$\{input:key\} is not known", id="input"
        ),
        pytest.param({"args": ["${NOT_THERE}"]}, "has no NOT_THERE", id="no value"),
        pytest.param({"env": {"A": "$TOKEN"}}, r"write \$\{TOKEN\}", id="shell"),
        pytest.param({"env": {"A": "%TOKEN%"}}, r"write \$\{TOKEN\}", id="cmd"),
        pytest.param({"env": {"PORT": 8080}}, r"db: env\.PORT: ", id="number"),
        pytest.param(
            {"timeout": 120_000},
            "timeout: Input should be less than or equal to 60",
            id="long",
        ),
        pytest.param(
            {"timeout": "1m"}, "timeout: Input should be a valid number", id="words"
        ),
        pytest.param({"envFile": "gone.env"}, "envFile .*gone.env", id="no file"),
        pytest.param({"envFile": "odd.env"}, "line 1: it is no NAME=", id="odd file"),
        pytest.param(
            {"alwaysAllow": ["a"], "autoApprove": ["b"]},
            "autoApprove says again",
            id="twice",
        ),
        pytest.param({"autoApprove": "a"}, "allowed_tools or autoApprove", id="text"),
    ],
)
def test_key_that_is_not_followed_is_refused_by_name(
    tmp_path: Path, fields: dict[str, Any], expected_error: str
) -> None:
    (tmp_path / "odd.env").write_text("A=$(id)\n")

    with pytest.raises(UsageError, match=expected_error):
        configured(tmp_path, {"command": "x", **fields})
