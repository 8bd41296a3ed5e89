"""Serves `controlplane mcp` to its clients: on standard input and output, or over HTTP.

The server runs until its client leaves, or a signal comes. Then the open questions are ended.
"""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from controlplane.errors import Interrupted, UsageError, as_usage_error
from controlplane.lifecycle.conducting import stop_on_signals
from controlplane.terminal_text import say

if TYPE_CHECKING:
    from controlplane.mcp.questions import QuestionServer


SIGNAL_LOOK_S: Final = 0.2
"""The pause between two looks for a signal."""


@dataclass(frozen=True, slots=True)
class HttpAddress:
    """The address that `--http` names."""

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


def serve_questions(server: QuestionServer, address: HttpAddress | None) -> None:
    """Serve over HTTP or on standard streams, until the client leaves or a signal comes.

    Then the open questions are ended, each with its fallback answer. If one of them takes too long,
    the process ends at once.
    """
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
    """Serve until the block ends. `ended` is set if a client on standard input leaves.

    Without an `address`, serve on standard streams. Over HTTP, the token is that of the variable
    CONTROLPLANE_MCP_TOKEN, or a new one, which is printed. Raises `UsageError` for a taken port.
    """
    from controlplane.mcp.serving.http_serving import serve_stdio, served_over_http

    def end_questions() -> None:
        # Before the server ends, which cancels its calls. So the journals say that the client left,
        # and not that it cancelled a call.
        server.close()
        ended.set()

    def serve_streams() -> None:
        try:
            serve_stdio(server.server, end_questions)
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
