"""The options `--allow` and `--deny` name tools of MCP servers, by their names or by patterns.

`--allow db.*` allows scripts to call all tools of the server `db`. A name that no tool has is refused:

    --allow db.drop-tables    ->    the server db has no such tool; did you mean ...
"""

from pathlib import Path

import pytest

from controlplane.errors import UsageError
from controlplane.mcp.tool_access import ToolAccess, matches_any, tool_access
from tests.controlplane.mcp.empty_environment import start_and_end_servers
from tests.controlplane.mcp.server_options.option_values import NO_OPTIONS
from tests.controlplane.mcp.small_servers import small_server


def test_allowed_tools_are_those_that_a_pattern_matches() -> None:
    options = {"mcp": ("db=x",), "allow": ("db.*",)}

    access = tool_access(NO_OPTIONS | options)

    assert access is not None
    assert matches_any(access.allow, ["db.drop"])
    assert not matches_any(access.allow, ["a.drop"])


@pytest.mark.parametrize("option", ["allow", "deny"])
def test_option_with_a_misspelt_tool_suggests_the_right_one(
    option: str, tmp_path: Path
) -> None:
    """The server has the tool `drop-table`."""
    server = small_server(tmp_path)
    access = ToolAccess({"db": server}, **{option: ("db.drop-tables",)})
    expected_error = (
        rf"--{option} db\.drop-tables: the server db has no such tool; did you mean"
    )

    with pytest.raises(UsageError, match=expected_error):
        start_and_end_servers(access)
