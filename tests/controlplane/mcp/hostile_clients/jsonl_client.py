"""A client of `controlplane mcp docs` that talks to it in JSON lines, as it likes.

    client = Client(folder)
    client.call_tool(1, "begin", question="?")      sends {"jsonrpc": "2.0", "id": 1, ...}
    client.reply()                                  returns {"id": 1, "result": {...}}

MCP's own library would send only what is right, and read each reply at once.
"""

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.support.command import clean_environment, start_in_environment


class Client:
    """Starts `controlplane mcp docs`. Reads a reply only when a test calls `reply()`."""

    def __init__(self, folder: Path, *, may_fork: bool = True) -> None:
        self.folder = folder
        (folder / "docs").mkdir()
        (folder / "docs/loans.md").write_text("loan-02: kept until 2026-03-01\n")
        self.process = start_in_environment(
            ["mcp", "docs"],
            cwd=folder,
            env=clean_environment(),
            may_fork=may_fork,
            stdin=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=False,
        )
        client_info = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "c", "version": "1"},
        }
        self.send(id=0, method="initialize", params=client_info)
        assert "protocolVersion" in self.reply()["result"]
        self.send(method="notifications/initialized")

    def send(self, **message: object) -> None:
        """Send one message: `send(id=1, method="tools/list")`."""
        self.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def write(self, data: bytes) -> None:
        """Send bytes as they are, whether they are messages or not."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def call_tool(self, number: int, name: str, **arguments: str) -> None:
        """Send a call of a tool of the server. `number` is the id of its reply."""
        self.send(
            id=number,
            method="tools/call",
            params={"name": name, "arguments": arguments},
        )

    def cancel(self, number: int) -> None:
        """Say that the result of this call is not wanted any more."""
        self.send(method="notifications/cancelled", params={"requestId": number})

    def reply(self) -> dict[str, Any]:
        """Return the next message of the server."""
        assert self.process.stdout is not None
        message: dict[str, Any] = json.loads(self.process.stdout.readline())
        return message

    def close_input(self) -> None:
        """Close the server's standard input, which asks the server to end."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.stdin = None  # `communicate` would flush a closed file.
