"""Runs the wire server: in the main thread until a signal, or in a thread for the length of a block."""

from __future__ import annotations

import asyncio
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from benchmarks.bitgn.server.fault_layer import LINK, FaultLayer, Link
from benchmarks.bitgn.server.server_options import ServerOptions
from benchmarks.bitgn.server.wire_app import WireApp
from controlplane import Benchmark, BenchmarkError
from sandbox.interface import error_codes

BACKLOG: Final = 2048
KEEP_ALIVE_S: Final = 75
"""Seconds for which an idle connection is kept: longer than a model's turn."""
GRACE_S: Final = 2
"""Seconds that calls in flight may take when the server ends."""


@dataclass(frozen=True, slots=True)
class RunningServer:
    """A server that accepts calls."""

    url: str
    faults: FaultLayer
    """The fault layer with its counts."""


class _Connection(HttpToolsProtocol):
    """Gives the fault layer access to the connection of a request."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        super().connection_made(transport)
        self.app_state = {**self.app_state, LINK: Link(transport)}


class _Server(uvicorn.Server):
    def __init__(self, app: WireApp, faults: FaultLayer) -> None:
        config = uvicorn.Config(
            faults,
            http=_Connection,
            ws="none",
            lifespan="off",
            loop="asyncio",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            backlog=BACKLOG,
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=GRACE_S,
        )
        super().__init__(config)
        self._app = app
        self._faults = faults

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._faults.stopping.set()
        await super().shutdown(sockets)
        self._app.close()


def serve(benchmark: Benchmark, options: ServerOptions, *, on_listening: Callable[[str], None]) -> None:
    """Serve until SIGINT or SIGTERM, then shut down in order. Call it from the main thread.

    `on_listening` receives the base URL. Raises `BenchmarkError` (`unavailable`) if the address cannot be bound.
    """
    with _bound(options) as listener:
        app = WireApp(benchmark, options)
        server = _Server(app, FaultLayer(app, options.faults))
        # After an orderly end, uvicorn raises these signals again for the earlier handlers.
        before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            on_listening(_url(listener))
            server.run(sockets=[listener])
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


@contextmanager
def running_server(benchmark: Benchmark, options: ServerOptions) -> Iterator[RunningServer]:
    """Serve from a thread for the length of the block."""
    with _bound(options) as listener:
        app = WireApp(benchmark, options)
        faults = FaultLayer(app, options.faults)
        server = _Server(app, faults)
        thread = threading.Thread(target=server.run, args=([listener],), name="wire server", daemon=True)
        thread.start()
        try:
            yield RunningServer(_url(listener), faults)
        finally:
            server.should_exit = True
            thread.join()


@contextmanager
def _bound(options: ServerOptions) -> Iterator[socket.socket]:
    """Listen before the server runs, so that the address is known and early clients are accepted."""
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    # asyncio sets TCP_NODELAY, which sends small replies without delay, only if the protocol is given.
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((options.host, options.port))
        except OSError as error:
            msg = f"cannot listen on {options.host}:{options.port}: {error.strerror or error}"
            raise BenchmarkError(error_codes.UNAVAILABLE, msg) from None
        listener.listen(BACKLOG)
        yield listener


def _url(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
