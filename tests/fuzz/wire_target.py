"""Fuzzer target: the server of a benchmark, to which anybody can send bytes over a socket.

After each random request, the server must answer an ordinary one:

    POST /bitgn.harness.HarnessService/Status  {}   ->   {"status": "ok"}
"""

import json
import logging
import socket
import time
from contextlib import suppress
from logging.handlers import BufferingHandler
from random import Random
from typing import Any
from urllib.parse import urlsplit

from controlplane.benchmarks.bitgn.server import ServerOptions
from tests.benchmarks.bitgn.shelf_benchmark import ShelfBenchmark
from tests.fuzz.cpu_meter import CpuMeter
from tests.fuzz.inputs.wire_requests import RandomRequests
from tests.fuzz.target import Target
from tests.support.running_server import running_server

MAX_BODY_BYTES = 200_000
"""The server refuses larger bodies, so that damaged lengths cost little."""


class WireRequests(Target):
    """Requests of unknown clients to the server of a benchmark about a shelf of books.

    After each, the server must answer an ordinary request soon, and have logged no failure.
    """

    def __init__(self, meter: CpuMeter) -> None:
        super().__init__(meter)
        server = self._resources.enter_context(
            running_server(ShelfBenchmark(), ServerOptions(body_bytes=MAX_BODY_BYTES))
        )
        url = urlsplit(server.url)
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
            self._known_ids = self._ids_of_new_run()
        request_count = rng.choice([1, 1, 1, 3])
        requests = RandomRequests(rng, self._known_ids)
        sent_bytes = b"".join(requests.next() for _ in range(request_count))

        self._send(rng, sent_bytes)

        self._check_server(sent_bytes)

    def _ids_of_new_run(self) -> list[str]:
        """Start a run and two of its trials; return the ids of the run and of all its trials."""
        run = self._call(
            "bitgn.harness.HarnessService/StartRun", {"benchmarkId": "shelf"}
        )
        for trial_id in run["trialIds"][:2]:
            self._call("bitgn.harness.HarnessService/StartTrial", {"trialId": trial_id})
        return [run["runId"], *run["trialIds"]]

    def _send(self, rng: Random, sent_bytes: bytes) -> None:
        """Send the bytes, whole or in parts, and hang up without waiting long for the reply."""
        part_bytes = rng.choice([len(sent_bytes) or 1, 1_000, 70_000])
        with (
            socket.create_connection(self._address, timeout=10) as client,
            suppress(OSError),
        ):
            for start in range(0, len(sent_bytes), part_bytes):
                client.sendall(sent_bytes[start : start + part_bytes])
            client.settimeout(rng.choice([0.0, 0.05]))
            client.recv(1 << 16)

    def _check_server(self, sent_bytes: bytes) -> None:
        """Assert that the server still answers an ordinary request, and has not failed."""
        started_s = time.monotonic()
        reply = self._call("bitgn.harness.HarnessService/Status", {})
        waited_s = time.monotonic() - started_s
        assert reply["status"] == "ok"
        # Waiting for a reply takes longer than its CPU time on a busy machine.
        assert waited_s < 4 * self.meter.max_s, sent_bytes[:300]
        failures = self._logged_failures.buffer
        assert not failures, (
            self._logged_failures.format(failures[-1]),
            sent_bytes[:300],
        )

    def _call(self, path: str, fields: dict[str, Any]) -> Any:
        """Return the JSON object of the reply to an ordinary request."""
        body = json.dumps(fields).encode()
        head = (
            f"POST /{path} HTTP/1.1\r\n"
            "Host: x\r\n"
            "Connection: close\r\n"
            "Content-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        with socket.create_connection(self._address, timeout=20) as client:
            client.sendall(head.encode() + body)
            with client.makefile("rb") as stream:
                reply = stream.read()
        _, _, reply_body = reply.partition(b"\r\n\r\n")
        # Around the object there may be the lengths of chunks.
        start = reply_body.index(b"{")
        end = reply_body.rindex(b"}") + 1
        return json.loads(reply_body[start:end])
