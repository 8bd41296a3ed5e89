"""A wire server behind a network that fails now and then, as a seed decides.

    faults = Faults(seed=7, unavailable=0.1, reset_after=0.05)
    with faulty_server(benchmark, ServerOptions(), faults) as server:
        ...  # a client at server.url: a tenth of its calls get 503
    assert server.faults.made["unavailable"] > 0

The server itself works; a relay before it makes the faults.
"""

from __future__ import annotations

import asyncio
import json
import random
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from controlplane import Benchmark
from controlplane.benchmarks.bitgn.server import ServerOptions
from controlplane.sandbox.interface import CallError
from tests.support.running_server import RunningServer, running_server

# What a fault does to the connection of a call: it is reset, or the reply stops in the middle.
#
# `path_and_body_of(request)` says which calls are the same one made again.

END_OF_HEAD = b"\r\n\r\n"


def path_and_body_of(request: bytes) -> tuple[bytes, bytes]:
    """Return what makes a call the same one again: the path and the body of its request."""
    path = request.split(b" ", 2)[1]
    body = request.partition(END_OF_HEAD)[2]
    return path, body


def reset(writer: asyncio.StreamWriter) -> None:
    """Reset the connection, so that the client sees an error instead of an orderly end."""
    connection = writer.get_extra_info("socket")
    # With this option, closing the connection resets it.
    linger_for_no_time = struct.pack("ii", 1, 0)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger_for_no_time)
    writer.transport.abort()


# Faults of a network between a client and a server, as shares of all calls.
#
#     Faults(seed=7, unavailable=0.1, reset_after=0.05)
#
# A tenth of the calls get 503, and of a twentieth the connection is reset after the call has happened.
# The seed decides which.


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


# Which fault hits the next call to a server, as a seed decides.
#
#     drawn_faults = DrawnFaults(Faults(seed=7, unavailable=0.1, reset_after=0.05))
#     drawn_faults.next("StartTrial")  # "unavailable" in a tenth of the calls, mostly None
#
# The fault follows from the seed, the method and the number of the call. So two equal sequences of
# calls meet equal faults.


class DrawnFaults:
    """Draws a fault, or none, for each call in turn. At most one hits a call."""

    def __init__(self, faults: Faults) -> None:
        self._faults = faults
        self._calls_seen: Counter[str] = Counter()
        """The number of calls that a fault could have hit, by method."""
        self._outage_began_at: dict[str, float] = {}
        """When an outage of a method began, on the monotonic clock."""

    def next(self, method: str) -> str | None:
        """Return the kind of the fault that hits the next call of a method, or None."""
        faults = self._faults
        if self._is_in_outage(method):
            return "outage"
        if faults.methods and method not in faults.methods:
            return None
        self._calls_seen[method] += 1
        number = self._calls_seen[method]
        drawn = random.Random(f"{faults.seed}/{method}/{number}").random()
        # Each kind of fault has a part of the numbers from 0 to 1, as large as its share. With shares of
        # 0.1 and 0.2, numbers below 0.1 mean the first kind, and those from there to 0.3 the second.
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


# The rule of a relay by which calls meet faults, now and then, as a seed decides.
#
# Two equal sequences of calls meet equal faults. The layer counts the faults that it made, and notes
# whether clients wait as long as a refusal has told them to.


