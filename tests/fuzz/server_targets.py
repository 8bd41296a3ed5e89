"""The fuzzer's foreign requests, as bytes on
a connection to the wire server, and its task files."""

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

from google.protobuf.message_factory import GetMessageClass

from controlplane import BenchmarkError
from controlplane.benchmarks.bitgn.proto import SERVICES as DESCRIBED
from controlplane.benchmarks.bitgn.server import ServerOptions
from controlplane.benchmarks.folder.task_text import TaskText
from tests.benchmarks.bitgn.recording_world import ShelfBenchmark
from tests.fuzz import generators
from tests.fuzz.frame_targets import Target
from tests.fuzz.generators import Measured
from tests.support.command import ROOT
from tests.support.running_server import running_server

SERVICES = [DESCRIBED[name] for name in sorted(DESCRIBED)]
HEADERS = [
    "Content-Length: {length}",
    "Content-Type: application/json",
    "Transfer-Encoding: chunked",
]
HEADERS += [
    "Expect: 100-continue",
    "Content-Encoding: gzip",
    "Connect-Timeout-Ms: {word}",
    "Accept-Encoding: gzip",
]
HEADERS += [
    "Content-Type: application/proto",
    "Connection: {word}",
    "Host: {word}",
    "{word}: {word}",
]
HEADERS += ["Upgrade: websocket", "Content-Length: {word}"]
SAMPLES = sorted((ROOT / "docs/examples/library").glob("*/task.toml"))


class WireRequests(Target):
    """What clients that nobody knows may send: after each of them the server answers as before."""

    def __init__(self) -> None:
        super().__init__()
        server = self._held.enter_context(
            running_server(ShelfBenchmark(), ServerOptions(body_bytes=200_000))
        )
        parts = urlsplit(server.url)
        self._place = (parts.hostname or "", parts.port or 0)
        self._known: list[str] = []
        self._failures = BufferingHandler(10_000)
        """What the server logs of requests at which it failed."""
        logger = logging.getLogger("controlplane.benchmarks.bitgn.server")
        logger.addHandler(self._failures)
        self._held.callback(logger.removeHandler, self._failures)

    def once(self, rng: Random) -> None:
        if not self._known or rng.random() < 0.02:
            run = self._called(
                "bitgn.harness.HarnessService/StartRun", {"benchmarkId": "shelf"}
            )
            self._known = [run["runId"], *run["trialIds"]]
            for trial_id in run["trialIds"][:2]:
                self._called(
                    "bitgn.harness.HarnessService/StartTrial", {"trialId": trial_id}
                )
        sent = b"".join(self._request(rng) for _ in range(rng.choice([1, 1, 1, 3])))
        with (
            socket.create_connection(self._place, timeout=10) as client,
            suppress(OSError),
        ):
            for at in range(
                0, len(sent), step := rng.choice([len(sent) or 1, 1_000, 70_000])
            ):
                client.sendall(sent[at : at + step])
            client.settimeout(rng.choice([0.0, 0.05]))
            client.recv(1 << 16)
        began = time.monotonic()
        assert self._called("bitgn.harness.HarnessService/Status", {})["status"] == "ok"
        assert time.monotonic() - began < 4 * Measured.most_s, sent[:300]
        assert not self._failures.buffer, (
            self._failures.format(self._failures.buffer[-1]),
            sent[:300],
        )

    def _request(self, rng: Random) -> bytes:
        service = rng.choice(SERVICES)
        method = rng.choice(list(service.methods))
        kind = rng.random()
        message = GetMessageClass(method.input_type)()
        fields = {
            field.json_name: self._value(rng, field.json_name)
            for field in method.input_type.fields
        }
        body = json.dumps(generators.altered(rng, fields)).encode()
        if kind < 0.3:
            for field in method.input_type.fields:
                with suppress(TypeError, ValueError, AttributeError, OverflowError):
                    setattr(message, field.name, self._value(rng, field.json_name))
            body = message.SerializeToString()
        elif kind < 0.4:
            body = generators.body(rng, [fields])
        body = rng.choice(
            [
                body,
                body,
                body,
                gzip.compress(body),
                body[: rng.randrange(len(body) + 1)],
            ]
        )
        trial = (
            f"/trials/{rng.choice([*self._known, generators.word(rng)])}"
            if service.name == "EcomRuntime"
            else ""
        )
        path = rng.choice(
            [f"{trial}/{service.full_name}/{method.name}"] * 8 + [generators.text(rng)]
        )
        chosen = (
            HEADERS[:2]
            if rng.random() < 0.7
            else [rng.choice(HEADERS) for _ in range(rng.choice([1, 5, 200]))]
        )
        lines = [
            f"{rng.choice(['POST'] * 9 + ['GET', 'HEAD', generators.word(rng)])} {path} HTTP/1.1"
        ]
        lines += [
            line.format(length=len(body), word=generators.word(rng)) for line in chosen
        ]
        return "\r\n".join(lines).encode("utf-8", "surrogatepass") + b"\r\n\r\n" + body

    def _value(self, rng: Random, name: str) -> Any:
        if name in ("runId", "trialId"):
            return rng.choice(self._known)
        if name == "benchmarkId":
            return "shelf"
        return rng.choice(
            [
                generators.path(rng, ["/AGENTS.MD", "/books/emma.json"]),
                generators.data(rng),
            ]
        )

    def _called(self, path: str, fields: dict[str, Any]) -> Any:
        body = json.dumps(fields).encode()
        head = f"POST /{path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n"
        with socket.create_connection(self._place, timeout=20) as client:
            client.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            reply = b"".join(iter(lambda: client.recv(1 << 16), b""))
        return json.loads(
            b"{"
            + reply.partition(b"\r\n\r\n")[2].partition(b"{")[2].rpartition(b"}")[0]
            + b"}"
        )


class TaskTexts(Target):
    """What a task.toml of somebody may hold: a task, or a fault of one line."""

    def __init__(self) -> None:
        super().__init__()
        self._samples = [path.read_text(encoding="utf-8") for path in SAMPLES]

    def once(self, rng: Random) -> None:
        text = rng.choice(self._samples)
        for _ in range(rng.randrange(1, 6)):
            at = rng.randrange(len(text) + 1)
            added = [
                generators.word,
                generators.text,
                generators.pattern,
                lambda rng: rng.choice(self._samples),
            ]
            text = (
                text[:at]
                + rng.choice(added)(rng)
                + text[at + rng.choice([0, 0, 1, 9, 200]) :]
            )
        with suppress(UnicodeEncodeError):
            text.encode()  # A file on disk holds no others.
            with suppress(BenchmarkError):
                Measured.take(text, TaskText(text, "t.toml").parsed)
