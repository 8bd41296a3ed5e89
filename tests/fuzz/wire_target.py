"""Fuzzer target: the server of a benchmark, to which anybody can send bytes over a socket.

After each random request, the server must answer an ordinary one:

    POST /bitgn.harness.HarnessService/Status  {}   ->   {"status": "ok"}
"""

import gzip
import json
import logging
import math
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from logging.handlers import BufferingHandler
from random import Random
from typing import Any
from urllib.parse import urlsplit

from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from google.protobuf.message_factory import GetMessageClass

from controlplane.benchmarks.bitgn.server import ServerOptions
from controlplane.benchmarks.bitgn.wire import SERVICES
from tests.benchmarks.bitgn.shelf_benchmark import ShelfBenchmark
from tests.fuzz.inputs import generators
from tests.fuzz.inputs.damaged_json import (
    altered,
    damaged_message,
    random_data,
    random_path,
)
from tests.fuzz.inputs.generators import word
from tests.support.running_server import running_server

# The CPU time that the product takes for each input of the fuzzer.
#
#     meter = CpuMeter(max_s=0.25)
#     meter.call("read /a.csv", lambda: environment.call("read", {"path": "/a.csv"}))
#
# The second line returns the result of the call, and fails if it took more than 0.25 s of CPU time.


class CpuMeter:
    """Measures the CPU time of each input, and remembers the slowest one."""

    def __init__(self, *, max_s: float = math.inf) -> None:
        self.max_s = max_s
        """CPU seconds of the calling thread that one input may take."""
        self.slowest_s = 0.0
        """CPU seconds of the slowest input so far."""
        self.slowest_input = ""
        """The first characters of that input."""

    def call(self, input_text: str, function: Callable[[], Any]) -> Any:
        """Return the result of a function that handles an input, and check its CPU time.

        `input_text` describes the input in reports. Raises `AssertionError` if the time was too
        long, and otherwise what the function raises.
        """
        started_s = time.thread_time()
        try:
            return function()
        finally:
            cpu_s = time.thread_time() - started_s
            if cpu_s > self.slowest_s:
                self.slowest_s = cpu_s
                self.slowest_input = input_text[:120]
            assert cpu_s < self.max_s, f"{cpu_s:.2f} s of CPU: {input_text[:300]}"


# Random headers of HTTP requests for the fuzzer: those of an ordinary request, or any others.
#
# random_headers(rng, b"{}")  # ["Content-Length: 2", "Content-Type: application/json"]

USUAL_HEADERS = ["Content-Length: {length}", "Content-Type: application/json"]

HEADERS = [
    *USUAL_HEADERS,
    "Transfer-Encoding: chunked",
    "Expect: 100-continue",
    "Content-Encoding: gzip",
    "Connect-Timeout-Ms: {word}",
    "Accept-Encoding: gzip",
    "Content-Type: application/proto",
    "Connection: {word}",
    "Host: {word}",
    "{word}: {word}",
    "Upgrade: websocket",
    "Content-Length: {word}",
]
"""Headers, whose {length} is replaced by the body's and each {word} by a random word."""


def random_headers(rng: Random, body: bytes) -> list[str]:
    """Return the headers of an ordinary request with this body, or up to 200 others."""
    if rng.random() < 0.7:
        headers = USUAL_HEADERS
    else:
        count = rng.choice([1, 5, 200])
        headers = [rng.choice(HEADERS) for _ in range(count)]
    return [header.format(length=len(body), word=word(rng)) for header in headers]


# Random bodies of requests to the server of a benchmark: right ones, damaged ones, and junk.
#
# The server offers services with methods, which the protocol describes by protobuf. A body has the
# fields of a method, as protobuf or JSON: `{"runId": "run-1", "path": "/books/emma.json#"}`.


class RandomBodies:
    """Makes bodies that may name a run or trial of the server by its id."""

    def __init__(self, rng: Random, known_ids: Sequence[str]) -> None:
        self.rng = rng
        self.known_ids = known_ids
        """The ids of a run and of its trials."""

    def next(self, method: MethodDescriptor) -> bytes:
        """Return the body of a request, in a fifth of cases compressed, and in a fifth cut off."""
        body = self._whole_body(method)
        kind = generators.chosen_kind(
            self.rng, {"whole": 60, "compressed": 20, "cut": 20}
        )
        if kind == "compressed":
            return gzip.compress(body)
        if kind == "cut":
            return body[: self.rng.randrange(len(body) + 1)]
        return body

    def _whole_body(self, method: MethodDescriptor) -> bytes:
        """Return random values for the fields of a method: as protobuf, JSON, or something like it."""
        fields: dict[str, Any] = {}
        for field in method.input_type.fields:
            fields[field.json_name] = self._value(field.json_name)

        kind = generators.chosen_kind(
            self.rng, {"protobuf": 30, "like a message": 10, "altered JSON": 60}
        )
        if kind == "protobuf":
            return self._protobuf(method)
        if kind == "like a message":
            return damaged_message(self.rng, [fields])
        return json.dumps(altered(self.rng, fields)).encode()

    def _protobuf(self, method: MethodDescriptor) -> bytes:
        """Return random values for the fields of a method as protobuf."""
        message = GetMessageClass(method.input_type)()
        for field in method.input_type.fields:
            # Values of a wrong type are left out.
            with suppress(TypeError, ValueError, AttributeError, OverflowError):
                setattr(message, field.name, self._value(field.json_name))
        return message.SerializeToString()

    def _value(self, field_name: str) -> Any:
        """Return a value for a field: a known one for an id, and anything for other fields."""
        if field_name in ("runId", "trialId"):
            return self.rng.choice(self.known_ids)
        if field_name == "benchmarkId":
            return "shelf"
        path = random_path(self.rng, ["/AGENTS.MD", "/books/emma.json"])
        return self.rng.choice([path, random_data(self.rng)])