class FaultLayer:
    """The rule of a relay that passes calls on, except those that `DrawnFaults` lets a fault hit.

    The layer also notes whether clients wait: a refusal of the kind "too_many" has the header
    Retry-After, and a client should not make the same call again before this time is over.
    """

    def __init__(self, faults: Faults) -> None:
        self.use(faults)

    def use(self, faults: Faults) -> None:
        """Make these faults from now on, and reset the counts."""
        self._faults = faults
        self._drawn_faults = DrawnFaults(faults)
        self._retry_not_before: dict[tuple[bytes, bytes], float] = {}
        """When a call that was refused as "too_many" may be made again, on the monotonic clock, by
        its path and body."""
        self.made: Counter[str] = Counter()
        """Number of faults made, by kind."""
        self.calls_too_early = 0
        """Calls made again before the Retry-After of their last reply had passed."""

    def __call__(self, call: RelayedCall) -> ReplacedReply:
        """Answer each call by `_answer`, as the rule of a relay does."""
        return self._answer

    async def _answer(self, call: RelayedCall, writer: asyncio.StreamWriter) -> None:
        """Pass a call on, or let the fault happen that is drawn for it; see `Faults`."""
        path_and_body = path_and_body_of(call.request)
        retry_not_before = self._retry_not_before.pop(path_and_body, 0.0)
        if time.monotonic() < retry_not_before:
            self.calls_too_early += 1
        fault = self._drawn_faults.next(call.method)
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
                reset(writer)
            case "reset_after":
                await call.forward()
                reset(writer)
            case "hang":
                await call.gone()  # The server never sees the call.
            case "stall":
                head, _, body = (await call.forward()).partition(END_OF_HEAD)
                half_body = body[: len(body) // 2]
                writer.write(head + END_OF_HEAD + half_body)
                await writer.drain()
                await call.gone()


# Whole HTTP messages, requests or replies, read from a connection: head and body.
#
# A body has the length that its head says, or it comes in chunks, each with its size in front.

LONGEST_MESSAGE_BYTES = 1 << 26
"""The longest head or line of a request or reply that the relay reads."""


async def whole_message(reader: asyncio.StreamReader) -> bytes:
    """Read one whole HTTP message, a request or a reply: head and body."""
    head = await reader.readuntil(b"\r\n\r\n")
    header_lines = head.lower().split(b"\r\n")
    if b"transfer-encoding: chunked" in header_lines:
        return head + await _chunked_body(reader)
    length = 0
    for line in header_lines:
        if line.startswith(b"content-length"):
            length = int(line.split(b":")[1])
    return head + await reader.readexactly(length)


async def _chunked_body(reader: asyncio.StreamReader) -> bytes:
    """Read a body in chunks, as they came: each has its size in hexadecimal, a line end, its
    bytes, and a line end. The last one has the size 0."""
    body = b""
    while True:
        size_line = await reader.readuntil(b"\r\n")
        size = int(size_line, 16)
        body += size_line + await reader.readexactly(size + len(b"\r\n"))
        if size == 0:
            return body


class Upstream:
    """The connections to the server for one client: opened when needed, and again when lost."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._reader: asyncio.StreamReader | None = None
        self._writers: list[asyncio.StreamWriter] = []

    async def reply_to(self, request: bytes) -> bytes:
        """Send a request to the server, and return its whole reply."""
        if self._reader is None or self._reader.at_eof():
            self._reader, writer = await asyncio.open_connection(
                "127.0.0.1", self._port, limit=LONGEST_MESSAGE_BYTES
            )
            self._writers.append(writer)
        self._writers[-1].write(request)
        return await whole_message(self._reader)

    def close(self) -> None:
        for writer in self._writers:
            writer.close()


# A relay for the connections of clients to a wire server: a rule says which calls pass.
#
#     relay = Relay(upstream_port=4812, rule=pass_all)
#     await relay.serve(reader, writer)     # for each connection of a client
#


@dataclass(frozen=True)
class RelayedCall:
    """One call on its way from the client to the server."""

    method: str
    """The end of the request's path, such as `StartTrial`."""
    number: int
    """Which call of its method it is, from 1."""
    request: bytes
    """The client's whole HTTP request: head and body."""
    forward: Callable[[], Awaitable[bytes]]
    """Sends the request to the server, and returns the server's whole reply."""
    gone: Callable[[], Awaitable[object]]
    """Waits until the client has closed the connection."""


ReplacedReply = Callable[[RelayedCall, asyncio.StreamWriter], Awaitable[None]]
"""Writes to the client whatever it gets in place of the server's reply."""
Rule = Callable[[RelayedCall], bytes | ReplacedReply | None]
"""Says what becomes of a call:

- None: the call passes, and the client gets the server's reply;
- bytes: the client gets these, and the server never sees the call;
- a function: it writes to the client, and may forward the call or not.
"""


def pass_all(call: RelayedCall) -> None:
    """Let every call pass: the rule of a relay that changes nothing."""


def injected_response(
    status: int, body: str = "", kind: str = "application/json", **headers: str
) -> bytes:
    """Return a reply that something between client and server could send.

    `injected_response(429, retry_after="2")` has the header `retry-after: 2`.
    """
    content = body.encode()
    lines = [
        f"HTTP/1.1 {status} X",
        f"content-type: {kind}",
        f"content-length: {len(content)}",
    ]
    for name, value in headers.items():
        lines.append(f"{name.replace('_', '-')}: {value}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + content


def protocol_refusal(
    status: int, code: str, message: str = "no", **headers: str
) -> bytes:
    """Return a refusal of the server's protocol, which names a `code` such as `not_found`."""
    body = json.dumps({"code": code, "message": message})
    return injected_response(status, body, **headers)


HTML_PAGE_RESPONSE = injected_response(
    200, "<html><title>Sign in</title><p>Who are you?</p></html>", "text/html"
)
"""The page of a proxy that wants somebody to sign in, sent as if all were well."""


@dataclass
class Relay:
    """Passes calls on for as long as its block lasts. A test may replace `rule` at any time."""

    upstream_port: int
    """The port of the server."""
    rule: Rule = pass_all
    url: str = ""
    """The address for clients."""
    calls: Counter[str] = field(default_factory=Counter)
    """The number of calls so far, by method."""

    async def serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Relay the calls of one client's connection until the client is gone."""
        upstream = Upstream(self.upstream_port)
        try:
            while True:
                request = await whole_message(reader)
                await self._relay_call(request, reader, writer, upstream)
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            pass  # the client is gone, or the relay ends
        finally:
            writer.close()
            upstream.close()

    async def _relay_call(
        self,
        request: bytes,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        upstream: Upstream,
    ) -> None:
        """Give the client what the rule says for this call."""
        path = request.split(b" ", 2)[1].decode()
        method = path.rpartition("/")[2]
        self.calls[method] += 1

        async def forward() -> bytes:
            return await upstream.reply_to(request)

        # The client sends nothing while it waits, so that a read lasts until it is gone.
        call = RelayedCall(
            method, self.calls[method], request, forward, gone=reader.read
        )
        replacement = self.rule(call)
        if replacement is None:
            writer.write(await forward())
        elif isinstance(replacement, bytes):
            writer.write(replacement)
        else:
            await replacement(call, writer)
        await writer.drain()


# A relay between a client and a wire server, which does to single calls whatever a test says.
#
#     with relay_to(server.url, rule) as relay:
#         ...  # a client at relay.url: `rule` says which of its calls pass
#
# The relay runs in an event loop of its own, in a thread.


@contextmanager
def relay_to(server_url: str, rule: Rule = pass_all) -> Iterator[Relay]:
    """Relay to the server at `server_url` for the length of the block.

    The relay has an event loop of its own, in a thread. It listens on a free port before the block
    begins, and `url` of the yielded relay is its address.
    """
    port = int(server_url.rpartition(":")[2])
    relay = Relay(port, rule)
    is_listening = threading.Event()
    loop = asyncio.new_event_loop()
    is_over = asyncio.Event()

    async def listen() -> None:
        async with await asyncio.start_server(
            relay.serve, "127.0.0.1", 0, limit=LONGEST_MESSAGE_BYTES
        ) as server:
            relay_port = server.sockets[0].getsockname()[1]
            relay.url = f"http://127.0.0.1:{relay_port}"
            is_listening.set()
            await is_over.wait()

    def run_loop() -> None:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(listen())

    thread = threading.Thread(target=run_loop, daemon=True)
    thread.start()
    is_listening.wait()
    try:
        yield relay
    finally:
        loop.call_soon_threadsafe(is_over.set)
        thread.join()


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


NO_FAULTS = Faults()


@contextmanager
def faulty_server(
    benchmark: Benchmark, options: ServerOptions, faults: Faults = NO_FAULTS
) -> Iterator[FaultyServer]:
    """Serve the benchmark behind these faults for the length of the block."""
    layer = FaultLayer(faults)
    with (
        running_server(benchmark, options) as running,
        relay_to(running.url, layer) as relay,
    ):
        yield FaultyServer(relay.url, running, layer)


# Calls on their way from a client to a wire server, and what a rule may do to each.
#
# A relay stands between the two. A *rule* gets each call, and says what becomes of it:
#
#     def rule(call: RelayedCall) -> bytes | None:
#         if call.method == "StartTrial" and call.number == 2:
#             return protocol_refusal(503, "unavailable")  # The server never sees this call.
#         return None  # All others pass.
