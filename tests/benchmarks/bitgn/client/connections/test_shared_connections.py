"""A client has a limited number of connections to its server, which all its calls share.

A call may be made in two parts: `begin()` sends the request, in a thread of its own, and `finish()`
waits for the reply. The test's server gives the reply `{"done": true}` by the function `SUCCESS`.
"""

import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

from controlplane.benchmarks.bitgn.client.connection import PlatformClient
from tests.benchmarks.bitgn.client.platform_calls import new_call
from tests.benchmarks.bitgn.client.stub_platform import SUCCESS
from tests.support.byte_server import ByteServer


def test_call_can_wait_for_the_connection_of_a_call_of_the_same_thread() -> None:
    """There may be one connection, and the second call is finished before the first.

    The first call must give the connection back as soon as its reply is there. If it kept the
    connection until `first.finish()`, then `second.finish()` would wait for ever.
    """
    with (
        ByteServer(SUCCESS) as platform,
        closing(PlatformClient(connections=1)) as client,
    ):
        new_call(platform.url, client).finish()  # opens the connection
        first = new_call(platform.url, client, retry_s=5.0).begin()
        second = new_call(platform.url, client, retry_s=5.0).begin()

        second_result = second.finish()
        first_result = first.finish()

    assert second_result == {"done": True}
    assert first_result == {"done": True}
    assert len(platform.requests) == 3


def test_no_more_calls_are_open_than_there_may_be_connections() -> None:
    """Six threads make twelve calls, and there may be two connections."""
    open_requests: list[bytes] = []  # Lists may be changed by several threads at once.
    counts_of_open_calls: list[int] = []

    def reply_slowly(connection: socket.socket, request: bytes) -> None:
        open_requests.append(request)
        counts_of_open_calls.append(len(open_requests))
        time.sleep(0.05)
        open_requests.pop()
        SUCCESS(connection, request)  # sends {"done": true}

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