# Random requests to the server of a benchmark, as bytes: right ones, damaged ones, and junk.
#
#     RandomRequests(rng, ["run-1", "trial-1"]).next() ->
#         b'POST /trials/trial-1/bitgn.EcomRuntime/Read HTTP/1.1\r\nContent-Length: 9\r\n\r\n{"path":1'
#
# The server offers *services* with methods, which the protocol describes by protobuf.

SORTED_SERVICES = [SERVICES[name] for name in sorted(SERVICES)]
"""The protobuf descriptions of the services: in an order that a seed can rely on."""


class RandomRequests:
    """Makes requests that may name a run or trial of the server by its id."""

    def __init__(self, rng: Random, known_ids: Sequence[str]) -> None:
        self.rng = rng
        self.known_ids = known_ids
        """The ids of a run and of its trials."""
        self.bodies = RandomBodies(rng, known_ids)

    def next(self) -> bytes:
        """Return the bytes of a request for a random method of a service."""
        service = self.rng.choice(SORTED_SERVICES)
        method = self.rng.choice(list(service.methods))
        body = self.bodies.next(method)
        lines = [self._request_line(service, method)]
        lines += random_headers(self.rng, body)
        head = "\r\n".join(lines).encode("utf-8", "surrogatepass")
        return head + b"\r\n\r\n" + body

    def _request_line(
        self, service: ServiceDescriptor, method: MethodDescriptor
    ) -> str:
        """Return `POST /service/Method HTTP/1.1`, now and then with another verb or path.

        Each trial has a service `EcomRuntime` of its own, below `/trials/<trial id>`.
        """
        path = f"/{service.full_name}/{method.name}"
        if service.name == "EcomRuntime":
            trial_id = self.rng.choice([*self.known_ids, generators.word(self.rng)])
            path = f"/trials/{trial_id}{path}"
        if self.rng.random() < 1 / 9:
            path = generators.text(self.rng)
        other_verbs = ["GET", "HEAD", generators.word(self.rng)]
        verb = self.rng.choice(["POST"] * 9 + other_verbs)
        return f"{verb} {path} HTTP/1.1"


# Ordinary requests to the server of a benchmark, beside the random ones of the fuzzer.
#
# post(("127.0.0.1", 8100), "bitgn.harness.HarnessService/Status", {})  # {"status": "ok"}
# start_run(("127.0.0.1", 8100))                      # ["run-1", "run-1-0", "run-1-1", ...]

Address = tuple[str, int]


def post(address: Address, path: str, fields: dict[str, Any]) -> Any:
    """Return the JSON object of the reply to a request."""
    body = json.dumps(fields).encode()
    head = (
        f"POST /{path} HTTP/1.1\r\n"
        "Host: x\r\n"
        "Connection: close\r\n"
        "Content-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    with socket.create_connection(address, timeout=20) as client:
        client.sendall(head.encode() + body)
        with client.makefile("rb") as stream:
            reply = stream.read()
    _, _, reply_body = reply.partition(b"\r\n\r\n")
    # Around the object there may be the lengths of chunks.
    start = reply_body.index(b"{")
    end = reply_body.rindex(b"}") + 1
    return json.loads(reply_body[start:end])


def start_run(address: Address) -> list[str]:
    """Start a run and two of its trials; return the ids of the run and of all its trials."""
    service = "bitgn.harness.HarnessService"
    run = post(address, f"{service}/StartRun", {"benchmarkId": "shelf"})
    for trial_id in run["trialIds"][:2]:
        post(address, f"{service}/StartTrial", {"trialId": trial_id})
    return [run["runId"], *run["trialIds"]]


# A target of the fuzzer: one part of the product that reads untrusted data.


class Target:
    """Plays random inputs against one part of the product.

    A subclass opens what it needs, such as a server, as `self._resources.enter_context(...)`, and
    gives each input to the product by `self.meter.call(...)`, which measures the CPU time.
    """

    def __init__(self, meter: CpuMeter) -> None:
        self.meter = meter
        self._resources = ExitStack()

    def play_one(self, rng: Random) -> None:
        """Make one random input and play it.

        Raises `AssertionError`, or whatever escapes, if the product did what it must not.
        """
        raise NotImplementedError

    def close(self) -> None:
        self._resources.close()


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
