"""A relay between a client and a wire server, which does to single calls whatever a test says.

    with relay_to(server.url, rule) as relay:
        ...  # a client at relay.url: `rule` says which of its calls pass

The relay runs in an event loop of its own, in a thread.
"""

import asyncio
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.support.relay.http_messages import (
    LONGEST_MESSAGE_BYTES,
    Upstream,
    whole_message,
)
from tests.support.relay.relayed_calls import RelayedCall, Rule, pass_all


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
