"""Fuzzer targets: HTTP requests to the server of a benchmark, and the text of task files.

`WireRequests` sends requests as bytes over a socket: right ones, damaged ones, and ones that are
not HTTP. After each the server must answer an ordinary request. `TaskTexts` parses `task.toml`
files that somebody wrote: the result is a task, or an error for users.
"""

import gzip
import json
import logging
import socket
import time
from contextlib import suppress
from logging.handlers import BufferingHandler
from random import Random
from typing import Any
from urllib.parse import urlsplit

from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from google.protobuf.message_factory import GetMessageClass

from controlplane import BenchmarkError
from controlplane.benchmarks.bitgn.proto import SERVICES
from controlplane.benchmarks.bitgn.server import ServerOptions
from controlplane.benchmarks.folder.task_text import TaskText
from tests.benchmarks.bitgn.shelf_benchmark import ShelfBenchmark
from tests.fuzz import generators
from tests.fuzz.cpu_meter import CpuMeter
from tests.fuzz.damaged_json import altered, damaged_message
from tests.fuzz.target import Target
from tests.support.command import ROOT
from tests.support.running_server import running_server

SORTED_SERVICES = [SERVICES[name] for name in sorted(SERVICES)]
"""The protobuf descriptions of the services: in an order that a seed can rely on."""

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
            self._start_run()
        request_count = rng.choice([1, 1, 1, 3])
        requests = [self._request(rng) for _ in range(request_count)]
        sent_bytes = b"".join(requests)

        self._send(rng, sent_bytes)

        self._check_server(sent_bytes)

    def _check_server(self, sent_bytes: bytes) -> None:
        """Assert that the server still answers an ordinary request, and has not failed."""
        started_s = time.monotonic()
        reply = self._call("bitgn.harness.HarnessService/Status", {})
        waited_s = time.monotonic() - started_s
        assert reply["status"] == "ok"
        # A reply may cost `self.meter.max_s` of CPU time. Waiting for it takes longer on a busy machine.
        assert waited_s < 4 * self.meter.max_s, sent_bytes[:300]
        failures = self._logged_failures.buffer
        assert not failures, (
            self._logged_failures.format(failures[-1]),
            sent_bytes[:300],
        )

    def _start_run(self) -> None:
        """Start a run and two of its trials, so that random requests can name them."""
        run = self._call(
            "bitgn.harness.HarnessService/StartRun", {"benchmarkId": "shelf"}
        )
        self._known_ids = [run["runId"], *run["trialIds"]]
        for trial_id in run["trialIds"][:2]:
            self._call("bitgn.harness.HarnessService/StartTrial", {"trialId": trial_id})

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

    def _request(self, rng: Random) -> bytes:
        """Return the bytes of a random request for a random method."""
        service = rng.choice(SORTED_SERVICES)
        method = rng.choice(list(service.methods))
        body = self._body(rng, method)
        lines = [self._request_line(rng, service, method)]
        for header in self._headers(rng):
            lines.append(header.format(length=len(body), word=generators.word(rng)))
        head = "\r\n".join(lines).encode("utf-8", "surrogatepass")
        return head + b"\r\n\r\n" + body

    def _request_line(
        self, rng: Random, service: ServiceDescriptor, method: MethodDescriptor
    ) -> str:
        """Return `POST /service/Method HTTP/1.1`, now and then with another verb or path.

        Each trial has a service `EcomRuntime` of its own, below `/trials/<trial id>`.
        """
        path = f"/{service.full_name}/{method.name}"
        if service.name == "EcomRuntime":
            trial_id = rng.choice([*self._known_ids, generators.word(rng)])
            path = f"/trials/{trial_id}{path}"
        if rng.random() < 1 / 9:
            path = generators.text(rng)
        verb = rng.choice(["POST"] * 9 + ["GET", "HEAD", generators.word(rng)])
        return f"{verb} {path} HTTP/1.1"

    def _headers(self, rng: Random) -> list[str]:
        """Return the headers of an ordinary request, or any others in any number."""
        if rng.random() < 0.7:
            return USUAL_HEADERS
        count = rng.choice([1, 5, 200])
        return [rng.choice(HEADERS) for _ in range(count)]

    def _body(self, rng: Random, method: MethodDescriptor) -> bytes:
        """Return the body of a request, in a fifth of cases compressed, and in a fifth cut off."""
        body = self._whole_body(rng, method)
        kind = generators.chosen_kind(rng, {"whole": 60, "compressed": 20, "cut": 20})
        if kind == "compressed":
            return gzip.compress(body)
        if kind == "cut":
            return body[: rng.randrange(len(body) + 1)]
        return body

    def _whole_body(self, rng: Random, method: MethodDescriptor) -> bytes:
        """Return random values for the fields of a method: as protobuf, JSON, or something like it.

        As JSON, it may be `{"runId": "run-1", "path": "/books/emma.json#"}`.
        """
        fields: dict[str, Any] = {}
        for field in method.input_type.fields:
            fields[field.json_name] = self._value(rng, field.json_name)

        kind = generators.chosen_kind(
            rng, {"protobuf": 30, "like a message": 10, "altered JSON": 60}
        )
        if kind == "protobuf":
            message = GetMessageClass(method.input_type)()
            for field in method.input_type.fields:
                # Values of a wrong type are left out.
                with suppress(TypeError, ValueError, AttributeError, OverflowError):
                    setattr(message, field.name, self._value(rng, field.json_name))
            return message.SerializeToString()
        if kind == "like a message":
            return damaged_message(rng, [fields])
        return json.dumps(altered(rng, fields)).encode()

    def _value(self, rng: Random, field_name: str) -> Any:
        """Return a value for a field: a known one for an id, and anything for other fields."""
        if field_name in ("runId", "trialId"):
            return rng.choice(self._known_ids)
        if field_name == "benchmarkId":
            return "shelf"
        path = generators.path(rng, ["/AGENTS.MD", "/books/emma.json"])
        return rng.choice([path, generators.data(rng)])

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


class TaskTexts(Target):
    """Task files of the examples, with random texts inserted or in place of a part."""

    def __init__(self, meter: CpuMeter) -> None:
        super().__init__(meter)
        paths = sorted((ROOT / "docs/examples/library").glob("*/task.toml"))
        self._samples = [path.read_text(encoding="utf-8") for path in paths]

    def play_one(self, rng: Random) -> None:
        """Parse the text of a task file that is damaged at up to 5 places.

        It is a task, or a `BenchmarkError`, which is meant for users.
        """
        text = rng.choice(self._samples)
        damage_count = rng.randrange(1, 6)
        for _ in range(damage_count):
            text = self._damaged(rng, text)
        try:
            text.encode()
        except UnicodeEncodeError:
            return  # A file on disk cannot have this text.

        with suppress(BenchmarkError):
            self.meter.call(text, TaskText(text, "t.toml").parsed)

    def _damaged(self, rng: Random, text: str) -> str:
        """Return the text with a random one inserted, or in place of up to 200 characters."""
        inserted_texts = [
            generators.word(rng),
            generators.text(rng),
            generators.pattern(rng),
            rng.choice(self._samples),
        ]
        start = rng.randrange(len(text) + 1)
        end = start + rng.choice([0, 0, 1, 9, 200])
        return text[:start] + rng.choice(inserted_texts) + text[end:]
