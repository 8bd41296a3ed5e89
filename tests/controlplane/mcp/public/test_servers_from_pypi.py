"""Tools of two public MCP servers from PyPI can be called by scripts.

The servers are examples by the authors of MCP, the Model Context Protocol: one tells the time, and one
reads a git repository. The tests are skipped if a server cannot be downloaded, and run only with
`--heavy`.
"""

import subprocess
from pathlib import Path

import pytest

from controlplane.mcp.server_specs import ServerSpec
from tests.controlplane.mcp.public.called_tool import check_tool
from tests.controlplane.mcp.public.public_packages import install_from_pypi
from tests.support.command import clean_environment

pytestmark = [pytest.mark.heavy, pytest.mark.second_tier]


def test_tool_of_the_time_server_from_pypi_can_be_called(
    tmp_path: Path, foreign_programs: Path
) -> None:
    # The server was written for version 1 of the library `mcp`.
    programs = install_from_pypi(foreign_programs, "mcp-server-time", "mcp<2")
    program = programs / "mcp-server-time"
    spec = ServerSpec(command=str(program), cwd=str(tmp_path))

    check_tool(spec, "get_current_time", {"timezone": "UTC"}, "UTC")


def test_tool_of_the_git_server_from_pypi_can_be_called(
    tmp_path: Path, foreign_programs: Path
) -> None:
    """The server reads the repository in its folder, which has one commit."""
    # The server was written for version 1 of the library `mcp`.
    programs = install_from_pypi(foreign_programs, "mcp-server-git", "mcp<2")
    program = programs / "mcp-server-git"
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c"]
    commit = [*git, "commit", "-q", "--allow-empty", "-m", "the first loan"]
    for command in (["git", "init", "-q"], commit):
        subprocess.run(command, cwd=tmp_path, check=True, env=clean_environment())
    spec = ServerSpec(
        command=str(program), args=("--repository", "."), cwd=str(tmp_path)
    )

    check_tool(spec, "git_log", {"repo_path": "."}, "the first loan")
