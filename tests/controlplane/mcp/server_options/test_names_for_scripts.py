"""An MCP server `brave-search` is `harness.brave_search` in scripts, since Python has no such names.

The options `--allow` and `--deny` may name a tool in either way: `brave-search.web`, or
`brave_search.web`. Messages to the user keep the name that the user has given.
"""

from pathlib import Path

from controlplane.mcp.tool_access import tool_access
from tests.controlplane.mcp.server_options.option_values import NO_OPTIONS, config_file


def test_names_of_servers_become_names_that_scripts_can_write(tmp_path: Path) -> None:
    """Scripts cannot write `harness.brave-search`. Options may have either name."""
    file = config_file(
        tmp_path,
        {
            "brave-search": {"command": "x"},
            "awslabs.core-mcp-server": {"command": "y"},
        },
    )
    allow = ("brave-search.web", "awslabs.core-mcp-server.*", "brave_search.news")

    access = tool_access(NO_OPTIONS | {"mcp_config": file, "allow": allow})

    assert access is not None
    assert list(access.servers) == ["brave_search", "awslabs_core_mcp_server"]
    assert access.allow == (
        "brave_search.web",
        "awslabs_core_mcp_server.*",
        "brave_search.news",
    )
    assert access.user_names["brave_search"] == "brave-search"
