"""A relay between a client and a server of the wire,
which does to single calls whatever a test says."""

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

LONGEST_BYTES = 1 << 26


@dataclass(frozen=True)
class RelayedCall:
    """One call on its way."""

    method: str
    number: int
    """Which call of its method it is, from 1."""
    request: bytes
    """Head and body."""
    forward: Callable[[], Awaitable[bytes]]
    """Lets the server have it, and returns its whole reply."""
    gone: Callable[[], Awaitable[object]]
    """Waits until the client has closed the connection."""


ReplacedReply = Callable[[RelayedCall, asyncio.StreamWriter], Awaitable[None]]
Rule = Callable[[str, int], bytes | ReplacedReply | None]
"""By method and number, what comes in place of the reply:
bytes (and the server gets no call), an act, or nothing."""


def injected_response(
    status: int, body: str = "", kind: str = "application/json", **headers: str
) -> bytes:
    """Return a reply that something between client and server could send."""
    lines = [
        f"HTTP/1.1 {status} X",
        f"content-type: {kind}",
        f"content-length: {len(body.encode())}",
    ]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body.encode()


def protocol_refusal(
    status: int, code: str, message: str = "no", **headers: str
) -> bytes:
    """Return a refusal as the protocol says it."""
    return injected_response(
        status, json.dumps({"code": code, "message": message}), **headers
    )


HTML_PAGE_RESPONSE = injected_response(
    200, "<html><title>Sign in</title><p>Who are you?</p></html>", "text/html"
)


@dataclass
class Relay:
    """Passes calls on for as long as its block lasts. `rule` may be exchanged at any time."""

    upstream_port: int
    rule: Rule = lambda method, number: None
    url: str = ""
    calls: Counter[str] = field(default_factory=Counter)

    async def serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        upstream: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []
        try:
            while True:
                request = await whole_message(reader)
                method = request.split(b" ", 2)[1].decode().rpartition("/")[2]
                self.calls[method] += 1

                async def forward(request: bytes = request) -> bytes:
                    if not upstream or upstream[-1][0].at_eof():
                        upstream.append(
                            await asyncio.open_connection(
                                "127.0.0.1", self.upstream_port, limit=LONGEST_BYTES
                            )
                        )
                    upstream[-1][1].write(request)
                    return await whole_message(upstream[-1][0])

                act = self.rule(method, self.calls[method])
                if act is None or isinstance(act, bytes):
                    writer.write(act if act is not None else await forward())
                else:
                    await act(
                        RelayedCall(
                            method, self.calls[method], request, forward, reader.read
                        ),
                        writer,
                    )
                await writer.drain()
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            pass  # the client is gone, or the relay ends
        finally:
            for stream in (writer, *(to for _, to in upstream)):
                stream.close()


async def whole_message(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    lines = head.lower().split(b"\r\n")
    if b"transfer-encoding: chunked" in lines:
        message = head
        while True:
            size = await reader.readuntil(b"\r\n")
            message += size + await reader.readexactly(int(size, 16) + 2)
            if int(size, 16) == 0:
                return message
    length = next(
        (
            int(line.split(b":")[1])
            for line in lines
            if line.startswith(b"content-length")
        ),
        0,
    )
    return head + await reader.readexactly(length)


@contextmanager
def relay_to(
    server_url: str, rule: Rule = lambda method, number: None
) -> Iterator[Relay]:
    """Relay to the server at `server_url`."""
    relay = Relay(int(server_url.rpartition(":")[2]), rule)
    listening = threading.Event()
    found: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

    async def listen() -> None:
        ending = asyncio.Event()
        found.append((asyncio.get_running_loop(), ending))
        async with await asyncio.start_server(
            relay.serve, "127.0.0.1", 0, limit=LONGEST_BYTES
        ) as server:
            relay.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            listening.set()
            await ending.wait()

    thread = threading.Thread(target=asyncio.run, args=(listen(),), daemon=True)
    thread.start()
    listening.wait()
    try:
        yield relay
    finally:
        ((loop, ending),) = found
        loop.call_soon_threadsafe(ending.set)
        thread.join()
