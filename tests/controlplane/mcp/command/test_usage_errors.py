"""A mistake in the words of `controlplane mcp`, or of a run for its clients, is refused in one line.

For example:

    controlplane mcp --http 8765    ->    ... --http 8765: write HOST:PORT, such as 127.0.0.1:8765
"""

from pathlib import Path

import pytest

from controlplane.errors import UsageError
from tests.support.command import check_error_line, run_in_process


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
