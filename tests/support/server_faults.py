"""Faults of networks and platforms in front of the wire server, chosen by a seed."""

import asyncio
import random
import socket
import struct
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from controlplane import Benchmark
from controlplane.benchmarks.bitgn.server import ServerOptions
from controlplane.sandbox.interface import CallError
from tests.support.running_server import RunningServer, running_server
from tests.support.wire_relay import (
    RelayedCall,
    ReplacedReply,
    injected_response,
    protocol_refusal,
    relay_to,
)

END_OF_HEAD = b"\r\n\r\n"
SHARES = (
    "unavailable",
    "bare_unavailable",
    "too_many",
    "reset_before",
    "reset_after",
    "hang",
    "stall",
)
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
    """The rule of a relay that passes calls on, except those that a fault hits."""

    def __init__(self, faults: Faults) -> None:
        self.use(faults)

    def use(self, faults: Faults) -> None:
        """Make these faults from now on, and reset the counts."""
        self._faults = faults
        self._seen: Counter[str] = Counter()
        self._outage_began: dict[str, float] = {}
        self._pushed_back: dict[tuple[bytes, bytes], float] = {}
        """Calls that got a Retry-After, by path and body, with its end on the monotonic clock."""
        self.made: Counter[str] = Counter()
        """Number of faults made, by kind."""
        self.too_early = 0
        """Calls made again before the Retry-After of their last reply had passed."""

    def __call__(self, method: str, number: int) -> ReplacedReply:
        return self._pass_on

    async def _pass_on(self, call: RelayedCall, writer: asyncio.StreamWriter) -> None:
        known = call.request.split(b" ", 2)[1], call.request.partition(END_OF_HEAD)[2]
        self.too_early += time.monotonic() < self._pushed_back.pop(known, 0.0)
        fault = self._chosen(call.method)
        self.made += Counter({fault: 1} if fault else {})
        reply = b""
        match fault:
            case "outage" | "unavailable":
                reply = protocol_refusal(
                    503, "unavailable", "the platform is not available"
                )
            case "bare_unavailable":
                reply = injected_response(
                    503, "<html><h1>Service Unavailable</h1></html>", "text/html"
                )
            case "too_many":
                wait_s = self._faults.retry_after_s
                self._pushed_back[known] = time.monotonic() + wait_s
                reply = protocol_refusal(
                    429,
                    "resource_exhausted",
                    "too many calls",
                    retry_after=f"{wait_s:g}",
                )
            case None | "stall" | "reset_after":
                reply = await call.forward()
        if fault == "stall":
            head, _, body = reply.partition(END_OF_HEAD)
            reply = head + END_OF_HEAD + body[: len(body) // 2]
        if fault in ("reset_before", "reset_after"):
            _reset(writer)
        else:
            writer.write(reply)
        if fault in ("hang", "stall"):
            await writer.drain()
            await call.gone()

    def _chosen(self, method: str) -> str | None:
        """Choose by the seed, the method and its number
        of calls, so that equal sequences meet equal faults."""
        faults = self._faults
        for outage in faults.outages:
            began = (
                self._outage_began.setdefault(method, time.monotonic())
                if outage.method == method
                else 0.0
            )
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


def _reset(writer: asyncio.StreamWriter) -> None:
    """Reset the connection, so that the client sees an error instead of an orderly end."""
    connection = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


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
            return runs.trial(wire_id).id_in_benchmark
        except CallError:
            return runs.run(wire_id).id_in_benchmark


@contextmanager
def faulty_server(
    benchmark: Benchmark, options: ServerOptions, faults: Faults = Faults()
) -> Iterator[FaultyServer]:
    """Serve from a thread for the length of the block, with faults."""
    layer = FaultLayer(faults)
    with (
        running_server(benchmark, options) as running,
        relay_to(running.url, layer) as relay,
    ):
        yield FaultyServer(relay.url, running, layer)
