"""The options that name MCP servers, and the tools of them that scripts may call.

`--mcp loans="python server.py"` names a server; `--mcp-config` names a file of them.
`--allow loans.extend` lets scripts call a tool that changes something; without it, the user
is asked. The tests also show that no server gets a key of the user, and that none is shown.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from controlplane.errors import ServerFailed, UsageError
from controlplane.mcp.offered_servers import with_tools
from controlplane.mcp.program_secrets import environment_for_servers, without_secrets
from controlplane.mcp.server_specs import ServerSpec
from controlplane.mcp.tool_access import ToolAccess, matches_any, tool_access
from controlplane.sandbox.interface import CallError
from tests.controlplane.mcp.small_servers import (
    EmptyEnvironment,
    small_server,
    start_and_end_servers,
)

NO_OPTIONS: dict[str, Any] = {"mcp": (), "mcp_config": None, "allow": (), "deny": ()}
"""The options as they are if the user gives none; tests add some with `|`."""


class TestNamedServers:
    """Options and a file name the servers of a run, and how each is started.

    `--mcp "a=python 'b c'"` gives a command, `--mcp web=https://x/mcp` an address, and
    `--mcp-config servers.json` a file: `{"mcpServers": {"db": {"command": "x", "args":
    ["y"]}}}`.
    """

    def test_no_options_mean_no_servers(self) -> None:
        """Then a run starts nothing, and scripts have no tools of servers."""
        assert tool_access(NO_OPTIONS) is None

    def test_flag_names_the_command_or_the_address_of_a_server(self) -> None:
        """A command is split into words as in a shell."""
        options = {"mcp": ("a=python 'b c'", "web=https://x/mcp")}

        access = tool_access(NO_OPTIONS | options)

        assert access is not None
        assert access.servers["a"].command == "python"
        assert access.servers["a"].args == ("b c",)
        assert access.servers["web"].url == "https://x/mcp"

    def test_token_of_a_server_is_taken_from_the_environment(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """For the server `web`, it is in MCP_WEB_TOKEN."""
        monkeypatch.setenv("MCP_WEB_TOKEN", "t0ken")

        access = tool_access(NO_OPTIONS | {"mcp": ("web=https://x/mcp",)})

        assert access is not None
        assert access.servers["web"].headers == {"Authorization": "Bearer t0ken"}

    def test_variables_in_a_file_of_servers_are_replaced(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """`${NO:-y}` is `y` if there is no variable NO."""
        monkeypatch.setenv("LOANS_KEY", "s3cret")
        database = {
            "command": "x",
            "args": ["${LOANS_KEY}", "${NO:-y}"],
            "type": "stdio",
        }
        file = config_file(tmp_path, {"db": database})

        access = tool_access(NO_OPTIONS | {"mcp_config": file})

        assert access is not None
        assert access.servers["db"].args == ("s3cret", "y")


class TestNamesForScripts:
    """A server `brave-search` is `harness.brave_search` in scripts.

    Messages to the user keep the name that the user has given.
    """

    def test_names_of_servers_become_names_that_scripts_can_write(
        self, tmp_path: Path
    ) -> None:
        """Scripts cannot write `harness.brave-search`. Options may have either name."""
        file = config_file(
            tmp_path,
            {
                "brave-search": {"command": "x"},
                "awslabs.core-mcp-server": {"command": "y"},
            },
        )
        allow = ("brave-search.web", "awslabs.core-mcp-server.*", "brave_search.news")

        access = tool_access(NO_OPTIONS | {"mcp_config": file, "allow": allow})

        assert access is not None
        assert list(access.servers) == ["brave_search", "awslabs_core_mcp_server"]
        assert access.allow == (
            "brave_search.web",
            "awslabs_core_mcp_server.*",
            "brave_search.news",
        )
        assert access.user_names["brave_search"] == "brave-search"


def config_file(folder: Path, servers: dict[str, dict[str, Any]]) -> str:
    """Write a file for `--mcp-config`, in the form that MCP clients share. Return its path."""
    file = folder / "servers.json"
    # With a byte order mark, as some editors save it.
    file.write_text(json.dumps({"mcpServers": servers}), encoding="utf-8-sig")
    return str(file)


TOOL_THAT_PAYS = """
def list_tools(request):
    properties = {
        "note": {"type": "string"},
        "to": {"type": "string"},
        "amount": {"type": "integer"},
    }
    pay = {"name": "pay", "inputSchema": {"type": "object", "properties": properties}}
    send_result(request, {"tools": [pay]})
