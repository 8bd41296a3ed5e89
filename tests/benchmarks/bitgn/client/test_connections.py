"""A client has a limited number of connections, which all its calls share.

The stand-in for the platform replies `SUCCESS`, `{"done": true}`, unless a test says otherwise.
"""

import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from unittest.mock import patch

import pytest

from controlplane.benchmarks.bitgn.client.connection.platform_client import (
    PlatformClient,
)
from controlplane.benchmarks.bitgn.client.connection.wire_errors import WireError
from controlplane.sandbox.interface import bounds
from tests.benchmarks.bitgn.client.platform_calls import SUCCESS, new_call
from tests.benchmarks.bitgn.client.stub_platform import refusal
from tests.support.byte_server import ByteServer
from tests.support.command import wait_until


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
