"""A server that stands in for a model's endpoint, and gives the replies of a recorded case.

with RecordedEndpoint(RecordedCase.read("d04-retry-date")) as endpoint:
    ...                      # a run asks the model at endpoint.url
endpoint.model_requests[0]   # {"model": "m", "messages": [...]}, the body of its first request
"""

import json
import socket
from typing import Any

from tests.controlplane.reported_endpoints.recorded_case import RecordedCase
from tests.controlplane.reported_endpoints.reply_bodies import body_of
from tests.support.byte_server import ByteServer
from tests.support.endpoints import http_response


class RecordedEndpoint(ByteServer):
    """A server on this machine that gives the replies of a case, for a `with` block."""

    def __init__(self, case: RecordedCase) -> None:
        host = "::1" if case.needs_ipv6 else "127.0.0.1"
        super().__init__(self._respond, host)
        self.case = case
        self.model_requests: list[dict[str, Any]] = []
        """The bodies of all requests to the model so far."""

    def _respond(self, connection: socket.socket, request: bytes) -> None:
        """Answer a request to the model, or the request `GET /v1/models`."""
        request_body: dict[str, Any] = {}
        if request.startswith(b"GET"):
            reply = self.case.reply_with_models
        else:
            request_body = json.loads(request.partition(b"\r\n\r\n")[2])
            reply = self.case.reply(len(self.model_requests))
            self.model_requests.append(request_body)

        self.ended.wait(reply.get("hang", 0))
        status = reply.get("status", 200)
        headers = {"Content-Type": "application/json", **reply.get("headers", {})}
        body = body_of(reply, request_body)
        connection.sendall(http_response(status, body, headers))
