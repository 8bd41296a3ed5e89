"""A relay for the connections of clients to a wire server: a rule says which calls pass.

    relay = Relay(upstream_port=4812, rule=pass_all)
    await relay.serve(reader, writer)     # for each connection of a client

The server speaks the protocol of the platform (BitGN). `wire_relay.py` lets a relay listen.
"""

import asyncio
from collections import Counter
from dataclasses import dataclass, field

from tests.support.relay.http_messages import Upstream, whole_message
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