"""
"""A server with a tool `pay`, which does not say that it only reads."""


class TestPermissions:
    """The options `--allow` and `--deny` name tools; about others, the user may be asked.

    A tool that does not say that it only reads may change something. It is called only if an
    option or the user allows it.
    """

    def test_allowed_tools_are_those_that_a_pattern_matches(self) -> None:
        """`--allow db.*` allows all tools of the server `db`."""
        options = {"mcp": ("db=x",), "allow": ("db.*",)}

        access = tool_access(NO_OPTIONS | options)

        assert access is not None
        assert matches_any(access.allow, ["db.drop"])
        assert not matches_any(access.allow, ["a.drop"])

    @pytest.mark.parametrize("option", ["allow", "deny"])
    def test_option_with_a_misspelt_tool_suggests_the_right_one(
        self, option: str, tmp_path: Path
    ) -> None:
        """The server has the tool `drop-table`."""
        server = small_server(tmp_path)
        access = ToolAccess({"db": server}, **{option: ("db.drop-tables",)})
        expected_error = (
            rf"--{option} db\.drop-tables: the server db has no such tool; did you mean"
        )

        with pytest.raises(UsageError, match=expected_error):
            start_and_end_servers(access)

    def test_user_who_is_asked_about_a_call_sees_all_of_its_arguments(
        self, tmp_path: Path
    ) -> None:
        """A long note must not hide the amount, and a name must not hide what it is.

        The name in `to` has a Cyrillic letter between Latin ones, and an escape sequence that
        would clear the line of a terminal.
        """
        questions: list[str] = []

        def refuse(question: str) -> bool:
            questions.append(question)
            return False

        note = "thanks " * 1_000
        arguments = {"note": note, "to": "b\u043eb\x1b[2K", "amount": 999_999}
        server = small_server(tmp_path, TOOL_THAT_PAYS)
        access = ToolAccess({"bank": server}, approve=refuse)
        with (
            with_tools(EmptyEnvironment(), access) as environment,
            pytest.raises(CallError, match="not allowed"),
        ):
            environment.call("bank.pay", arguments)

        (question,) = questions
        assert "amount=999999" in question
        shown_chars = 300  # of each argument
        hidden_chars = len(repr(note)) - shown_chars
        assert f"[{hidden_chars:,} further characters are not shown]" in question
        assert "letters of different scripts" in question
        assert "\x1b" not in question


class TestRefusedOptions:
    """A mistake in the options is an error before any server is started.

    A server is a program, which could change something. `tool_access(options)` reads the options
    and the file of servers, and starts nothing.
    """

    @pytest.mark.parametrize(
        ("option", "expected_error"),
        [
            pytest.param({"mcp": ("x",)}, "NAME=COMMAND", id="no command"),
            pytest.param({"mcp": ("-=y",)}, "has letters or digits", id="no name"),
            pytest.param({"mcp": ("x='",)}, "cannot be read", id="open quotation"),
            pytest.param(
                {"allow": ("db.x",)}, "name tools as NAME.TOOL", id="unknown server"
            ),
            pytest.param(
                {"mcp_config": "."}, "cannot be read: Is a directory", id="folder"
            ),
        ],
    )
    def test_invalid_option_is_refused(
        self,
        option: dict[str, Any],
        expected_error: str,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """It is refused before a server is started."""
        monkeypatch.chdir(tmp_path)

        with pytest.raises(UsageError, match=expected_error):
            tool_access(NO_OPTIONS | option)

    def test_file_of_servers_that_is_too_long_is_refused(self, tmp_path: Path) -> None:
        """The file has a terabyte of zeros, which take no room on the disk."""
        terabyte = 1 << 40
        file = tmp_path / "endless.json"
        with file.open("wb") as endless:
            endless.truncate(terabyte)

        with pytest.raises(UsageError, match="longer than 1,000,000 bytes"):
            tool_access(NO_OPTIONS | {"mcp_config": str(file)})

    def test_file_of_servers_with_an_unset_variable_is_refused(
        self, tmp_path: Path
    ) -> None:
        """An empty text in its place could mean something else to the server."""
        database = {"command": "x", "args": ["${NOT_THERE}"], "type": "stdio"}
        file = config_file(tmp_path, {"db": database})

        with pytest.raises(UsageError, match="has no NOT_THERE"):
            tool_access(NO_OPTIONS | {"mcp_config": file})


@pytest.fixture
def environment_with_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set some variables whose values are keys, all of which contain "secret-of-"."""
    for name in (
        "OPENAI_API_KEY",
        "GITHUB_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "SSH_AUTH_SOCK",
        "UV_PUBLISH_TOKEN",
    ):
        monkeypatch.setenv(name, f"secret-of-{name}")
    monkeypatch.setenv("UV_INDEX_URL", "https://u:secret-of-@host/simple")


class TestSecrets:
    """No server gets a key of the user, and no message or record shows one.

    Keys are known by the names of their variables, such as GITHUB_TOKEN, and by their place in an
    address, as in `http://user:pa55word@host`.
    """

    def test_error_shows_an_address_without_its_secrets(self) -> None:
        """The server cannot be reached. Its address has a password and a token."""
        url = "http://user:pa55word@127.0.0.1:9/mcp?token=t0ps3cret"
        spec = ServerSpec(url=url, headers={"Authorization": "Bearer abcdefgh"})

        with pytest.raises(ServerFailed) as caught:
            start_and_end_servers(ToolAccess({"far": spec}))

        assert "http://127.0.0.1:9/mcp" in str(caught.value)
        for secret in ("pa55word", "t0ps3cret", "abcdefgh", "user:"):
            assert secret not in str(caught.value)

    @pytest.mark.usefixtures("environment_with_keys")
    def test_servers_inherit_the_environment_without_keys(self) -> None:
        """A server is a program of others, which must not get the user's keys."""
        inherited = environment_for_servers()

        for value in inherited.values():
            assert "secret-of-" not in value
        assert inherited["PATH"] == os.environ["PATH"]

    @pytest.mark.usefixtures("environment_with_keys")
    def test_key_in_the_output_of_a_program_is_replaced(self) -> None:
        """What a server prints may be shown and recorded."""
        assert without_secrets("key: secret-of-GITHUB_TOKEN.") == "key: ***."
