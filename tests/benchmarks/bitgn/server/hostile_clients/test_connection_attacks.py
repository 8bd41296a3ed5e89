"""Attacks on the server by what clients send on its connections, or do not send.

An attack opens connections, sends something on each, and leaves them open. Meanwhile, an honest
client calls the server again and again, and measures the memory of its processes.
"""

import socket
from collections.abc import Callable

import pytest

from tests.benchmarks.bitgn.server.hostile_clients.attack_connections import Connect
from tests.benchmarks.bitgn.server.hostile_clients.costly_requests import (
    large_json,
    pipelined_calls,
    unread_replies,
)
from tests.benchmarks.bitgn.server.hostile_clients.honest_client import (
    ServerProcess,
    honest_client_of,
)
from tests.benchmarks.bitgn.server.hostile_clients.unfinished_requests import (
    countless_headers,
    endless_headers,
    silent_connections,
    slow_bodies,
    tiny_chunks,
)
from tests.support.command import wait_until

pytestmark = pytest.mark.second_tier


@pytest.mark.parametrize(
    "attack",
    [
        slow_bodies,
        endless_headers,
        countless_headers,
        silent_connections,
        pipelined_calls,
        large_json,
        unread_replies,
        tiny_chunks,
    ],
)
def test_attack_costs_little_memory_and_delays_nobody(
    attack: Callable[[Connect], list[socket.socket]], server: ServerProcess
) -> None:
    """The honest client is answered three more times while the connections are open."""
    with honest_client_of(server) as honest_client:
        connections = attack(server.connect)
        answers_before = honest_client.answer_count
        wait_until(lambda: honest_client.answer_count >= answers_before + 3)
    for connection in connections:
        connection.close()

    assert honest_client.most_memory_mb < 400  # Less than an attack sends.
