"""A wire server behind a network that fails now and then, as a seed decides.

faults = Faults(seed=7, unavailable=0.1, reset_after=0.05)
with faulty_server(benchmark, ServerOptions(), faults) as server:
    ...  # a client at server.url: a tenth of its calls get 503
assert server.faults.made["unavailable"] > 0
"""

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
    """The seconds in the header Retry-After of a 429."""
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


SHARES = (
    "unavailable",
    "bare_unavailable",
    "too_many",
    "reset_before",
    "reset_after",
    "hang",
    "stall",
)
"""The fields of `Faults` that are shares of all calls, in the order in which a fault is drawn."""


class FaultLayer:
    """The rule of a relay that passes calls on, except those that a fault hits.

    It also notes whether clients wait: a refusal of the kind "too_many" has the header
    Retry-After, and a client should not make the same call again before this time is over.
    """

    def __init__(self, faults: Faults) -> None:
        self.use(faults)

    def use(self, faults: Faults) -> None:
        """Make these faults from now on, and reset the counts."""
        self._faults = faults
        self._calls_seen: Counter[str] = Counter()
        """The number of calls that a fault could have hit, by method."""
        self._outage_began_at: dict[str, float] = {}
        """When an outage of a method began, on the monotonic clock."""
        self._retry_not_before: dict[tuple[bytes, bytes], float] = {}
        """When a call that was refused as "too_many" may be made again, on the monotonic clock, by
        its path and body."""
        self.made: Counter[str] = Counter()
        """Number of faults made, by kind."""
        self.too_early = 0
        """Calls made again before the Retry-After of their last reply had passed."""

    def __call__(self, call: RelayedCall) -> ReplacedReply:
        """Answer each call by `_answer`, as the rule of a relay does."""
        return self._answer

    async def _answer(self, call: RelayedCall, writer: asyncio.StreamWriter) -> None:
        """Pass a call on, or let the fault happen that is drawn for it; `Faults` describes each kind."""
        path_and_body = _path_and_body(call.request)
        retry_not_before = self._retry_not_before.pop(path_and_body, 0.0)
        if time.monotonic() < retry_not_before:
            self.too_early += 1
        fault = self._draw_fault(call.method)
        if fault is not None:
            self.made[fault] += 1

        match fault:
            case None:
                writer.write(await call.forward())
            case "outage" | "unavailable":
                message = "the platform is not available"
                writer.write(protocol_refusal(503, "unavailable", message))
            case "bare_unavailable":
                # As a proxy says it: without the code of the protocol.
                page = "<html><h1>Service Unavailable</h1></html>"
                writer.write(injected_response(503, page, "text/html"))
            case "too_many":
                wait_s = self._faults.retry_after_s
                self._retry_not_before[path_and_body] = time.monotonic() + wait_s
                refusal = protocol_refusal(
                    429,
                    "resource_exhausted",
                    "too many calls",
                    retry_after=f"{wait_s:g}",
                )
                writer.write(refusal)
            case "reset_before":
                _reset(writer)
            case "reset_after":
                await call.forward()
                _reset(writer)
            case "hang":
                await call.gone()  # The server never sees the call.
            case "stall":
                head, _, body = (await call.forward()).partition(END_OF_HEAD)
                half_body = body[: len(body) // 2]
                writer.write(head + END_OF_HEAD + half_body)
                await writer.drain()
                await call.gone()

    def _draw_fault(self, method: str) -> str | None:
        """Return the fault that hits the next call of a method, or None.

        It follows from the seed, the method and the number of the call, so that two equal
        sequences of calls meet equal faults.
        """
        faults = self._faults
        if self._is_in_outage(method):
            return "outage"
        if faults.methods and method not in faults.methods:
            return None
        self._calls_seen[method] += 1
        number = self._calls_seen[method]
        drawn = random.Random(f"{faults.seed}/{method}/{number}").random()
        # Each kind of fault has a part of the numbers from 0 to 1, as large as its share. With shares
        # of 0.1 and 0.2, numbers below 0.1 mean the first kind, and those from there to 0.3 the second.
        upper_end = 0.0
        for kind in SHARES:
            upper_end += getattr(faults, kind)
            if drawn < upper_end:
                return kind
        return None

    def _is_in_outage(self, method: str) -> bool:
        """Return True if an outage of this method lasts; its first call begins the outage."""
        for outage in self._faults.outages:
            if outage.method != method:
                continue
            now = time.monotonic()
            began_at = self._outage_began_at.setdefault(method, now)
            if now - began_at < outage.duration_s:
                return True
        return False


def _path_and_body(request: bytes) -> tuple[bytes, bytes]:
    """Return what makes a call the same one again: the path and the body of its request."""
    path = request.split(b" ", 2)[1]
    body = request.partition(END_OF_HEAD)[2]
    return path, body


def _reset(writer: asyncio.StreamWriter) -> None:
    """Reset the connection, so that the client sees an error instead of an orderly end."""
    connection = writer.get_extra_info("socket")
    # With this option, closing the connection resets it.
    linger_for_no_time = struct.pack("ii", 1, 0)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger_for_no_time)
    writer.transport.abort()


@dataclass(frozen=True)
class FaultyServer:
    """A server whose calls meet faults, at `url`."""

    url: str
    running: RunningServer
    """The server itself, behind the faults."""
    faults: FaultLayer

    def own_id(self, wire_id: str) -> str:
        """Return what the benchmark itself calls a run or trial: `ada-0` for the random id that the
        server has told its clients."""
        runs = self.running.runs
        try:
            return runs.trial(wire_id).id_in_benchmark
        except CallError:
            return runs.run(wire_id).id_in_benchmark


@contextmanager
def faulty_server(
    benchmark: Benchmark, options: ServerOptions, faults: Faults = Faults()
) -> Iterator[FaultyServer]:
    """Serve the benchmark behind these faults for the length of the block."""
    layer = FaultLayer(faults)
    with (
        running_server(benchmark, options) as running,
        relay_to(running.url, layer) as relay,
    ):
        yield FaultyServer(relay.url, running, layer)
