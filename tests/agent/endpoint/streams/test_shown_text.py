"""The text of a reply is shown while the model still writes it.

A server sends the reply in pieces, a *stream*: `stream_of(text_piece("Hel"), text_piece("lo"))`.
Each piece of text is given to a function, `on_text`, at once, for the user to read, and the whole
reply, "Hello", is returned at the end.
"""

import socket
import threading

from tests.agent.endpoint.streams.streamed_replies import (
    END_OF_STREAM,
    STREAM_HEAD,
    piece,
    stream_of,
    streamed_reply,
    text_piece,
)
from tests.support.command import PATIENCE_S
from tests.support.endpoints import ModelHttpRequest, model_server


def test_text_is_put_together_from_its_pieces() -> None:
    stream = stream_of(text_piece("Hel"), text_piece("lo"))
    texts: list[str] = []

    with model_server(stream) as server:
        reply = streamed_reply(server.url, on_text=texts.append)

    assert texts == ["Hel", "lo"]
    assert reply.text == "Hello"


def test_thinking_is_read_and_not_shown_as_text() -> None:
    stream = stream_of(piece(reasoning="so"), text_piece("Hello"))
    texts: list[str] = []

    with model_server(stream) as server:
        reply = streamed_reply(server.url, on_text=texts.append)

    assert texts == ["Hello"]
    assert reply.reasoning == "so"


def test_text_is_shown_as_it_arrives() -> None:
    """The server sends the second piece only after the first is shown. If nothing is shown, it
    breaks off, and the test fails."""
    first_is_shown = threading.Event()
    texts: list[str] = []

    def respond(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        connection.sendall(STREAM_HEAD + text_piece("first "))
        if not first_is_shown.wait(PATIENCE_S):
            return b""
        return text_piece("second") + END_OF_STREAM

    def note_arrival(text: str) -> None:
        texts.append(text)
        first_is_shown.set()

    with model_server(respond) as server:
        streamed_reply(server.url, on_text=note_arrival)

    assert texts == ["first ", "second"]
    (request,) = server.asked
    assert request.body["stream"] is True
