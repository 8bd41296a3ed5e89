"""Options and a file name the MCP servers of a run, and how each is started.

An MCP server is a program that offers tools, which scripts of the model can call.

    --mcp "a=python 'b c'"          a command that starts the server `a`
    --mcp web=https://x/mcp         the address of a server that is running
    --mcp-config servers.json       a file: {"mcpServers": {"db": {"command": "x", "args": ["y"]}}}
"""

from pathlib import Path

import pytest

from controlplane.mcp.tool_access import tool_access
from tests.controlplane.mcp.server_options.option_values import NO_OPTIONS, config_file


def test_no_options_mean_no_servers() -> None:
    """Then a run starts nothing, and scripts have no tools of servers."""
    assert tool_access(NO_OPTIONS) is None


def test_flag_names_the_command_or_the_address_of_a_server() -> None:
    """A command is split into words as in a shell."""
    options = {"mcp": ("a=python 'b c'", "web=https://x/mcp")}

    access = tool_access(NO_OPTIONS | options)

    assert access is not None
    assert access.servers["a"].command == "python"
    assert access.servers["a"].args == ("b c",)
    assert access.servers["web"].url == "https://x/mcp"


def test_token_of_a_server_is_taken_from_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """For the server `web`, it is in MCP_WEB_TOKEN."""
    monkeypatch.setenv("MCP_WEB_TOKEN", "t0ken")

    access = tool_access(NO_OPTIONS | {"mcp": ("web=https://x/mcp",)})

    assert access is not None
    assert access.servers["web"].headers == {"Authorization": "Bearer t0ken"}


def test_variables_in_a_file_of_servers_are_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
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
