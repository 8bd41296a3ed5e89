"""Streams of servers, and the replies that an endpoint makes of them.

A stream is what a server sends while a model writes its reply, one line for each piece of it.

    stream_of(text_piece("Hel"), text_piece("lo"))
->  data: {..., "choices": [{"index": 0, "delta": {"content": "Hel"}}]}
    data: {..., "choices": [{"index": 0, "delta": {"content": "lo"}}]}

and the end: why the reply ended, its tokens, and an end mark.
"""

import json
import socket
from collections.abc import Callable

from controlplane.agent.endpoint import Endpoint, EndpointSettings
from controlplane.agent.model import Message, Reply
from tests.support.endpoints import ModelHttpRequest, Responder

STREAM_HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
)


def stream_line(document: dict[str, object]) -> bytes:
    """Return a line of a stream, with the blank line after it: `data: {"id": "x", ...}`."""
    line = json.dumps(document, ensure_ascii=False)
    return b"data: " + line.encode() + b"\n\n"


def piece(**delta: object) -> bytes:
    """Return the line with a piece of a reply, such as `reasoning="so"`."""
    choice = {"index": 0, "delta": delta}
    return stream_line({"id": "x", "model": "m", "choices": [choice]})


def text_piece(text: str) -> bytes:
    """Return the line with the next piece of a reply's text."""
    return piece(content=text)


END_OF_STREAM = (
    stream_line({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    + stream_line(
        {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 3}}
    )
    + b"data: [DONE]\n\n"
)
"""The last lines of a stream: why the reply ended, its tokens, and the end mark."""


def stream_of(*lines: bytes) -> bytes:
    """Return a whole stream with these lines."""
    return STREAM_HEAD + b"".join(lines) + END_OF_STREAM


def sending_in_two_parts(stream: bytes, second_part_begins_with: bytes) -> Responder:
    """Return how a server replies: it sends a part of the stream, and what `respond` returns."""
    cut = stream.index(second_part_begins_with)

    def respond(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        connection.sendall(stream[:cut])
        return stream[cut:]

    return respond


def streamed_reply(
    url: str, on_text: Callable[[str], None] = lambda text: None
) -> Reply:
    """Return the reply of an endpoint that gives each piece of text to `on_text`."""
    endpoint = Endpoint(EndpointSettings(model="m", base_url=url, timeout_s=10.0))
    endpoint.stream_to(on_text)
    messages = [Message(role="user", content="?")]
    return endpoint.complete(messages, role="solve")
