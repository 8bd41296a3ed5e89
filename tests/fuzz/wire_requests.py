"""Random requests to the server of a benchmark, as bytes: right ones, damaged ones, and junk.

RandomRequests(rng, ["run-1", "trial-1"]).next() ->
    b'POST /trials/trial-1/bitgn.EcomRuntime/Read HTTP/1.1\\r\\nContent-Length: 9\\r\\n\\r\\n{"path":1'

The server offers *services* with methods, which the protocol describes by protobuf.
"""

import gzip
import json
from collections.abc import Sequence
from contextlib import suppress
from random import Random
from typing import Any

from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from google.protobuf.message_factory import GetMessageClass

from controlplane.benchmarks.bitgn.proto import SERVICES
from tests.fuzz import generators
from tests.fuzz.damaged_json import altered, damaged_message

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


class RandomRequests:
    """Makes requests that may name a run or trial of the server by its id."""

    def __init__(self, rng: Random, known_ids: Sequence[str]) -> None:
        self.rng = rng
        self.known_ids = known_ids
        """The ids of a run and of its trials."""

    def next(self) -> bytes:
        """Return the bytes of a request for a random method of a service."""
        service = self.rng.choice(SORTED_SERVICES)
        method = self.rng.choice(list(service.methods))
        body = self._body(method)
        lines = [self._request_line(service, method)]
        for header in self._headers():
            word = generators.word(self.rng)
            lines.append(header.format(length=len(body), word=word))
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

    def _headers(self) -> list[str]:
        """Return the headers of an ordinary request, or any others in any number."""
        if self.rng.random() < 0.7:
            return USUAL_HEADERS
        count = self.rng.choice([1, 5, 200])
        return [self.rng.choice(HEADERS) for _ in range(count)]

    def _body(self, method: MethodDescriptor) -> bytes:
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
        """Return random values for the fields of a method: as protobuf, JSON, or something like it.

        As JSON, it may be `{"runId": "run-1", "path": "/books/emma.json#"}`.
        """
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
        path = generators.path(self.rng, ["/AGENTS.MD", "/books/emma.json"])
        return self.rng.choice([path, generators.data(self.rng)])
