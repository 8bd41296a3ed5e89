"""`controlplane view`: serves the pages of a folder's runs to this machine's browser."""

from __future__ import annotations

import os
import socket
import sys
import threading
import webbrowser
from contextlib import suppress
from pathlib import Path

import click

from controlplane.commands.options import RUNS_DIR, find_journal
from controlplane.configuration.run_settings import runs_folder
from controlplane.errors import UsageError


@click.command("view")
@click.argument("target", metavar="[DIR|RUN]", required=False)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="The port.  [default: a free one]")
@click.option("--no-open", is_flag=True, help="Print the address and open no browser.")
@RUNS_DIR
def view_command(target: str | None, port: int, no_open: bool, runs_dir: str | None) -> None:
    """Show runs in the browser while they happen: all of a folder, or RUN alone, every step a click away.

    The pages are served to this machine only, and change nothing. The first address holds a token that becomes a
    cookie. Ctrl-C ends it.
    """
    try:
        import uvicorn

        from controlplane.report.view_server import Pages, new_token
        from controlplane.report.watched_runs import WatchedFolder
    except ModuleNotFoundError as error:
        msg = f"view needs {error.name}: pip install 'grounded-control-plane[view]'"
        raise UsageError(msg) from error
    if target is not None and "/" in target and not Path(target).exists():
        msg = f"there is no folder or journal {target}"
        raise UsageError(msg)
    only = None if target is None or Path(target).is_dir() else find_journal(target, runs_dir)
    folder = Path(target) if target is not None and only is None else runs_folder(runs_dir)
    watched = WatchedFolder(only.parent if only else folder, only)
    try:
        listening = socket.create_server(("127.0.0.1", port))
    except OSError as error:
        msg = f"cannot listen on port {port} of 127.0.0.1: {error.strerror}; choose another with --port"
        raise UsageError(msg) from error
    port, token = listening.getsockname()[1], new_token()
    watched.start()
    # What the server yields to runs beside it.
    os.nice(5)
    path = f"/runs/{next(iter(watched.runs))}" if only else "/"
    address = f"http://127.0.0.1:{port}{path}?token={token}"
    from controlplane.terminal_text import say

    say(f"view     {address}\n         Ctrl-C ends it")
    sys.stdout.flush()
    if not no_open:
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    config = uvicorn.Config(
        Pages(watched, _page_of_loop).app(token, port),
        log_level="error",
        access_log=False,
        server_header=False,
        limit_concurrency=64,
        timeout_graceful_shutdown=1,
        h11_max_incomplete_event_size=16 << 10,
    )
    with suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listening])
    watched.stop.set()


def _page_of_loop(path: Path) -> str:
    from controlplane.improve import loop_page  # slow to import

    return loop_page(path).html
