"""Names of a server's tools in a run's settings are checked before the run is recorded.

The MCP server `loans` has the tool `extend`, which takes a `number`. `--deny loans.exten` would
forbid nothing, so the run is refused: "did you mean 'loans.extend'". Names are misspelt in these
options:

    --allow TOOL                  scripts may call the tool
    --deny TOOL                   scripts must not call the tool
    --reads TOOL                  the tool changes nothing
    --provenance RULE,TOOL=RULE   a rule for all tools, and another one for this tool; the rule
                                  only:ARGUMENT checks no other argument of the tool
"""

import shlex
from pathlib import Path

import pytest

from controlplane.errors import UsageError
from tests.controlplane.mcp.small_servers import small_server
from tests.support.command import CommandRunner, check_error_line

TOOL_EXTEND = """
def list_tools(request):
    extend = tool("extend")
    extend["inputSchema"]["properties"] = {"number": {"type": "integer"}}
    send_result(request, {"tools": [extend]})
"""
"""The function by which the server lists its only tool."""


@pytest.mark.parametrize(
    ("option", "value", "nearest_name"),
    [
        ("--allow", "loans.exten", "loans.extend"),
        ("--deny", "loans.exten", "loans.extend"),
        ("--deny", "loan.extend", "loans"),
        ("--reads", "loans.exten", "loans.extend"),
        ("--provenance", "block,loans.exten=off", "loans.extend"),
        ("--provenance", "block,loans.extend=only:numbr", "number"),
    ],
)
def test_a_misspelt_name_of_a_tool_is_refused_with_the_nearest(
    option: str,
    value: str,
    nearest_name: str,
    model: str,
    run_command_here: CommandRunner,
    tmp_path: Path,
) -> None:
    loans = small_server(tmp_path, TOOL_EXTEND)

    result = run_command_here(
        "run",
        "sku-lookup.1",
        "--model",
        model,
        "--mcp",
        f"loans={shlex.join([loans.command, *loans.args])}",
        option,
        value,
    )

    check_error_line(result, UsageError.exit_code, f"did you mean {nearest_name!r}")
    assert not (tmp_path / "runs").exists()
