"""An honest client of a server under attack: it calls again and again, and measures the server's memory.

with honest_client_of(server) as honest_client:
    ...  # the attack
honest_client.answer_count    # how many calls were answered meanwhile
honest_client.most_memory_mb  # the most memory of all processes of the server
"""

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import httpx2

from tests.bench.sides.process_costs import tree_pss_mb
from tests.benchmarks.bitgn.served_shop import HARNESS


class ServerProcess(NamedTuple):
    """A running server: its URL, and the id of its process."""

    url: str
    pid: int

    def connect(self) -> socket.socket:
        url = httpx2.URL(self.url)
        return socket.create_connection((url.host, url.port), timeout=5)


@dataclass
class HonestClient:
    """A client that calls the server again and again, and what it has seen so far."""

    answer_count: int = 0
    """How many of its calls were answered."""
    most_memory_mb: float = 0.0
    """The most memory of the server's processes after a call."""


def is_answered(url: str) -> bool:
    """Call the server once. Return False if it refuses the call or closes the connection."""
    connection_errors = (httpx2.NetworkError, httpx2.RemoteProtocolError)
    with httpx2.Client(base_url=url, timeout=20, verify=False) as http:
        try:
            reply = http.post(HARNESS + "Status", json={})
        except connection_errors:
            return False
    return reply.status_code == 200


@contextlib.contextmanager
def honest_client_of(server: ServerProcess) -> Iterator[HonestClient]:
    """Call the server for the length of the block. A call that fails is made again."""
    client = HonestClient()
    block_has_ended = threading.Event()

    def make_calls() -> None:
        while not block_has_ended.is_set():
            while not is_answered(server.url):
                pass
            client.answer_count += 1
            memory_mb = tree_pss_mb(server.pid)
            client.most_memory_mb = max(client.most_memory_mb, memory_mb)
            time.sleep(0.02)

    thread = threading.Thread(target=make_calls)
    thread.start()
    try:
        yield client
    finally:
        block_has_ended.set()
        thread.join()
