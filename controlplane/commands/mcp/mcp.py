"""`controlplane mcp`: serve a sandbox over files to MCP clients."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click

from controlplane.commands.arguments.options import (
    SOURCE_LIMITS,
    tool_options,
)
from controlplane.commands.arguments.setting_options import (
    given_options,
    settings_options,
)
from controlplane.errors import ServerFailed, Unreachable, UsageError, extra_module
from controlplane.sandbox.interface import CallError
from controlplane.sandbox.interface.foreign_documents import Unreadable, read_json
from controlplane.terminal_text import say

_SESSION_S: Final = 86_400.0
"""A day: the time limit of a question, whose client may wait for a person between two calls.
It takes the place of that of a run with a model."""


# `controlplane mcp call`: call a tool of the server that the environment names.
#
# A program that works on a trial (`--agent command:...`) is started with the variables
# CONTROLPLANE_MCP_URL and CONTROLPLANE_MCP_TOKEN. By this command, a shell script can call tools.


def _call_tool(words: tuple[str, ...]) -> int:
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
    from controlplane.mcp.tool_server import running_server

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


# `controlplane mcp install`: the configuration by which a client starts our server.


@dataclass(frozen=True, slots=True)
class _McpClient:
    """A program that uses MCP servers, and the file in which it looks for them."""

    file: str
    key: str
    """The key of the file below which each server has an entry."""


_CLIENTS: Final = {
    "claude-desktop": _McpClient("claude_desktop_config.json", "mcpServers"),
    "claude-code": _McpClient(".mcp.json", "mcpServers"),
    "cursor": _McpClient(".cursor/mcp.json", "mcpServers"),
    "vscode": _McpClient(".vscode/mcp.json", "servers"),
    "codex": _McpClient("~/.codex/config.toml", "mcp_servers"),
}
"""The clients that `controlplane mcp install` knows, by the names that the user writes."""


def _print_configuration(words: tuple[str, ...]) -> None:
    """Print what a client needs to start this server: an entry for its configuration file.

    `words` are the client, and the folder to serve if it is not the working folder. The
    name of the file goes to standard error.
    """
    name = words[0] if words else ""
    if name not in _CLIENTS or len(words) > 2:
        msg = f"controlplane mcp install CLIENT [DIR]: CLIENT is one of {', '.join(_CLIENTS)}"
        raise UsageError(msg)
    client = _CLIENTS[name]
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


# The first option decorator passes the servers and allowed tools as `tools`, the last one
# `--set` as `pairs`. Each other adds settings, which arrive in `options`.
@click.command("mcp")
@click.argument(
    "words", nargs=-1, metavar="[DIR | install CLIENT [DIR] | call TOOL JSON]"
)
@click.option(
    "--http",
    metavar="HOST:PORT",
    help="Serve over HTTP, for the token in CONTROLPLANE_MCP_TOKEN.",
)
@tool_options
@settings_options("gates", "rule_sets", "provenance", "reads")
@settings_options("fallback", "isolation", "step_time")
@settings_options("trial_time", shown_default=str(_SESSION_S))
@settings_options("runs_dir", "name")
@SOURCE_LIMITS
def mcp_command(
    words: tuple[str, ...],
    *,
    http: str | None,
    pairs: dict[str, str],
    tools: dict[str, Any],
    **options: Any,
) -> None:
    """Serve `begin`, `execute_script` and `submit_answer` over the files of DIR (the
    working folder) to MCP clients.

    It serves on standard input and output until the client leaves, or over HTTP until a
    signal ends it. Each question is a run with one trial: its answer passes the gates,
    and its journal replays. `controlplane mcp install CLIENT` prints the configuration
    of a client, and `controlplane mcp call TOOL JSON` calls a tool of the server that
    CONTROLPLANE_MCP_URL and CONTROLPLANE_MCP_TOKEN name, and prints the result.
    """
    # The last two forms are not commands of their own, so that `controlplane mcp DIR` works.
    if words[:1] == ("call",):
        raise SystemExit(_call_tool(words[1:]))
    if words[:1] == ("install",):
        _print_configuration(words[1:])
        return

    # These modules import what plays trials, which the other two forms do not need: a program may
    # make many calls, each by a command of its own.
    from controlplane.commands.mcp.question_runs import (
        HttpAddress,
        QuestionRuns,
        serve_questions,
    )

    address = HttpAddress.of(http) if http else None
    folder = _served_folder(words)
    flags = {"trial_time": _SESSION_S, **given_options(options)}
    runs = QuestionRuns(folder, pairs, tools, flags, is_over_http=bool(http))
    extra_module("mcp", "serving tools", "mcp")
    from controlplane.mcp.questions import QuestionServer

    serve_questions(QuestionServer(runs.tool_schema(), folder, runs.conduct), address)


def _served_folder(words: tuple[str, ...]) -> Path:
    """Return the folder that the user names, or the working folder. Raises `UsageError`."""
    if len(words) > 1:
        msg = f"controlplane mcp takes one folder, not {' '.join(words)!r}"
        raise UsageError(msg)
    name = words[0] if words else "."
    folder = Path(os.path.realpath(Path(name).expanduser()))
    if not folder.is_dir():
        msg = f"{folder}: there is no such folder"
        raise UsageError(msg)
    return folder
