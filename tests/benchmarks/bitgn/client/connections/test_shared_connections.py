"""A client of the platform (BitGN) has a limited number of connections, which all its calls share.

The platform is a server that offers tasks to agents. The stand-in for the platform replies
`SUCCESS`, `{"done": true}`.
"""

import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

from controlplane.benchmarks.bitgn.client.connection.platform_client import (
    PlatformClient,
)
from tests.benchmarks.bitgn.client.platform_calls import new_call
from tests.benchmarks.bitgn.client.stub_platform import SUCCESS
from tests.support.byte_server import ByteServer


def test_call_can_wait_for_the_connection_of_a_call_of_the_same_thread() -> None:
    """The client may have one connection, and of two calls the second is finished first.

    It must not wait until the first one gives the connection back: the thread that waits is the
    one that would finish the first call.
    """
    with (
        ByteServer(SUCCESS) as platform,
        closing(PlatformClient(connections=1)) as client,
    ):
        new_call(platform.url, client).finish()  # leaves an open connection
        first = new_call(platform.url, client, retry_s=5.0).begin()
        second = new_call(platform.url, client, retry_s=5.0).begin()

        second_result = second.finish()
        first_result = first.finish()

    assert second_result == {"done": True}
    assert first_result == {"done": True}
    assert len(platform.requests) == 3


def test_no_more_calls_are_open_than_there_may_be_connections() -> None:
    """Six threads make twelve calls, and the client may have two connections."""
    open_requests: list[bytes] = []
    counts_of_open_calls: list[int] = []

    def reply_slowly(connection: socket.socket, request: bytes) -> None:
        open_requests.append(request)
        counts_of_open_calls.append(len(open_requests))
        time.sleep(0.05)
        open_requests.pop()
        SUCCESS(connection, request)

    with (
        ByteServer(reply_slowly) as platform,
        closing(PlatformClient(connections=2)) as client,
        ThreadPoolExecutor(6) as pool,
    ):
        calls = [pool.submit(new_call(platform.url, client).finish) for _ in range(12)]
        for call in calls:
            call.result()

    assert max(counts_of_open_calls) == 2
    assert len(counts_of_open_calls) == 12
