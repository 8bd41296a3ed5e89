"""A public MCP server for files answers a question, and is started again if it is killed.

A script calls its tool as `harness.it.read_text_file(path="/tmp/files/loan.txt")`. The server is
downloaded from npm; the test is skipped if that fails, and runs only with `--heavy`.
"""

import os
from pathlib import Path

import pytest

from controlplane.mcp.server_specs import ServerSpec
from tests.controlplane.mcp.public.answered_question import check_question
from tests.controlplane.mcp.public.killed_server import check_server_that_is_killed
from tests.controlplane.mcp.public.public_packages import npx_command, run_npx

pytestmark = [pytest.mark.heavy, pytest.mark.second_tier]


def test_file_server_from_npm_is_used_and_started_again(tmp_path: Path) -> None:
    """The server reads files below a folder. Its tools say that they only read."""
    package = "@modelcontextprotocol/server-filesystem"
    # Any command with the package downloads it. The server then starts at once.
    run_npx(package, "node", "--version", cwd=tmp_path)
    folder = Path(os.path.realpath(tmp_path)) / "files"
    folder.mkdir()
    file = folder / "loan.txt"
    file.write_text("loan-02 is due on 2026-04-01\n")
    command = npx_command(package, "mcp-server-filesystem", folder)

    check_server_that_is_killed(
        ServerSpec(command=command[0], args=tuple(command[1:])),
        operation="it.read_text_file",
        arguments={"path": str(file)},
        expected_text="2026-04-01",
        command_part=str(folder),
    )
    check_question(
        tmp_path,
        " ".join(command),
        f"""
harness.it.list_allowed_directories()
harness.it.list_directory(path={str(folder)!r})
result = harness.it.read_text_file(path={str(file)!r})
""",
    )
