"""An HTTP server on 127.0.0.1 that answers like a model's API, or as badly as a test wants.

    with model_server(http_response(200, completion_json("hello"))) as server:
        ...  # a client at `server.url` gets the text "hello"
    assert server.asked[0].body["model"] == "m"

A "completion" is the reply of a language model in the format of OpenAI's chat API.
"""

import json
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.support.byte_server import ByteServer
from tests.support.model_responses import completion_json, http_response


@dataclass(frozen=True)
class ModelHttpRequest:
    """One request as it came: the names of its headers in lower case, its body parsed."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, object]


Responder = Callable[[ModelHttpRequest, socket.socket], bytes]
"""A function that gets a request and its connection, and returns the bytes of the response.

The connection is closed behind the response. The function may also send by the connection itself,
for example a byte a second.
"""


class ModelServer(ByteServer):
    """A model's API for the length of a `with` block. A test may replace `answer` at any time."""

    def __init__(self, answer: Responder) -> None:
        super().__init__(self._converse)
        self.answer = answer
        self.asked: list[ModelHttpRequest] = []
        """Every request so far."""

    @property
    def url(self) -> str:
        """Return the base address of the API, as users configure it."""
        return f"{super().url}/v1"

    def _converse(self, connection: socket.socket, request: bytes) -> None:
        """Answer one request; the connection serves no second one."""
        head, _, body = request.partition(b"\r\n\r\n")
        first_line, *header_lines = head.decode("latin-1").split("\r\n")
        if not first_line.startswith("POST"):
            connection.sendall(http_response(400, "this is not a POST request"))
            return
        path = first_line.split()[1]
        headers: dict[str, str] = {}
        for line in header_lines:
            name, _, value = line.partition(": ")
            headers[name.lower()] = value
        http_request = ModelHttpRequest(path, headers, json.loads(body))
        self.asked.append(http_request)
        connection.sendall(self.answer(http_request, connection))
        connection.shutdown(socket.SHUT_WR)


def model_server(answer: Responder | bytes) -> ModelServer:
    """Return a server for a `with` block, which answers with these bytes or by this function.

    `model_server(http_response(200, "{}"))`, `model_server(responding_in_turn("a", "b"))`
    """
    if isinstance(answer, bytes):
        return ModelServer(responding_always(answer))
    return ModelServer(answer)


def responding_always(data: bytes) -> Responder:
    """Return a responder that gives the same response to every request."""

    def respond(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        return data

    return respond


def responding_in_turn(*texts: str) -> Responder:
    """Return a responder whose model says these texts, one for each request."""
    remaining_texts = iter(texts)

    def respond(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        return http_response(200, completion_json(next(remaining_texts)))

    return respond


def error_response(
    status: int,
    message: str,
    headers: Mapping[str, str] | None = None,
    **error_fields: object,
) -> bytes:
    """Return a response with an API's error in it.

    `error_response(429, "slow down", {"retry-after": "2"}, code="rate_limit")`
    """
    error: dict[str, object] = {"message": message}
    error.update(error_fields)
    return http_response(status, json.dumps({"error": error}), headers)
