"""Tools of two public MCP servers from npm can be called by scripts.

The servers are examples by the authors of MCP, the Model Context Protocol. The tests are skipped if a
server cannot be downloaded, and run only with `--heavy`.
"""

from pathlib import Path

import pytest

from controlplane.mcp.server_specs import ServerSpec
from tests.controlplane.mcp.public.called_tool import check_tool
from tests.controlplane.mcp.public.public_packages import npx_command, run_npx

pytestmark = [pytest.mark.heavy, pytest.mark.second_tier]


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
