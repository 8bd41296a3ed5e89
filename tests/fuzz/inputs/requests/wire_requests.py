"""Random requests to the server of a benchmark, as bytes: right ones, damaged ones, and junk.

    RandomRequests(rng, ["run-1", "trial-1"]).next() ->
        b'POST /trials/trial-1/bitgn.EcomRuntime/Read HTTP/1.1\\r\\nContent-Length: 9\\r\\n\\r\\n{"path":1'

The server offers *services* with methods, which the protocol describes by protobuf.
"""

from collections.abc import Sequence
from random import Random

from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor

from controlplane.benchmarks.bitgn.proto import SERVICES
from tests.fuzz.inputs import generators
from tests.fuzz.inputs.requests.random_headers import random_headers
from tests.fuzz.inputs.requests.request_bodies import RandomBodies

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
