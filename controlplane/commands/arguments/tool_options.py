"""The options of commands about MCP servers: which servers there are, and which tools may be called.

`--mcp "db=uvx mcp-server-sqlite" --allow db.write_query` adds a server, and allows one of its tools.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import click

from controlplane.configuration.run_settings import SERVER_OPTIONS


def tool_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command these four options. It gets their values as one mapping, `tools`.

    `{"mcp": ("db=uvx …",), "mcp_config": None, "allow": ("db.write_query",), "deny": ()}`; the
    function `tool_access` makes servers of it.
    """

    @click.option(
        "--mcp",
        multiple=True,
        metavar="NAME=COMMAND|URL",
        help="An MCP server whose tools scripts call.",
    )
    @click.option(
        "--mcp-config",
        type=click.Path(),
        metavar="FILE",
        help="Servers in the usual mcpServers format.",
    )
    @click.option(
        "--allow",
        multiple=True,
        metavar="NAME.TOOL",
        help="Call this tool even if it may change things.",
    )
    @click.option(
        "--deny",
        multiple=True,
        metavar="NAME.TOOL",
        help="Never call this tool of a server.",
    )
    @functools.wraps(command)
    def with_tools(*arguments: Any, **options: Any) -> None:
        tools = {name: options.pop(name) for name in SERVER_OPTIONS}
        command(*arguments, **options, tools=tools)

    return with_tools
