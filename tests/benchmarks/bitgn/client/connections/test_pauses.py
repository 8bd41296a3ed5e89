"""Pauses that the platform (BitGN) requests: `Retry-After: 0.3` delays one call, and no other.

The platform is a server that offers tasks to agents.
"""

import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from unittest.mock import patch

from controlplane.benchmarks.bitgn.client.connection.platform_client import (
    PlatformClient,
)
from controlplane.sandbox.interface import bounds
from tests.benchmarks.bitgn.client.platform_calls import new_call
from tests.benchmarks.bitgn.client.stub_platform import SUCCESS, refusal
from tests.support.byte_server import ByteServer
from tests.support.command import wait_until


def test_pause_that_the_server_requests_delays_only_its_own_call() -> None:
    """The first call is told to wait 0.3 s. Meanwhile the second call is made and answered.

    The user is told of pauses from 0.2 s on, in whole seconds: "wait 0 s".
    """
    requested_pause_s = 0.3
    pause_request = refusal(
        429,
        "resource_exhausted",
        "slow",
        headers=f"Retry-After: {requested_pause_s}\r\n",
    )
    arrivals: list[tuple[str, float]] = []  # the call, and when its request arrived
    notices: list[str] = []

    def refuse_first_request(connection: socket.socket, request: bytes) -> None:
        name = "first" if b"first" in request else "second"
        arrivals.append((name, time.monotonic()))
        if len(arrivals) == 1:
            pause_request(connection, request)
        else:
            SUCCESS(connection, request)

    with (
        ByteServer(refuse_first_request) as platform,
        patch.object(bounds, "NOTICE_AFTER_S", 0.2),
        closing(PlatformClient(2, notify=notices.append)) as client,
        ThreadPoolExecutor(1) as pool,
    ):
        first = new_call(platform.url, client, {"name": "first"}, retry_s=5.0)
        waiting_call = pool.submit(first.finish)
        wait_until(lambda: len(notices) > 0)
        new_call(platform.url, client, {"name": "second"}).finish()
        first_result = waiting_call.result(5)

    assert first_result == {"done": True}
    assert [name for name, _ in arrivals] == ["first", "second", "first"]
    _, first_arrival_s = arrivals[0]
    _, repeated_arrival_s = arrivals[2]
    assert repeated_arrival_s - first_arrival_s >= requested_pause_s
    assert notices == ["the platform asks to wait 0 s with Do"]
