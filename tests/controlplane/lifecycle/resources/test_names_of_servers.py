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

import sys
from pathlib import Path

import pytest

from controlplane.errors import UsageError
from tests.support.command import ROOT, CommandRunner, check_error_line


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
    result = run_command_here(
        "run",
        "sku-lookup.1",
        "--model",
        model,
        "--mcp",
        f"loans={sys.executable} {ROOT / 'tests/support/loans_server.py'}",
        option,
        value,
    )

    check_error_line(result, UsageError.exit_code, f"did you mean {nearest_name!r}")
    assert not (tmp_path / "runs").exists()
