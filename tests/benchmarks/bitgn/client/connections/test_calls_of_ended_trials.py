"""A call of a trial that has ended meanwhile is not made again by the client of the platform (BitGN).

The platform is a server that offers tasks to agents.
"""

import socket
import threading
import time
from contextlib import closing

import pytest

from controlplane.benchmarks.bitgn.client.connection import PlatformClient, WireError
from tests.benchmarks.bitgn.client.platform_calls import new_call
from tests.support.byte_server import ByteServer


def test_call_is_not_repeated_once_its_trial_has_ended() -> None:
    """The trial ends while the platform keeps the call waiting for longer than its deadline."""
    arrived = threading.Event()

    def keep_waiting(connection: socket.socket, request: bytes) -> None:
        arrived.set()
        time.sleep(1)

    with (
        ByteServer(keep_waiting) as platform,
        closing(PlatformClient(connections=2)) as client,
    ):
        call = new_call(platform.url, client, deadline_s=0.2, retry_s=5.0)
        begun_call = call.begin()
        assert arrived.wait(5)
        call.request.service.is_closed = True  # as at the end of a trial
        with pytest.raises(WireError, match="its trial has ended") as caught:
            begun_call.finish()

    assert caught.value.code == "canceled"
    assert caught.value.in_doubt
    assert len(platform.requests) == 1
