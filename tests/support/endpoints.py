"""An HTTP server on 127.0.0.1 that answers chat
completions as a test tells it to, raw bytes and all."""

import json
import socket
import traceback
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass

import pytest

from controlplane.agent.endpoint import Endpoint, EndpointSettings
from controlplane.agent.model import Message, ModelError, Reply, ReplyMode
from controlplane.agent.reply.action import SCHEMA
from controlplane.agent.reply.reply import action_call
from tests.support.byte_server import ByteServer

PHRASES = {200: "OK", 400: "Bad Request", 502: "Bad Gateway"}


@dataclass(frozen=True)
class ModelHttpRequest:
    """One request as it came."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, object]


Responder = Callable[[ModelHttpRequest, socket.socket], bytes]
"""Returns the bytes to send before the connection is closed; may use the socket itself."""


class ModelServer(ByteServer):
    """Serves until closed.

    `answer` may be exchanged at any time; `asked` holds every request so far.
    """

    def __init__(self, answer: Responder) -> None:
        super().__init__(self._converse)
        self.answer = answer
        self.asked: list[ModelHttpRequest] = []

    @property
    def url(self) -> str:
        return f"{super().url}/v1"

    def _converse(self, connection: socket.socket, request: bytes) -> None:
        head, _, body = request.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        if not first.startswith("POST"):
            connection.sendall(http_response(400, "this is no HTTP"))
            return
        headers = {
            name.lower(): value
            for name, _, value in (line.partition(": ") for line in lines)
        }
        asked = ModelHttpRequest(first.split()[1], headers, json.loads(body))
        self.asked.append(asked)
        connection.sendall(self.answer(asked, connection))
        connection.shutdown(socket.SHUT_WR)


def responding_always(data: bytes) -> Responder:
    """Return an answer that is the same for every request."""
    return lambda asked, connection: data


def responding_in_turn(*texts: str) -> Responder:
    """Return an answer that says these texts, one to each request."""
    left = iter(texts)
    return lambda asked, connection: http_response(200, completion_json(next(left)))


def model_server(answer: Responder | bytes) -> ModelServer:
    """Return what serves `answer`, or always the same bytes, for the length of its block."""
    return ModelServer(
        responding_always(answer) if isinstance(answer, bytes) else answer
    )


def http_response(
    status: int, body: str | bytes, headers: Mapping[str, str] | None = None
) -> bytes:
    """Return the bytes of a whole HTTP response."""
    content = body.encode() if isinstance(body, str) else body
    lines = [
        f"HTTP/1.1 {status} {PHRASES.get(status, 'Status')}",
        f"content-length: {len(content)}",
        "connection: close",
    ]
    lines += [
        f"{name}: {value}"
        for name, value in (headers or {"content-type": "application/json"}).items()
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + content


def completion_json(
    text: str | None, *, tool: str | None = None, finish: str = "stop", **usage: object
) -> str:
    """Return the JSON of a completion that says `text`,
    or calls the tool with the arguments `tool`."""
    message: dict[str, object] = {"role": "assistant", "content": text}
    if tool is not None:
        function = {"name": "execute_script", "arguments": tool}
        message["tool_calls"] = [{"id": "c1", "type": "function", "function": function}]
    choice = {"index": 0, "finish_reason": finish, "message": message}
    counted = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18} | usage
    return json.dumps(
        {
            "id": "x",
            "object": "chat.completion",
            "model": "m",
            "choices": [choice],
            "usage": counted,
        }
    )


def error_response(
    status: int, message: str, headers: Mapping[str, str] | None = None, **more: object
) -> bytes:
    """Return a response with an API's error in it."""
    return http_response(
        status, json.dumps({"error": {"message": message} | more}), headers
    )


CANARY_API_KEY = "sk-canary-0123456789abcdef"
MESSAGES = [Message(role="system", content="s"), Message(role="user", content="u")]
ACTION_JSON = '{"state": "s", "plan": [], "done": false, "code": "print(1)"}'


def request_reply(
    url: str,
    *,
    timeout_s: float = 5.0,
    mode: ReplyMode | None = ReplyMode.SCHEMA,
    **more: object,
) -> Reply:
    settings = EndpointSettings(
        "m",
        base_url=url,
        api_key=CANARY_API_KEY,
        reply_mode=mode,
        timeout_s=timeout_s,
        **more,
    )
    return single_reply_of(settings, schema=SCHEMA)


def single_reply_of(
    settings: EndpointSettings, messages: list[Message] = MESSAGES, **asked: object
) -> Reply:
    """Return the reply of an endpoint that is opened for one request."""
    with closing(Endpoint(settings)) as endpoint:
        return endpoint.complete(messages, "solve", **asked)


def action_text_of(reply: Reply) -> str:
    """Return the text that carries the action of a reply."""
    call = action_call(reply)
    return call.arguments if call else reply.text


def error_of_request(url: str, **more: object) -> ModelError:
    with pytest.raises(ModelError) as caught:
        request_reply(url, **more)
    shown = (
        "".join(traceback.format_exception(caught.value))
        + str(caught.value)
        + repr(caught.value)
    )
    assert CANARY_API_KEY not in shown
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 700
    return caught.value
