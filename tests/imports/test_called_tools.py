"""`controlplane mcp call TOOL` imports nothing that plays trials, so that a call is quick.

A program that works on a trial may start the command for each of its calls.
"""

from tests.support.command import run_python


def test_a_command_that_calls_a_tool_imports_nothing_that_plays_trials() -> None:
    """The two modules are that of the command, and the one by which it connects to the server."""
    program = """
import sys
import controlplane.commands.mcp.mcp
import controlplane.mcp.tool_server
print(*sys.modules)
"""

    result = run_python("-c", program)

    loaded_modules = result.out.split()
    assert "controlplane.mcp.tool_server" in loaded_modules, result.err
    for module in loaded_modules:
        assert not module.startswith("controlplane.agent.loop"), module
        assert not module.startswith("controlplane.lifecycle"), module
