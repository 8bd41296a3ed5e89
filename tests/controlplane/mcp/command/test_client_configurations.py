"""`controlplane mcp install CLIENT docs` prints what a user pastes into the configuration of a client.

The client, such as Cursor, then starts the server for questions about the folder by this command:

    {"mcpServers": {"controlplane": {"command": "...", "args": [..., "mcp", "/home/me/docs"]}}}
"""

import json
import subprocess
import tomllib
from pathlib import Path

import pytest

from controlplane.errors import UsageError
from tests.support.command import check_error_line, run_in_process


def check_configuration(servers: dict[str, dict], folder: Path) -> None:
    """Check a client's table of servers: it has ours, for the folder, and its command works."""
    server = servers["controlplane"]
    *program_arguments, subcommand, served_folder = server["args"]

    assert subcommand == "mcp"
    assert served_folder == str(folder / "docs")
    help_page = subprocess.run(
        [server["command"], *program_arguments, "mcp", "--help"],
        cwd="/",
        check=True,
        capture_output=True,
        text=True,
    )
    assert "mcp" in help_page.stdout


@pytest.mark.parametrize(
    ("client", "table"),
    [
        ("claude-desktop", "mcpServers"),
        ("claude-code", "mcpServers"),
        ("cursor", "mcpServers"),
        ("vscode", "servers"),
    ],
)
def test_configuration_of_a_client_starts_our_server(
    folder: Path, client: str, table: str
) -> None:
    """Clients differ in the name of the table in which they look for servers."""
    result = run_in_process("mcp", "install", client, "docs", cwd=folder)

    configuration = json.loads(result.out)
    assert list(configuration) == [table]
    check_configuration(configuration[table], folder)


def test_configuration_of_codex_starts_our_server(folder: Path) -> None:
    """Its configuration is in TOML."""
    result = run_in_process("mcp", "install", "codex", "docs", cwd=folder)

    configuration = tomllib.loads(result.out)
    assert list(configuration) == ["mcp_servers"]
    check_configuration(configuration["mcp_servers"], folder)


def test_configuration_of_an_unknown_client_is_refused(folder: Path) -> None:
    """The error lists the clients that are known."""
    result = run_in_process("mcp", "install", "emacs", cwd=folder)

    check_error_line(result, UsageError.exit_code, "is one of claude-desktop")
