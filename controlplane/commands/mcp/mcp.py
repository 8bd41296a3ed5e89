"""`controlplane mcp`: serve a sandbox over files to MCP clients."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from controlplane.commands.arguments.pair_options import SOURCE_LIMITS
from controlplane.commands.arguments.setting_options import (
    given_options,
    settings_options,
)
from controlplane.commands.arguments.tool_options import tool_options
from controlplane.commands.mcp.mcp_call import call_tool
from controlplane.commands.mcp.mcp_install import print_configuration
from controlplane.commands.mcp.question_limits import SESSION_S
from controlplane.errors import UsageError, extra_module


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
@settings_options("trial_time", shown_default=str(SESSION_S))
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
        raise SystemExit(call_tool(words[1:]))
    if words[:1] == ("install",):
        print_configuration(words[1:])
        return

    # These modules import what plays trials, which the other two forms do not need: a program may
    # make many calls, each by a command of its own.
    from controlplane.commands.mcp.question_runs import QuestionRuns
    from controlplane.commands.mcp.question_serving import HttpAddress, serve_questions

    address = HttpAddress.of(http) if http else None
    folder = _served_folder(words)
    runs = QuestionRuns(
        folder, pairs, tools, given_options(options), is_over_http=bool(http)
    )
    extra_module("mcp", "serving tools", "mcp")
    from controlplane.mcp.questions.question_server import QuestionServer

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
