"""The options that name MCP servers, as `tool_access` takes them, and a file of servers.

For example:

    tool_access(NO_OPTIONS | {"mcp": ("a=python server.py",)}).servers["a"].command    ->    "python"
"""

import json
from pathlib import Path
from typing import Any

NO_OPTIONS: dict[str, Any] = {"mcp": (), "mcp_config": None, "allow": (), "deny": ()}
"""The options as they are if the user gives none; tests add some with `|`."""


def config_file(folder: Path, servers: dict[str, dict[str, Any]]) -> str:
    """Write a file for `--mcp-config`, in the form that MCP clients share. Return its path."""
    file = folder / "servers.json"
    # With a byte order mark, as some editors save it.
    file.write_text(json.dumps({"mcpServers": servers}), encoding="utf-8-sig")
    return str(file)
