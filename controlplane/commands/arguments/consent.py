"""What the user allows a run to take from a journal."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from controlplane.configuration.setting_sources import resolve
from controlplane.lifecycle.run_plan import Consent
from controlplane.mcp.tool_access import ToolAccess, tool_access
from controlplane.view.progress.approval import approve_on_terminal


def tools_of_now(tools: Mapping[str, Any]) -> ToolAccess | None:
    """Return the MCP servers that the options and controlplane.toml name now.

    The journal also names the servers of the run, but anyone may have written it: no
    server is started because a journal names it.
    """
    return tool_access(dict(tools), resolve({}, os.environ, Path.cwd()).mcp)


def consent_for(tools: Mapping[str, Any], *, is_trusted: bool) -> Consent:
    """Return what the user allows a new run to take from the journal of its parent."""
    return Consent(is_trusted, tools_of_now(tools), approve_on_terminal)
