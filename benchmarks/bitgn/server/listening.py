"""Runs the wire server: in the main thread until a signal, or in a thread for the length of a block.

The resources of all clients together are bounded, whatever they send: connections, the bytes of requests and replies
in flight, headers, and the time that a connection may take to go on. Beyond a bound, the slowest connections end.
"""

from __future__ import annotations

import asyncio
import ctypes
import logging
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from benchmarks.bitgn.server.served_runs import ServedRuns, ServerOptions
from benchmarks.bitgn.server.wire_app import CONNECTION, App, WireApp
from controlplane import Benchmark, BenchmarkError
from sandbox.interface import error_codes

MMAP_THRESHOLD: Final = (-3, 128 * 1024)
"""For mallopt: buffers from this size on go back to the system when they are freed, instead of leaving gaps."""
BACKLOG: Final = 2048
KEEP_ALIVE_S: Final = 75
"""Seconds for which an idle connection is kept: longer than a model's turn."""
GRACE_S: Final = 2
"""Seconds that calls in flight may take when the server ends."""
SWEEP_S: Final = 1.0
HEAD_S: Final = 20.0
"""Seconds that a request's head may take to arrive, from its first byte on."""
REPLY_S: Final = 60.0
"""Seconds that a client may take to read a reply."""
MOST_CONNECTIONS: Final = 512
SETTLED_S: Final = 0.2
"""Seconds that a connection has to send its request before it may end for a new one."""
MOST_HELD_BYTES: Final = 16 * 1024 * 1024
"""Bytes of all requests and replies in flight."""
COUNTED_FROM_BYTES: Final = 16 * 1024
"""A connection that holds less is not looked at when others hold too much."""
MOST_HEAD_BYTES: Final = 64 * 1024
MOST_HEADERS: Final = 100
MOST_PIPELINED: Final = 8
"""Requests that one connection may send ahead of their replies."""
SMALL_PART_BYTES: Final = 64
MOST_SMALL_PARTS: Final = 1_000
"""Small parts in which the body of one request may come: parsing each takes as long as a large one."""

_log = logging.getLogger(__name__)


