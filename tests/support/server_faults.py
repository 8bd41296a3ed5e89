"""Faults of networks and platforms in front of the wire server, chosen by a seed."""

import asyncio
import json
import random
import socket
import struct
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from benchmarks.bitgn.server import ServerOptions
from benchmarks.bitgn.server.listening import App
from controlplane import Benchmark
from sandbox.interface import CallError
from tests.support.running_server import RunningServer, running_server

JSON = b"application/json"
SHARES = ("unavailable", "bare_unavailable", "too_many", "reset_before", "reset_after", "hang", "stall")
"""The faults that are shares of all calls, in the order of drawing."""


@dataclass(frozen=True)
class Outage:
    """One method answers 503 for some seconds from its first call on."""

    method: str
    duration_s: float


@dataclass(frozen=True)
class Faults:
    """Faults as shares of all calls (0 to 1). At most one hits a call; the seed decides which."""

    seed: int = 0
    unavailable: float = 0.0
    """503 with the code `unavailable`; nothing happened."""
    bare_unavailable: float = 0.0
    """503 without a code, as by a proxy; nothing happened, but the client cannot know."""
    too_many: float = 0.0
    """429 with the code `resource_exhausted` and Retry-After."""
    retry_after_s: float = 1.0
    reset_before: float = 0.0
    """The connection is reset before the call happens."""
    reset_after: float = 0.0
    """The call happens, and the connection is reset in place of the reply."""
    hang: float = 0.0
    """Nothing happens, and no reply comes for as long as the client waits."""
    stall: float = 0.0
    """The call happens, and the reply's body stops in the middle."""
    methods: frozenset[str] = frozenset()
    """The methods that faults hit; empty for all."""
    outages: tuple[Outage, ...] = ()


class FaultLayer:
    """Passes calls on to the application, except those that a fault hits."""

    def __init__(self, faults: Faults) -> None:
        self.app: App
        self.use(faults)

    def use(self, faults: Faults) -> None:
        """Make these faults from now on, and reset the counts."""
        self._faults = faults
        self._seen: Counter[str] = Counter()
        self._outage_began: dict[str, float] = {}
        self._pushed_back: dict[tuple[str, bytes], float] = {}
        """Calls that got a Retry-After, by path and body, with its end on the monotonic clock."""
        self.made: Counter[str] = Counter()
        """Number of faults made, by kind."""
        self.calls = 0
        self.too_early = 0
        """Calls made again before the Retry-After of their last reply had passed."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.calls += 1
        connection, method = receive.__self__.transport, scope["path"].rpartition("/")[2]
        body = await _body(receive)
        call = scope["path"], body
        self.too_early += time.monotonic() < self._pushed_back.pop(call, 0.0)
        unread = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> Any:
            return unread.pop() if unread else await receive()

        fault = self._chosen(method)
        self.made += Counter({fault: 1} if fault else {})
        if fault in ("outage", "unavailable"):
            await _refuse(send, 503, {"code": "unavailable", "message": "the platform is not available"})
        elif fault == "bare_unavailable":
            await _refuse(send, 503, "<html><h1>Service Unavailable</h1></html>")
        elif fault == "too_many":
            wait_s = self._faults.retry_after_s
            self._pushed_back[call] = time.monotonic() + wait_s
            refusal = {"code": "resource_exhausted", "message": "too many calls"}
            await _refuse(send, 429, refusal, (b"retry-after", f"{wait_s:g}".encode()))
        elif fault == "hang":
            await _disconnected(receive)
        elif fault == "stall":

            async def half(message: dict[str, Any]) -> None:
                if message["type"] == "http.response.body":
                    cut = message["body"][: len(message["body"]) // 2]
                    await send({**message, "body": cut, "more_body": True})
                    await _disconnected(receive)
                else:
                    await send(message)

            await self.app(scope, replay, half)
        elif fault is not None:
            if fault == "reset_after":
                await self.app(scope, replay, _swallow)
            await _reset(connection, receive)
        else:
            await self.app(scope, replay, send)

    def _chosen(self, method: str) -> str | None:
        """Choose by the seed, the method and its number of calls, so that equal sequences meet equal faults."""
        faults = self._faults
        for outage in faults.outages:
            began = self._outage_began.setdefault(method, time.monotonic()) if outage.method == method else 0.0
            if began and time.monotonic() - began < outage.duration_s:
                return "outage"
        if faults.methods and method not in faults.methods:
            return None
        self._seen[method] += 1
        drawn = random.Random(f"{faults.seed}/{method}/{self._seen[method]}").random()
        for kind in SHARES:
            drawn -= getattr(faults, kind)
            if drawn < 0:
                return kind
        return None


async def _body(receive: Any) -> bytes:
    body = b""
    while (message := await receive())["type"] == "http.request":
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    return body


async def _disconnected(receive: Any) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _refuse(send: Any, status: int, body: dict[str, str] | str, *headers: tuple[bytes, bytes]) -> None:
    content, kind = (body.encode(), b"text/html") if isinstance(body, str) else (json.dumps(body).encode(), JSON)
    sent = [(b"content-type", kind), (b"content-length", b"%d" % len(content)), *headers]
    await send({"type": "http.response.start", "status": status, "headers": sent})
    await send({"type": "http.response.body", "body": content})


async def _swallow(_: Any) -> None:
    """Discard a reply."""


async def _reset(transport: asyncio.Transport, receive: Any) -> None:
    """Reset the connection, so that the client sees an error instead of an orderly end; wait until it is closed."""
    if not transport.is_closing():
        connection = transport.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        transport.abort()
    await _disconnected(receive)


@dataclass(frozen=True)
class FaultyServer:
    """A server that accepts calls, and its faults."""

    url: str
    running: RunningServer
    faults: FaultLayer

    def own_id(self, wire_id: str) -> str:
        """Return the benchmark's own id of a served run or trial."""
        runs = self.running.runs
        try:
            return runs.trial(wire_id).own_id
        except CallError:
            return runs.run(wire_id).own_id


@contextmanager
def faulty_server(benchmark: Benchmark, options: ServerOptions, faults: Faults = Faults()) -> Iterator[FaultyServer]:
    """Serve from a thread for the length of the block, with faults."""
    layer = FaultLayer(faults)

    def wrapped(app: App) -> App:
        layer.app = app
        return layer

    with running_server(benchmark, options, wrapped=wrapped) as running:
        yield FaultyServer(running.url, running, layer)
