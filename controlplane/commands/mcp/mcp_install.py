"""`controlplane mcp install`: the configuration by which a client starts our server."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.errors import UsageError
from controlplane.terminal_text import say


@dataclass(frozen=True, slots=True)
class McpClient:
    """A program that uses MCP servers, and the file in which it looks for them."""

    file: str
    key: str
    """The key of the file below which each server has an entry."""


CLIENTS: Final = {
    "claude-desktop": McpClient("claude_desktop_config.json", "mcpServers"),
    "claude-code": McpClient(".mcp.json", "mcpServers"),
    "cursor": McpClient(".cursor/mcp.json", "mcpServers"),
    "vscode": McpClient(".vscode/mcp.json", "servers"),
    "codex": McpClient("~/.codex/config.toml", "mcp_servers"),
}
"""The clients that `controlplane mcp install` knows, by the names that the user writes."""


def print_configuration(words: tuple[str, ...]) -> None:
    """Print what a client needs to start this server: an entry for its configuration file.

    `words` are the client, and the folder to serve if it is not the working folder. The
    name of the file goes to standard error.
    """
    name = words[0] if words else ""
    if name not in CLIENTS or len(words) > 2:
        msg = f"controlplane mcp install CLIENT [DIR]: CLIENT is one of {', '.join(CLIENTS)}"
        raise UsageError(msg)
    client = CLIENTS[name]
    folder = words[1] if len(words) > 1 else "."
    command, *arguments = _own_command_line()
    entry = {
        "command": command,
        "args": [*arguments, "mcp", os.path.realpath(folder)],
    }

    say(f"add this to {client.file}:", err=True)
    if client.file.endswith(".toml"):
        lines = [f"[{client.key}.controlplane]"]
        lines += [f"{key} = {_toml_value(value)}" for key, value in entry.items()]
        say("\n".join(lines))
    else:
        say(json.dumps({client.key: {"controlplane": entry}}, indent=2))


def _own_command_line() -> list[str]:
    """Return the words that start this program: its file, or Python and our module's name."""
    program = shutil.which(sys.argv[0])
    if program:
        return [os.path.abspath(program)]  # noqa: PTH100 - a link may belong to a virtual environment
    return [sys.executable, "-P", "-m", "controlplane"]


def _toml_value(value: Sequence[str]) -> str:
    """Return a text, or a list of texts, as TOML writes it.

    Characters that are not printable become escapes, so that the user sees everything that
    is copied.
    """
    text = ""
    for character in json.dumps(value, ensure_ascii=False):
        if not character.isprintable():
            character = f"\\U{ord(character):08x}"
        text += character
    return text
