"""A tool of each of four public MCP servers, which are downloaded, can be called by scripts.

The servers are examples by the authors of MCP, the Model Context Protocol. The tests are skipped if a server
cannot be downloaded, and run only with `--heavy`.
"""

import subprocess
from pathlib import Path

import pytest

from controlplane.mcp.offered_servers import with_tools
from controlplane.mcp.server_specs import ServerSpec
from controlplane.mcp.tool_access import ToolAccess
from tests.controlplane.mcp.public.public_packages import (
    install_from_pypi,
    npx_command,
    run_npx,
)
from tests.controlplane.mcp.small_servers import EmptyEnvironment
from tests.support.command import clean_environment

pytestmark = [pytest.mark.heavy, pytest.mark.second_tier]


def check_tool(
    spec: ServerSpec, tool: str, arguments: dict[str, object], expected_text: str
) -> None:
    """Check that a tool is offered to scripts and can be called, and that its result has a text.

    The server is given the name `it`: `check_tool(spec, "echo", {"message": "due"}, "due")` calls
    `it.echo`.
    """
    access = ToolAccess({"it": spec}, allow=("it.*",))
    with with_tools(EmptyEnvironment(), access) as environment:
        operations = environment.tool_schema.operations
        result = environment.call(f"it.{tool}", arguments)

    assert f"it.{tool}" in [operation.name for operation in operations]
    assert expected_text in str(result)
    assert environment.notices == []


@pytest.mark.parametrize(
    ("package", "program", "tool", "arguments", "expected_text"),
    [
        pytest.param(
            "@modelcontextprotocol/server-everything",
            "mcp-server-everything",
            "echo",
            {"message": "due"},
            "due",
            id="everything",
        ),
        pytest.param(
            "@modelcontextprotocol/server-memory",
            "mcp-server-memory",
            "read_graph",
            {},
            "entities",
            id="memory",
        ),
    ],
)
def test_tool_of_a_server_from_npm_can_be_called(
    tmp_path: Path,
    package: str,
    program: str,
    tool: str,
    arguments: dict[str, object],
    expected_text: str,
) -> None:
    # Any command with the package downloads it. The server then starts at once.
    run_npx(package, "node", "--version", cwd=tmp_path)
    command = npx_command(package, program)
    spec = ServerSpec(command=command[0], args=tuple(command[1:]), cwd=str(tmp_path))

    check_tool(spec, tool, arguments, expected_text)


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
