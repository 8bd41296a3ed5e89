"""Checks that an MCP server works, and that it is started again once if its process is killed.

    check_server_that_is_killed(
        spec, operation="it.echo", arguments={"message": "due"}, expected_text="due",
        command_part="server.py",
    )

The server is named `it`; `command_part` is a part of its command, by which its process is found.
"""

import re

import psutil
import pytest

from controlplane.mcp.server_specs import ServerSpec
from controlplane.mcp.tool_access import ToolAccess
from controlplane.mcp.tool_environment import with_tools
from controlplane.sandbox.interface import CallError
from tests.controlplane.mcp.empty_environment import EmptyEnvironment


def kill_processes(command_part: str) -> int:
    """Kill the processes below this one whose command has this part. Return their number."""
    count = 0
    for process in psutil.Process().children(recursive=True):
        if command_part in " ".join(process.cmdline()):
            process.kill()
            count += 1
    return count


def check_server_that_is_killed(
    spec: ServerSpec,
    *,
    operation: str,
    arguments: dict[str, object],
    expected_text: str,
    command_part: str,
) -> None:
    """Check that a server named `it` works, and is started again once if it is killed.

    A killed server fails the next call; after the second time, it is not started again.
    `command_part` is a part of its command, by which its process is found. `expected_text` is in
    the result of a call."""
    access = ToolAccess({"it": spec}, allow=("it.*",))
    with with_tools(EmptyEnvironment(), access) as environment:
        result = environment.call(operation, arguments)
        assert expected_text in str(result["text"])
        assert str(result["call_path"]).startswith("/mcp/it/calls/")

        failed = f"{re.escape(operation)} failed: .*"
        assert kill_processes(command_part) > 0
        with pytest.raises(CallError, match=f"{failed}was started anew"):
            environment.call(operation, arguments)
        result_of_new_server = environment.call(operation, arguments)
        assert expected_text in str(result_of_new_server["text"])

        assert kill_processes(command_part) > 0
        with pytest.raises(CallError, match=f"{failed}has ended again"):
            environment.call(operation, arguments)
