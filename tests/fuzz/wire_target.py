"""Fuzzer target: the server of a benchmark, to which anybody can send bytes over a socket.

After each random request, the server must answer an ordinary one:

    POST /bitgn.harness.HarnessService/Status  {}   ->   {"status": "ok"}
"""

import logging
import socket
import time
from contextlib import suppress
from logging.handlers import BufferingHandler
from random import Random
from urllib.parse import urlsplit

from controlplane.benchmarks.bitgn.server import ServerOptions
from tests.benchmarks.bitgn.shelf_benchmark import ShelfBenchmark
from tests.fuzz.cpu_meter import CpuMeter
from tests.fuzz.inputs.requests.wire_requests import RandomRequests
from tests.fuzz.ordinary_requests import post, start_run
from tests.fuzz.target import Target
from tests.support.running_server import running_server


class WireRequests(Target):
    """Requests of unknown clients to the server of a benchmark about a shelf of books."""

    def __init__(self, meter: CpuMeter) -> None:
        super().__init__(meter)
        # The server refuses larger bodies, so that damaged lengths cost little.
        options = ServerOptions(body_bytes=200_000)
        server = running_server(ShelfBenchmark(), options)
        url = urlsplit(self._resources.enter_context(server).url)
        self._address = (url.hostname or "", url.port or 0)
        self._known_ids: list[str] = []
        """The ids of the last run that was started, and of its trials."""
        self._logged_failures = BufferingHandler(10_000)
        """What the server logs about requests for which it raised an unexpected exception."""
        logger = logging.getLogger("controlplane.benchmarks.bitgn.server")
        logger.addHandler(self._logged_failures)
        self._resources.callback(logger.removeHandler, self._logged_failures)

    def play_one(self, rng: Random) -> None:
        """Send one or three random requests over one connection, and check the server."""
        if not self._known_ids or rng.random() < 0.02:
            self._known_ids = start_run(self._address)
        request_count = rng.choice([1, 1, 1, 3])
        requests = RandomRequests(rng, self._known_ids)
        sent_bytes = b"".join(requests.next() for _ in range(request_count))

        send_in_parts(rng, sent_bytes, self._address)

        started_s = time.monotonic()
        reply = post(self._address, "bitgn.harness.HarnessService/Status", {})
        waited_s = time.monotonic() - started_s
        assert reply["status"] == "ok"
        # Waiting for a reply takes longer than its CPU time on a busy machine.
        assert waited_s < 4 * self.meter.max_s, sent_bytes[:300]
        failures = self._logged_failures.buffer
        assert not failures, (
            self._logged_failures.format(failures[-1]),
            sent_bytes[:300],
        )


def send_in_parts(rng: Random, sent_bytes: bytes, address: tuple[str, int]) -> None:
    """Send the bytes, whole or in parts, and hang up without waiting long for the reply."""
    part_bytes = rng.choice([len(sent_bytes) or 1, 1_000, 70_000])
    with socket.create_connection(address, timeout=10) as client, suppress(OSError):
        for start in range(0, len(sent_bytes), part_bytes):
            client.sendall(sent_bytes[start : start + part_bytes])
        client.settimeout(rng.choice([0.0, 0.05]))
        client.recv(1 << 16)
