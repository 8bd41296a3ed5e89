"""Runs the wire server: in the main thread until a signal, or in a thread for as long as a block lasts."""

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
"""How long an idle connection is kept: longer than a model takes for its turn."""
GRACE_S: Final = 2
"""How long calls that are on their way may take when the server ends."""


@dataclass(frozen=True, slots=True)
class RunningServer:
    """A server that answers."""

    url: str
    faults: FaultLayer
    """The layer of faults, and what it has counted."""


class _Connection(HttpToolsProtocol):
    """Lets the layer of faults reach the connection that a request came over."""

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
    """Serve until SIGINT or SIGTERM, then end in order. `on_listening` is told the base URL.

    Raises `BenchmarkError` (`unavailable`) where the address cannot be listened on. For the main thread.
    """
    with _bound(options) as listener:
        app = WireApp(benchmark, options)
        server = _Server(app, FaultLayer(app, options.faults))
        # uvicorn ends in order on these signals and then raises them again, for handlers that were there before.
        before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            on_listening(_url(listener))
            server.run(sockets=[listener])
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


@contextmanager
def running_server(benchmark: Benchmark, options: ServerOptions) -> Iterator[RunningServer]:
    """Serve from a thread for as long as the block lasts."""
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
    """Listen before the server runs, so that the address is known and no early client is turned away."""
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    # The protocol is named because asyncio sends small replies without delay only where it is.
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
