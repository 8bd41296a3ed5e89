"""Pauses that the platform (BitGN) requests: `Retry-After: 0.3` delays one call, and no other.

The platform is a server that offers tasks to agents.
"""

import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from unittest.mock import patch

from controlplane.benchmarks.bitgn.client.connection import PlatformClient
from controlplane.sandbox.interface import bounds
from tests.benchmarks.bitgn.client.platform_calls import new_call
from tests.benchmarks.bitgn.client.stub_platform import (
    SUCCESS,
    RepliesInTurn,
    refusal,
)
from tests.support.byte_server import ByteServer
from tests.support.command import wait_until


def test_pause_that_the_server_requests_delays_only_its_own_call() -> None:
    """The platform refuses the first call, and asks it to wait. A second call is made meanwhile."""
    pause_s = 0.3
    too_busy = refusal(
        429, "resource_exhausted", "slow", headers=f"Retry-After: {pause_s}\r\n"
    )
    replies_in_turn = RepliesInTurn(too_busy, SUCCESS)  # SUCCESS from the second on
    arrival_times_s: list[float] = []
    notices: list[str] = []

    def reply(connection: socket.socket, request: bytes) -> None:
        arrival_times_s.append(time.monotonic())
        replies_in_turn(connection, request)

    with (
        ByteServer(reply) as platform,
        # A user is told of pauses from 0.2 s on.
        patch.object(bounds, "NOTICE_AFTER_S", 0.2),
        closing(PlatformClient(connections=2, notify=notices.append)) as client,
        ThreadPoolExecutor(max_workers=1) as thread,
    ):
        first_call = new_call(platform.url, client, {"name": "first"}, retry_s=5.0)
        second_call = new_call(platform.url, client, {"name": "second"})

        first_result = thread.submit(first_call.finish)
        wait_until(lambda: len(notices) > 0)  # The first call begins its pause.
        second_call.finish()
        assert first_result.result(5) == {"done": True}

    first_request, second_request, third_request = platform.requests
    assert b"first" in first_request
    assert b"second" in second_request
    assert b"first" in third_request  # The first call, made again
    assert arrival_times_s[2] - arrival_times_s[0] >= pause_s
    # 0.3 s, in whole seconds. `Do` is the method that both calls ask for.
    assert notices == ["the platform asks to wait 0 s with Do"]
