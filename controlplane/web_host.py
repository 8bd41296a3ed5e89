"""The host of all that is served over HTTP: pages, the platform's protocol, and MCP.

Each of them is an ASGI application that answers requests. What all servers have in common is here:
the socket, the tokens, the bounds, and the end.

    listener = listen("127.0.0.1", 8080)
    WebHost(app, listener).run()              # until Ctrl-C or SIGTERM
    with WebHost(app, listener).serving():    # in a thread, until the block ends
"""

from __future__ import annotations

import hmac
import signal
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import uvicorn

_BACKLOG: Final = 2048
"""The most connections that wait to be accepted."""
_MOST_CONNECTIONS: Final = 1024
"""The most connections. Further requests are refused."""
_IDLE_CONNECTION_S: Final = 75
"""Seconds to keep an idle connection: longer than a model's turn."""
_ENDING_S: Final = 10.0
"""Seconds for which the end of a block waits for its server."""


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address; with port 0, at a free one.

    Raises `OSError` if the address cannot be used.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sets TCP_NODELAY, which sends small replies at once, only if the protocol is named.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(_BACKLOG)
    except BaseException:
        listener.close()
        raise
    return listener


def url_of(listener: socket.socket) -> str:
    """Return the base URL of a socket: `http://127.0.0.1:8080` or `http://[::1]:8080`."""
    host, port = listener.getsockname()[:2]
    if ":" in host:
        return f"http://[{host}]:{port}"
    return f"http://{host}:{port}"


def is_token(sent: str, token: str) -> bool:
    """Return True if a text is the token, in a time that does not depend on where it differs."""
    return hmac.compare_digest(sent.encode(errors="replace"), token.encode())


class WebHost:
    """Serves one application at a socket, and closes the socket when it ends."""

    def __init__(
        self,
        app: Any,
        listener: socket.socket,
        *,
        most_connections: int = _MOST_CONNECTIONS,
        ends_within_s: int = 2,
        log_level: str = "critical",
        every_second: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """`ends_within_s` is the time that running requests have when the server ends.

        Invalid requests of clients are not logged; with the level `error`, failures of the
        application are. `every_second` is called so often while the server runs.
        """
        self._listener = listener
        config = uvicorn.Config(
            app,
            http="h11",  # It limits heads to 16 KiB, and handles one request of a connection at a time.
            ws="none",
            loop="asyncio",
            limit_concurrency=most_connections,
            log_config=None,
            log_level=log_level,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            backlog=_BACKLOG,
            timeout_keep_alive=_IDLE_CONNECTION_S,
            timeout_graceful_shutdown=ends_within_s,
            callback_notify=every_second,
            timeout_notify=1,
        )
        self._server = uvicorn.Server(config)

    def run(self) -> None:
        """Serve until SIGINT or SIGTERM, then shut down cleanly. Call it from the main thread."""
        # After it has shut down, uvicorn sends the signal again, to the handlers that were
        # set before it. The usual ones would end this process, so set some that do nothing.
        earlier_handlers = {}
        for number in (signal.SIGINT, signal.SIGTERM):
            earlier_handlers[number] = signal.signal(number, _ignore_signal)
        try:
            with self._listener:
                self._server.run(sockets=[self._listener])
        finally:
            for number, handler in earlier_handlers.items():
                signal.signal(number, handler)

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Serve in a thread until the block ends."""
        with self._listener:
            thread = threading.Thread(
                target=self._server.run,
                kwargs={"sockets": [self._listener]},
                name="web host",
                daemon=True,
            )
            thread.start()
            try:
                yield
            finally:
                self._server.should_exit = True
                thread.join(_ENDING_S)


def _ignore_signal(number: int, frame: object) -> None:
    """Do nothing, because uvicorn handles the signal while it runs."""
