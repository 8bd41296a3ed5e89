"""A vendor of models that refuses parts of our requests, and accepts a request without them.

    no_seeds = Refusal(if_request_has="'seed'", message="no seeds")
    Vendor(refusals=(no_seeds,), accepted_fields={"top_p": 0.9}, accepted_mode="json")

refuses each request with a seed, with the message "no seeds". The request that it accepts at last
has this `top_p`, and asks for a JSON object.
"""

import socket
from dataclasses import dataclass
from typing import Any

from tests.support.endpoint_requests import ACTION_JSON
from tests.support.endpoints import (
    ModelHttpRequest,
    completion_json,
    error_response,
    http_response,
)


@dataclass(frozen=True)
class Refusal:
    """A vendor's refusal of every request that has a part of some name."""

    if_request_has: str
    """A text in the request's body, as Python prints it: `'seed'` as a key, `json_schema` anywhere."""
    message: str
    """What the vendor says then."""
    status: int = 400
    """The HTTP status of the refusal."""


@dataclass(frozen=True)
class Vendor:
    """An endpoint that refuses parts of our requests."""

    refusals: tuple[Refusal, ...]
    """Each happens once, because the refused part is not sent again."""
    accepted_fields: dict[str, object]
    """Fields of the request that is accepted at last, with their values."""
    accepted_mode: str
    """How that request asks for an action: `schema`, `json` or `text` (see `ReplyMode`)."""

    def respond(self, request: ModelHttpRequest, connection: socket.socket) -> bytes:
        """Return the first refusal that applies to the request, or else an action."""
        for refusal in self.refusals:
            if refusal.if_request_has in str(request.body):
                return error_response(refusal.status, refusal.message)
        return http_response(200, completion_json(ACTION_JSON))

    def assert_accepts(self, body: dict[str, Any]) -> None:
        """Assert that a request has all that the vendor accepts, and nothing that it refuses."""
        for field, value in self.accepted_fields.items():
            assert body[field] == value
        for refusal in self.refusals:
            assert refusal.if_request_has not in str(body)
        has_response_format = self.accepted_mode in ("schema", "json")
        assert ("response_format" in body) == has_response_format
        assert "tools" not in body
