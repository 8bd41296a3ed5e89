"""A relay between a client and a wire server, which does to single calls whatever a test says.

def rule(call: RelayedCall) -> bytes | None:
    if call.method == "StartTrial" and call.number == 2:
        return protocol_refusal(503, "unavailable")
    return None

with relay_to(server.url, rule) as relay:
    ...  # a client at relay.url: its second StartTrial is refused, all else passes
"""

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

LONGEST_MESSAGE_BYTES = 1 << 26
"""The longest head or line of a request or reply that the relay reads."""


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


# Replies that a rule may give.


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


# The relay.


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
        upstream = _Upstream(self.upstream_port)
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
        upstream: "_Upstream",
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


class _Upstream:
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
