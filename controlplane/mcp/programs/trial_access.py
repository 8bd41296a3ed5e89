"""The MCP server of one trial, and the files that tell a program about it."""

from __future__ import annotations

import json
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from controlplane.mcp.serving.client_tools import changes_something, trial_tools
from controlplane.mcp.serving.http_serving import served_over_http
from controlplane.mcp.serving.offered_server import ServerOffer, offered_server
from controlplane.mcp.serving.trial_calls import TrialCalls
from controlplane.sandbox.files import write_whole
from controlplane.sandbox.interface import ToolSchema


@dataclass(frozen=True, slots=True)
class TrialAccess:
    """What a program needs to work on a trial."""

    address: str
    """The address of the trial's server."""
    token: str
    """What the program has to send with each request to the server."""
    config: Path
    """The file by which MCP clients find the server."""
    instruction: Path
    """The file with the first message, which a model would get at the start."""


@contextmanager
def served_trial(
    tool_schema: ToolSchema, calls: TrialCalls, first_message: str
) -> Iterator[TrialAccess]:
    """Serve the tools of a trial until the block ends."""
    token = secrets.token_urlsafe(24)
    offer = ServerOffer(
        trial_tools(tool_schema),
        instructions=first_message,
        reading=_reading_tools(tool_schema),
    )
    server = offered_server(offer, calls.result_of)
    with (
        served_over_http(server, token) as address,
        tempfile.TemporaryDirectory(prefix="controlplane-") as name,
    ):
        folder = Path(name)
        config = folder / "mcp.json"
        write_whole(config, _client_configuration(address, token), folder, mode=0o600)
        instruction = folder / "instruction"
        text = first_message.encode("utf-8", "replace")
        write_whole(instruction, text, folder, mode=0o600)
        yield TrialAccess(address, token, config, instruction)


def _reading_tools(tool_schema: ToolSchema) -> set[str]:
    """Return the names of the tools that change nothing.

    A client may call such a tool without asking its user.
    """
    return {
        operation.name
        for operation in tool_schema.operations
        if not changes_something(operation)
    }


def _client_configuration(address: str, token: str) -> bytes:
    """Return the content of a configuration file as MCP clients read it."""
    server = {
        "type": "http",
        "url": address,
        "headers": {"Authorization": f"Bearer {token}"},
    }
    return json.dumps({"mcpServers": {"trial": server}}).encode()
