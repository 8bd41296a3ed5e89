"""`controlplane mcp install CLIENT docs` prints what a user pastes into the configuration of a client.

The client, such as Cursor, then starts the server for questions about the folder by this command:

    {"mcpServers": {"controlplane": {"command": "...", "args": [..., "mcp", "/home/me/docs"]}}}
"""

import json
import sys
import tomllib
from pathlib import Path

import pytest

from controlplane.errors import UsageError
from tests.support.command import check_error_line, run_in_process, run_program


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the subfolder `docs`, which questions can be about."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/loans.md").write_text("- loan-02: kept until 2026-03-01.\n")
    return tmp_path


# A mistake in the words of `controlplane mcp`, or of a run for its clients, is refused in one line.
#
# For example:
#
#     controlplane mcp --http 8765    ->    ... --http 8765: write HOST:PORT, such as 127.0.0.1:8765


@pytest.mark.parametrize(
    ("arguments", "expected_error"),
    [
        pytest.param(["mcp", "gone"], "no such folder", id="unknown folder"),
        pytest.param(["mcp", "a", "b"], "takes one folder", id="two folders"),
        pytest.param(
            ["mcp", "--http", "8765"],
            "--http 8765: write HOST:PORT, such as 127.0.0.1:8765",
            id="no host",
        ),
        pytest.param(["mcp", "--http", ":8765"], "write HOST:PORT", id="empty host"),
        pytest.param(
            ["mcp", "--http", "127.0.0.1:99999"],
            "--http 127.0.0.1:99999: ",
            id="impossible port",
        ),
        pytest.param(
            ["mcp", "--http", "192.0.2.1:80"],
            "--http 192.0.2.1:80: ",
            id="address of another machine",
        ),
        pytest.param(
            ["mcp", "call", "read"], "CONTROLPLANE_MCP_URL", id="call without a server"
        ),
        pytest.param(
            ["run", "--agent", "command:"], "names no program", id="no program"
        ),
        pytest.param(
            ["run", "--agent", "client:stdio"],
            "only the clients of `controlplane mcp` work on its trials",
            id="run for a client",
        ),
    ],
)
def test_usage_error_is_one_line(
    folder: Path, arguments: list[str], expected_error: str
) -> None:
    """The line names the mistake, and what to write instead."""
    result = run_in_process(*arguments, cwd=folder)

    check_error_line(result, UsageError.exit_code, expected_error)


def printed_configuration(client: str, folder: Path) -> str:
    """Return what is printed for a client.

    No program `controlplane` is found at this PATH, so the command names Python and our module.
    """
    words = ["mcp", "install", client, "docs"]
    return run_in_process(*words, cwd=folder, PATH="/nonexistent").out


def servers_with_ours(folder: Path) -> dict[str, dict]:
    """Return a client's table of servers with the one for the folder."""
    arguments = ["-P", "-m", "controlplane", "mcp", str(folder / "docs")]
    return {"controlplane": {"command": sys.executable, "args": arguments}}


@pytest.mark.parametrize(
    ("client", "table"),
    [
        ("claude-desktop", "mcpServers"),
        ("claude-code", "mcpServers"),
        ("cursor", "mcpServers"),
        ("vscode", "servers"),
    ],
)
def test_configuration_of_a_client_names_our_server(
    folder: Path, client: str, table: str
) -> None:
    """Clients differ in the name of the table in which they look for servers."""
    configuration = json.loads(printed_configuration(client, folder))

    assert configuration == {table: servers_with_ours(folder)}


def test_configuration_of_codex_names_our_server(folder: Path) -> None:
    """Its configuration is in TOML."""
    configuration = tomllib.loads(printed_configuration("codex", folder))

    assert configuration == {"mcp_servers": servers_with_ours(folder)}


def test_command_of_a_configuration_starts_our_program(folder: Path) -> None:
    """The PATH is that of the user, who may have installed the program. No PYTHONPATH is set."""
    result = run_in_process("mcp", "install", "cursor", "docs", cwd=folder)
    server = result.json["mcpServers"]["controlplane"]
    words = [server["command"], *server["args"][:-1], "--help"]  # without the folder

    help_page = run_program(words, Path("/"), PYTHONPATH="")

    assert help_page.code == 0, help_page.err
    assert "mcp" in help_page.out


def test_configuration_of_an_unknown_client_is_refused(folder: Path) -> None:
    """The error lists the clients that are known."""
    result = run_in_process("mcp", "install", "emacs", cwd=folder)

    check_error_line(result, UsageError.exit_code, "is one of claude-desktop")
