"""Serve a benchmark by HTTP with uvicorn, until a signal arrives or a block ends.

The command line uses `serve`, which ends with Ctrl-C. A program that needs a server for a
while, such as a test, uses `bound_server`.
"""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import uvicorn

from controlplane.benchmark import Benchmark, BenchmarkError
from controlplane.benchmarks.bitgn.server.server_options import ServerOptions
from controlplane.benchmarks.bitgn.server.wire_app import WireApp
from controlplane.sandbox.interface import error_codes

BACKLOG: Final = 2048
"""The most connections that wait to be accepted."""
MAX_CONNECTIONS: Final = 1024
"""The most connections. Further calls are refused."""
IDLE_CONNECTION_S: Final = 75
"""Seconds to keep an idle connection: longer than a model's turn."""
SHUTDOWN_S: Final = 2
"""Seconds that running calls may take when the server ends."""


@dataclass(frozen=True, slots=True)
class BoundServer:
    """A socket that accepts connections, and the application that handles them."""

    listener: socket.socket
    app: WireApp
    url: str
    """The base URL."""


def server_of(app: WireApp) -> uvicorn.Server:
    """Return a uvicorn server for the application."""
    config = uvicorn.Config(
        app,
        http="h11",  # It limits the size of headers, and handles one call of a connection at a time.
        limit_concurrency=MAX_CONNECTIONS,
        ws="none",
        lifespan="off",
        loop="asyncio",
        log_config=None,
        # The application logs failed calls. Other errors are invalid requests of clients.
        log_level="critical",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=BACKLOG,
        timeout_keep_alive=IDLE_CONNECTION_S,
        timeout_graceful_shutdown=SHUTDOWN_S,
        callback_notify=app.end_idle_runs,  # Called every second
        timeout_notify=1,
    )
    return uvicorn.Server(config)


def serve(
    benchmark: Benchmark, options: ServerOptions, *, on_listening: Callable[[str], None]
) -> None:
    """Serve until SIGINT or SIGTERM, then shut down cleanly. Call it from the main thread.

    `on_listening` is called with the base URL. Raises `BenchmarkError` (`unavailable`)
    if the address cannot be bound.
    """
    # After it has shut down, uvicorn sends the signal again, to the handlers that were
    # set before it. The usual ones would end this process, so set some that do nothing.
    earlier_handlers = {}
    for number in (signal.SIGINT, signal.SIGTERM):
        earlier_handlers[number] = signal.signal(number, _ignore_signal)
    try:
        with bound_server(benchmark, options) as bound:
            on_listening(bound.url)
            server_of(bound.app).run(sockets=[bound.listener])
    finally:
        for number, handler in earlier_handlers.items():
            signal.signal(number, handler)


def _ignore_signal(number: int, frame: object) -> None:
    """Do nothing, because uvicorn handles the signal while it runs."""


@contextmanager
def bound_server(benchmark: Benchmark, options: ServerOptions) -> Iterator[BoundServer]:
    """Bind the address and start the application's processes for the duration of a block.

    Raises `BenchmarkError` (`unavailable`) if the address cannot be bound.
    """
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    # asyncio sets TCP_NODELAY, which sends small replies at once, only if the protocol is named.
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((options.host, options.port))
        except OSError as error:
            msg = f"cannot listen on {options.host}:{options.port}: {error.strerror or error}"
            raise BenchmarkError(error_codes.UNAVAILABLE, msg) from None
        app = WireApp(benchmark, options)
        try:
            app.warm_up()
            listener.listen(BACKLOG)
            yield BoundServer(listener, app, _url_of(listener))
        finally:
            app.close()


def _url_of(listener: socket.socket) -> str:
    """Return the base URL of a bound socket: `http://127.0.0.1:8080` or `http://[::1]:8080`."""
    host, port = listener.getsockname()[:2]
    if ":" in host:
        return f"http://[{host}]:{port}"
    return f"http://{host}:{port}"
