"""A server that gives the replies of a recorded case, in the forms of two protocols.

with RecordedEndpoint(RecordedCase.read("d04-retry-date")) as endpoint:
    ...                            a run asks the model at endpoint.url
    endpoint.model_requests        the bodies of its requests
"""

import json
import socket
from collections.abc import Mapping
from typing import Any

from tests.controlplane.reported_endpoints.recorded_case import RecordedCase
from tests.support.byte_server import ByteServer
from tests.support.endpoints import http_response

USAGE = {"prompt_tokens": 1500, "completion_tokens": 120, "total_tokens": 1620}
"""The tokens that a reply has used if the case does not say otherwise."""


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


def body_of(reply: Mapping[str, Any], request_body: Mapping[str, Any]) -> bytes:
    """Return the body of a reply, which is recorded in one of these forms:

    {"raw": "<html>..."}                  the text as it is
    {"body": {"error": ...}}              the whole JSON document
    {"content": "..."}                    what the model says; all else is as usual
    {"message": {...}, "finish": "stop"}  parts of a chat completion that are unusual
    """
    if "raw" in reply:
        return reply["raw"].encode("utf-8", "surrogatepass")
    if "body" in reply:
        return json.dumps(reply["body"]).encode()
    if "message" in reply:
        return chat_completion(reply, reply["message"])
    is_for_the_responses_api = "input" in request_body
    if is_for_the_responses_api:
        return response_document(reply)
    message = {"role": "assistant", "content": reply.get("content")}
    return chat_completion(reply, message)


def chat_completion(reply: Mapping[str, Any], message: Mapping[str, Any]) -> bytes:
    """Return a message of the model in the form of the Chat Completions API."""
    choice = {
        "index": 0,
        "message": message,
        "finish_reason": reply.get("finish", "stop"),
    }
    document = {
        "id": "c1",
        "object": "chat.completion",
        "choices": [choice | reply.get("choice", {})],
        "usage": reply.get("usage", USAGE),
    }
    return json.dumps(document | reply.get("top", {})).encode()


def response_document(reply: Mapping[str, Any]) -> bytes:
    """Return what the model says in the form of the Responses API."""
    part = {"type": "output_text", "text": reply["content"]}
    message = {"type": "message", "role": "assistant", "content": [part]}
    document = {
        "object": "response",
        "status": "completed",
        "output": [message],
        "usage": reply.get("usage", USAGE),
    }
    return json.dumps(document).encode()
