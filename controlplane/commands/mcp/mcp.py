"""`controlplane mcp`: serve a sandbox over files to MCP clients."""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from controlplane.commands.arguments.options import (
    SOURCE_LIMITS,
    given_options,
    settings_options,
    tool_options,
)
from controlplane.commands.mcp.mcp_call import call_tool
from controlplane.commands.mcp.mcp_install import print_configuration
from controlplane.commands.mcp.question_runs import SESSION_S, QuestionRuns
from controlplane.errors import Interrupted, UsageError, as_usage_error, extra_module
from controlplane.lifecycle.run_signals import stop_on_signals
from controlplane.terminal_text import say

if TYPE_CHECKING:
    from controlplane.mcp.questions.question_server import QuestionServer

SIGNAL_LOOK_S: Final = 0.2
"""The pause between two looks for a signal."""


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

    address = HttpAddress.of(http) if http else None
    folder = _served_folder(words)
    runs = QuestionRuns(
        folder, pairs, tools, given_options(options), is_over_http=bool(http)
    )
    extra_module("mcp", "serving tools", "mcp")
    from controlplane.mcp.questions.question_server import QuestionServer

    _serve(QuestionServer(runs.tool_schema(), folder, runs.conduct), address)


@dataclass(frozen=True, slots=True)
class HttpAddress:
    host: str
    port: int

    @classmethod
    def of(cls, text: str) -> HttpAddress:
        """Return the address in `HOST:PORT`. Raises `UsageError`."""
        host, _, port = text.rpartition(":")
        if not host or not port.isdecimal():
            msg = f"--http {text}: write HOST:PORT, such as 127.0.0.1:8765"
            raise UsageError(msg)
        # `int` refuses thousands of digits.
        with as_usage_error(f"--http {text}", ValueError):
            return cls(host, int(port))


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


def _serve(server: QuestionServer, address: HttpAddress | None) -> None:
    """Serve over HTTP or on standard streams, until the client leaves or a signal comes."""
    ended = threading.Event()
    with stop_on_signals(ended.set):
        with _listening(server, address, ended):
            # On some platforms, a signal is not handled during a wait, so many short waits
            # replace a long one.
            while not ended.wait(SIGNAL_LOOK_S):
                pass
        all_runs_ended = server.close()
        if not all_runs_ended:
            # A script is still running. It ends with this process, and the journal is complete.
            os._exit(Interrupted.exit_code)


@contextmanager
def _listening(
    server: QuestionServer, address: HttpAddress | None, ended: threading.Event
) -> Iterator[None]:
    """Serve until the block ends. `ended` is set if a client on standard input leaves."""
    from controlplane.mcp.serving.http_serving import served_over_http
    from controlplane.mcp.serving.stdio_serving import serve_stdio

    def serve_streams() -> None:
        try:
            serve_stdio(server.server, ended.set)
        finally:
            ended.set()  # After an error, too.

    if address is None:
        threading.Thread(target=serve_streams, name="stdio", daemon=True).start()
        yield
        return
    host, port = address.host, address.port
    own_token = os.environ.get("CONTROLPLANE_MCP_TOKEN")
    token = own_token or secrets.token_urlsafe(24)
    with ExitStack() as stack:
        with as_usage_error(
            f"--http {host}:{port}", OSError, ValueError, OverflowError
        ):
            served = served_over_http(server.server, token, host, port)
            url = stack.enter_context(served)
        shown = "in CONTROLPLANE_MCP_TOKEN" if own_token else token
        say(f"serving {url} for the token {shown}", err=True)
        yield
