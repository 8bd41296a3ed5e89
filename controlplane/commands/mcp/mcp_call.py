"""`controlplane mcp call`: call a tool of the server that the environment names.

A program that works on a trial (`--agent command:...`) is started with the variables
CONTROLPLANE_MCP_URL and CONTROLPLANE_MCP_TOKEN. By this command, a shell script can call tools.
"""

from __future__ import annotations

import os
from typing import Any

from controlplane.errors import ServerFailed, Unreachable, UsageError
from controlplane.sandbox.interface import CallError
from controlplane.sandbox.interface.foreign_documents import Unreadable, read_json
from controlplane.terminal_text import say


def call_tool(words: tuple[str, ...]) -> int:
    """Call a tool, print the result, and return the exit code: 1 if the tool failed.

    `words` are the tool and its arguments as JSON.
    """
    address = os.environ.get("CONTROLPLANE_MCP_URL", "")
    if len(words) not in (1, 2) or not address:
        msg = (
            "controlplane mcp call TOOL JSON needs a server in CONTROLPLANE_MCP_URL, "
            "as in a program of --agent"
        )
        raise UsageError(msg)
    tool = words[0]
    arguments = _arguments_from(words[1]) if len(words) > 1 else {}

    # This module imports asyncio, which other commands do not need.
    from controlplane.mcp.server_specs import ServerSpec
    from controlplane.mcp.servers.server_start import running_server

    # A header needs some value. Without a token, the server refuses the call.
    token = os.environ.get("CONTROLPLANE_MCP_TOKEN") or "none"
    spec = ServerSpec(url=address, headers={"Authorization": f"Bearer {token}"})
    try:
        with running_server("trial", spec) as server:  # The name is for error messages.
            result = server.call(tool, arguments)
    except (ServerFailed, CallError) as error:
        msg = (
            f"the server at {address} does not answer, or its token is not "
            f"CONTROLPLANE_MCP_TOKEN ({error})"
        )
        raise Unreachable(msg) from error
    say("\n".join(getattr(block, "text", "") for block in result.content))
    return 1 if result.is_error else 0


def _arguments_from(text: str) -> dict[str, Any]:
    """Return the arguments that a JSON object holds. Raises `UsageError` for anything else."""
    msg = f"controlplane mcp call: the arguments must be a JSON object, not {text!r}"
    try:
        arguments = read_json(text)
    except Unreadable as error:
        raise UsageError(msg) from error
    if not isinstance(arguments, dict):
        raise UsageError(msg)
    return arguments
