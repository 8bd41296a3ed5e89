"""A relay between a client and a wire server, which does to single calls whatever a test says.

    with relay_to(server.url, rule) as relay:
        ...  # a client at relay.url: `rule` says which of its calls pass

The relay runs in an event loop of its own, in a thread.
"""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.relay.http_messages import LONGEST_MESSAGE_BYTES
from tests.support.relay.relay import Relay
from tests.support.relay.relayed_calls import Rule, pass_all


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