class Connection(HttpToolsProtocol):
    """One connection, with the bytes that it holds and the time since when it waits for its client."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        super().connection_made(transport)
        self.app_state = {**self.app_state, CONNECTION: self}
        self.held_bytes = 0
        self.waits_since = time.monotonic()
        """Monotonic time when the client last sent something, or took a reply."""
        self._head_bytes = self._headers = self._requests = self._small_parts = 0
        self._is_in_head = True
        transport.set_write_buffer_limits(COUNTED_FROM_BYTES)
        if len(self.connections) > MOST_CONNECTIONS:
            known: set[Any] = self.connections
            settled = {other for other in known if self.waits_since - other.waits_since > SETTLED_S}
            _end_slowest(settled or {self})

    def hold(self, size: int) -> None:
        """Count bytes of a request or reply; if all connections hold too many, end the slowest of them."""
        self.held_bytes += size
        if self.held_bytes < COUNTED_FROM_BYTES:
            return
        known: set[Any] = self.connections
        holding = {other for other in known if other.held_bytes >= COUNTED_FROM_BYTES}
        while sum(other.held_bytes for other in holding) > MOST_HELD_BYTES:
            holding.discard(_end_slowest(holding))

    @property
    def is_working(self) -> bool:
        """True while the client waits for the server."""
        return self.cycle is not None and not self.cycle.more_body and not self.cycle.response_complete

    def is_overdue(self, now: float) -> bool:
        """Say whether the client has taken too long to send the rest of a head, or to read a reply."""
        waited_s = now - self.waits_since
        if self.flow.write_paused:
            return waited_s > REPLY_S
        if self.is_working:
            return False
        return self._is_in_head and waited_s > (HEAD_S if self._head_bytes else KEEP_ALIVE_S)

    def end(self) -> None:
        """Close the connection at once."""
        self.connections.discard(self)
        self.transport.abort()

    @property
    def slowness(self) -> tuple[bool, bool, float]:
        """The sort key of connections, the slowest first: in the middle of a request, idle, with a call under way."""
        return self.is_working, not (self.held_bytes or self._head_bytes), self.waits_since

    def data_received(self, data: bytes) -> None:
        was_in_head, requests = self._is_in_head, self._requests
        super().data_received(data)
        if was_in_head and self._is_in_head and requests == self._requests:
            if not self._head_bytes:
                self.waits_since = time.monotonic()
            self._count_head(len(data))

    def eof_received(self) -> bool:  # type: ignore[override]
        """Answer the requests of a client that has closed its sending half, then close."""
        if self.is_working:
            self.cycle.keep_alive = False
        return self.is_working

    def _count_head(self, size: int) -> None:
        self._head_bytes += size
        if self._head_bytes > MOST_HEAD_BYTES:
            self.end()

    def on_url(self, url: bytes) -> None:
        if len(self.url) + len(url) > MOST_HEAD_BYTES:
            msg = "the address is too long"
            raise ValueError(msg)
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers += 1
        self._head_bytes += len(name) + len(value)
        if self._headers > MOST_HEADERS or self._head_bytes > MOST_HEAD_BYTES or len(self.pipeline) >= MOST_PIPELINED:
            msg = "the head is too long"
            raise ValueError(msg)
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._is_in_head = False
        self._head_bytes = self._headers = self._small_parts = 0
        self._requests += 1
        self.waits_since = time.monotonic()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._small_parts += len(body) < SMALL_PART_BYTES
        if self._small_parts > MOST_SMALL_PARTS:
            msg = "the body comes in too many small parts"
            raise ValueError(msg)
        super().on_body(body)
        if not self.cycle.response_complete:
            self.hold(len(body))

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._is_in_head = True

    def on_response_complete(self) -> None:
        if not self.flow.write_paused:
            self._let_go()
        super().on_response_complete()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._let_go()

    def _let_go(self) -> None:
        self.held_bytes = sum(len(cycle.body) for cycle, _ in self.pipeline)
        self.waits_since = time.monotonic()


def _end_slowest(among: set[Any]) -> Connection:
    slowest: Connection = min(among, key=lambda connection: connection.slowness)
    slowest.end()
    return slowest


@dataclass(frozen=True, slots=True)
class RunningServer:
    """A server that accepts calls."""

    url: str
    runs: ServedRuns
    """The runs that it serves."""


class _Server(uvicorn.Server):
    def __init__(self, app: WireApp, outer: App) -> None:
        config = uvicorn.Config(
            outer,
            http=Connection,
            ws="none",
            lifespan="off",
            loop="asyncio",
            log_config=None,
            log_level="error",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            backlog=BACKLOG,
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=GRACE_S,
        )
        super().__init__(config)
        self._app = app

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._sweeping = asyncio.create_task(self._sweep())

    async def _sweep(self) -> None:
        """End overdue connections, and idle runs at the same time, which takes as long as the benchmark's own calls."""
        ending = asyncio.create_task(self._end_idle_runs())
        while True:
            await asyncio.sleep(SWEEP_S)
            now = time.monotonic()
            for connection in [*self.server_state.connections]:
                if isinstance(connection, Connection) and connection.is_overdue(now):
                    connection.end()
            if ending.done():
                ending = asyncio.create_task(self._end_idle_runs())

    async def _end_idle_runs(self) -> None:
        try:
            await self._app.end_idle_runs()
        except Exception:  # noqa: BLE001 - whatever broke, the sweeping goes on
            _log.exception("idle runs could not be ended; the server tries again")

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._sweeping.cancel()
        await super().shutdown(sockets)
        self._app.close()


def serve(benchmark: Benchmark, options: ServerOptions, *, on_listening: Callable[[str], None]) -> None:
    """Serve until SIGINT or SIGTERM, then shut down in order. Call it from the main thread.

    `on_listening` receives the base URL. Raises `BenchmarkError` (`unavailable`) if the address cannot be bound.
    """
    with suppress(AttributeError):  # Only glibc has it.
        ctypes.CDLL(None).mallopt(*MMAP_THRESHOLD)
    with _bound(options) as listener:
        app = WireApp(benchmark, options)
        server = _Server(app, app)
        # After an orderly end, uvicorn raises these signals again for the earlier handlers.
        before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            _listen(listener, app)
            on_listening(_url(listener))
            server.run(sockets=[listener])
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


@contextmanager
def running_server(
    benchmark: Benchmark, options: ServerOptions, *, wrapped: Callable[[App], App] = lambda app: app
) -> Iterator[RunningServer]:
    """Serve from a thread for the length of the block. `wrapped` may put a layer in front of the application."""
    with _bound(options) as listener:
        app = WireApp(benchmark, options)
        server = _Server(app, wrapped(app))
        _listen(listener, app)
        thread = threading.Thread(target=server.run, args=([listener],), name="wire server", daemon=True)
        thread.start()
        try:
            yield RunningServer(_url(listener), app.runs)
        finally:
            server.should_exit = True
            thread.join()


@contextmanager
def _bound(options: ServerOptions) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    # asyncio sets TCP_NODELAY, which sends small replies without delay, only if the protocol is given.
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((options.host, options.port))
        except OSError as error:
            msg = f"cannot listen on {options.host}:{options.port}: {error.strerror or error}"
            raise BenchmarkError(error_codes.UNAVAILABLE, msg) from None
        yield listener


def _listen(listener: socket.socket, app: WireApp) -> None:
    """Listen once the processes are ready, and before the server runs, so that early clients are accepted."""
    app.warm_up()
    listener.listen(BACKLOG)


def _url(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
