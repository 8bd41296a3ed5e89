"""The command line of `controlplane mcp`: its errors, and the configuration of MCP clients.

`controlplane mcp docs` serves questions about a folder. `controlplane mcp install cursor docs`
prints what a user pastes into the configuration of a client, so that the client starts it.
"""

import json
import subprocess
import tomllib
from pathlib import Path

import pytest

from controlplane.errors import UsageError
from tests.support.command import check_error_line, run_in_process


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the subfolder `docs`, which questions can be about."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/loans.md").write_text("- loan-02: kept until 2026-03-01.\n")
    return tmp_path


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


class TestClientConfiguration:
    """`controlplane mcp install CLIENT docs` prints a table for the client's configuration.

    For Cursor: `{"mcpServers": {"controlplane": {"command": "...", "args": [..., "mcp",
    "/home/me/docs"]}}}`. The client starts our server by this command.
    """

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
        self, folder: Path, client: str, table: str
    ) -> None:
        """Clients differ in the name of the table in which they look for servers."""
        result = run_in_process("mcp", "install", client, "docs", cwd=folder)

        configuration = json.loads(result.out)
        assert list(configuration) == [table]
        check_configuration(configuration[table], folder)

    def test_configuration_of_codex_starts_our_server(self, folder: Path) -> None:
        """Its configuration is in TOML."""
        result = run_in_process("mcp", "install", "codex", "docs", cwd=folder)

        configuration = tomllib.loads(result.out)
        assert list(configuration) == ["mcp_servers"]
        check_configuration(configuration["mcp_servers"], folder)

    def test_configuration_of_an_unknown_client_is_refused(self, folder: Path) -> None:
        """The error lists the clients that are known."""
        result = run_in_process("mcp", "install", "emacs", cwd=folder)

        check_error_line(result, UsageError.exit_code, "is one of claude-desktop")
