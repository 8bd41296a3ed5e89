"""`controlplane view`: show runs in the browser while they happen."""

from __future__ import annotations

import os
import secrets
import sys
import threading
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from controlplane.commands.arguments.options import RUNS_DIR
from controlplane.configuration.run_names import find_journal, runs_folder
from controlplane.errors import UsageError
from controlplane.journal.journal_files import journal_id
from controlplane.package_version import install_command
from controlplane.terminal_text import say

if TYPE_CHECKING:
    from controlplane.report.server.watched_folder import WatchedFolder

_MAX_CONNECTIONS: Final = 64
"""Far more than one user's browser opens, so that other programs cannot use up all memory."""


@click.command("view")
@click.argument("target", metavar="[DIR|RUN]", required=False)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    help="The port.  [default: a free one]",
)
@click.option("--no-open", is_flag=True, help="Print the address and open no browser.")
@RUNS_DIR
def view_command(
    target: str | None, port: int, no_open: bool, runs_dir: str | None
) -> None:
    """Show runs in the browser while they happen: all of a folder, or RUN alone, every
    step a click away.

    The pages are served to this machine only, and change nothing. The first address
    holds a token that becomes a cookie. Ctrl-C ends it.
    """
    try:
        from controlplane.report.server.view_server import Gatekeeper, view_app
        from controlplane.web_host import WebHost, listen
    except ModuleNotFoundError as error:
        msg = f"view needs {error.name}: {install_command('view')}"
        raise UsageError(msg) from error

    watched, page = _watched(target, runs_dir)
    try:
        listening = listen("127.0.0.1", port)
    except OSError as error:
        msg = f"cannot listen on port {port} of 127.0.0.1: {error.strerror}; choose another with --port"
        raise UsageError(msg) from error
    own_port = listening.getsockname()[1]  # The free port that was chosen, if 0.
    token = secrets.token_urlsafe(24)
    address = f"http://127.0.0.1:{own_port}{page}?token={token}"
    say(f"view     {address}\n         Ctrl-C ends it")
    sys.stdout.flush()
    if not no_open:
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    os.nice(5)  # runs beside the server have priority
    app = view_app(watched, _page_of_loop, Gatekeeper(token, own_port))
    host = WebHost(
        app,
        listening,
        most_connections=_MAX_CONNECTIONS,
        ends_within_s=1,
        log_level="error",
    )
    host.run()


def _watched(target: str | None, runs_dir: str | None) -> tuple[WatchedFolder, str]:
    """Return the runs to show, of a folder or a single one, and the address of the first page.

    `"runs/"` -> all runs of that folder, and `/`. `"monday"` -> one run, and `/runs/monday`. Raises
    `UsageError`.
    """
    from controlplane.report.server.watched_folder import WatchedFolder

    if target is None:
        return WatchedFolder(runs_folder(runs_dir)), "/"
    if Path(target).is_dir():
        return WatchedFolder(Path(target)), "/"
    if "/" in target and not Path(target).exists():
        msg = f"there is no folder or journal {target}"
        raise UsageError(msg)
    journal = find_journal(target, runs_dir)
    return WatchedFolder(journal.parent, journal), f"/runs/{journal_id(journal)}"


def _page_of_loop(path: Path) -> str:
    """Return the page of a loop of `improve`, as HTML."""
    from controlplane.improving.loop_page import loop_page  # slow to import

    return "".join(loop_page(path).pieces)
