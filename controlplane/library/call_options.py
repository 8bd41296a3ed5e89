"""The keyword arguments of the library's functions: settings, and options about MCP servers.

`run("desk", model="m", mcp=["db=uvx mcp-server-sqlite"])` -> the setting `model` and the option `mcp`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from controlplane.configuration.run_settings import RunSettings
from controlplane.configuration.setting_sources import resolve
from controlplane.errors import (
    UsageError,
    did_you_mean,
)

if TYPE_CHECKING:
    from controlplane.lifecycle.playing_again import Consent
    from controlplane.mcp.tool_access import ToolAccess


SERVER_OPTIONS = ("mcp", "mcp_config", "allow", "deny")
"""The options that name MCP servers and their tools, as on the command line."""
MAX_NAMES_SHOWN = 8


@dataclass(frozen=True, slots=True)
class _Options:
    """The keyword arguments of a function of the library."""

    settings: dict[str, Any]
    """The values of settings."""
    servers: dict[str, Any]
    """The values of `SERVER_OPTIONS`, each an empty tuple if it is not given."""


def options_of(keywords: Mapping[str, Any]) -> _Options:
    """Return the settings and the server options. Raises `UsageError` for any other name.

    `{"model": "m", "mcp": ["db=…"]}` -> the settings `{"model": "m"}`, and `mcp` among the servers.
    """
    servers = {name: keywords.get(name) or () for name in SERVER_OPTIONS}
    settings = {
        name: value for name, value in keywords.items() if name not in SERVER_OPTIONS
    }
    for name in settings:
        if name not in RunSettings.model_fields:
            hint = did_you_mean(name, RunSettings.model_fields, most=MAX_NAMES_SHOWN)
            msg = f"there is no setting {name!r}{hint}"
            raise UsageError(msg)
    return _Options(settings, servers)


def consent_of(options: _Options) -> Consent:
    """Return the consent of a program that continues a journal's run: to the servers that it names.

    Servers in controlplane.toml count as well. The journal itself has to be the user's own.
    """
    from controlplane.lifecycle.playing_again import Consent
    from controlplane.mcp.tool_access import tool_access

    configured_servers = resolve({}, os.environ, Path.cwd()).mcp
    access: ToolAccess | None = tool_access(options.servers, configured_servers)
    return Consent(tools=access)
