"""Streamed replies: the text of a reply arrives in pieces while the model still writes it.

A stream is a list of lines such as `data: {"choices": [{"delta": {"content": "Hel"}}]}`,
and ends with `data: [DONE]`. Each piece of text is given to `on_text` at once, for the
user to read, and the whole reply is returned at the end.
"""

import json
import socket
import threading
from collections.abc import Callable

import pytest

from controlplane.agent.endpoint import Endpoint, EndpointSettings
from controlplane.agent.model import BadReply, Message, Reply
from tests.support.command import PATIENCE_S
from tests.support.endpoints import (
    ModelHttpRequest,
    completion_json,
    error_response,
    http_response,
    model_server,
)

STREAM_HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
)
QUESTION = [Message(role="user", content="?")]


def stream_chunk(document: dict[str, object]) -> bytes:
    """Return a line of a stream, with the blank line after it. Letters are not escaped."""
    line = json.dumps(document, ensure_ascii=False)
    return b"data: " + line.encode() + b"\n\n"


def delta_chunk(**delta: object) -> bytes:
    """Return the line with the next piece of a reply, such as `content="Hel"`."""
    choice = {"index": 0, "delta": delta}
    return stream_chunk({"id": "x", "model": "m", "choices": [choice]})


# The lines at the end of a stream: why the reply ended, its tokens, and the end mark.
LAST_CHUNKS = [
    stream_chunk({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}),
    stream_chunk(
        {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 3}}
    ),
    b"data: [DONE]\n\n",
]


def streamed_reply(url: str, on_text: Callable[[str], None]) -> Reply:
    """Return the reply of an endpoint that gives each piece of text to `on_text`."""
    endpoint = Endpoint(EndpointSettings(model="m", base_url=url, timeout_s=10.0))
    endpoint.stream_to(on_text)
    return endpoint.complete(QUESTION, "solve")


def ignore_text(text: str) -> None:
    """Show the text to nobody."""


class TestShownText:
    """Text is shown while it arrives, and the whole reply is returned at the end.

    A server sends `STREAM_HEAD`, the pieces of a reply, such as `delta_chunk(content="Hel")`, and
    `LAST_CHUNKS`. `streamed_reply(url, on_text)` passes each piece of text to `on_text`.
    """

    def test_text_is_shown_as_it_arrives(self) -> None:
        """1. The server sends the first piece, and waits.
        2. The endpoint shows it, by `note_arrival`.
        3. The server sends the second piece. If nothing is shown, it breaks off, and the test
        fails."""
        first_is_shown = threading.Event()
        texts: list[str] = []

        def respond(request: ModelHttpRequest, connection: socket.socket) -> bytes:
            connection.sendall(STREAM_HEAD + delta_chunk(content="first "))
            if not first_is_shown.wait(PATIENCE_S):
                return b""
            return delta_chunk(content="second") + b"".join(LAST_CHUNKS)

        def note_arrival(text: str) -> None:
            texts.append(text)
            first_is_shown.set()

        with model_server(respond) as server:
            streamed_reply(server.url, note_arrival)

        assert texts == ["first ", "second"]
        assert server.asked[0].body["stream"] is True

    def test_text_is_put_together_from_its_pieces(self) -> None:
        stream = STREAM_HEAD + delta_chunk(content="Hel") + delta_chunk(content="lo")
        texts: list[str] = []

        with model_server(stream + b"".join(LAST_CHUNKS)) as server:
            reply = streamed_reply(server.url, texts.append)

        assert texts == ["Hel", "lo"]
        assert reply.text == "Hello"

    def test_thinking_is_read_and_not_shown_as_text(self) -> None:
        stream = (
            STREAM_HEAD + delta_chunk(reasoning="so") + delta_chunk(content="Hello")
        )
        texts: list[str] = []

        with model_server(stream + b"".join(LAST_CHUNKS)) as server:
            reply = streamed_reply(server.url, texts.append)

        assert texts == ["Hello"]
        assert reply.reasoning == "so"


class TestPiecesOfReplies:
    """A stream has other pieces than text, and they are put together as well.

    `LAST_CHUNKS` ends each stream, with why the reply ended, its tokens, and the end mark.
    """

    def test_call_of_a_tool_is_put_together_from_its_pieces(self) -> None:
        """Only the first piece has the name. `index` says to which call a piece belongs."""
        beginning = {
            "index": 0,
            "id": "c1",
            "function": {"name": "execute_script", "arguments": '{"code": '},
        }
        end = {"index": 0, "function": {"arguments": '"1"}'}}
        stream = STREAM_HEAD
        stream += delta_chunk(tool_calls=[beginning])
        stream += delta_chunk(tool_calls=[end])

        with model_server(stream + b"".join(LAST_CHUNKS)) as server:
            reply = streamed_reply(server.url, ignore_text)

        (tool_call,) = reply.tool_calls
        assert tool_call.name == "execute_script"
        assert tool_call.arguments == '{"code": "1"}'

    def test_tokens_are_read_from_the_last_lines(self) -> None:
        """`LAST_CHUNKS` says `{"usage": {"prompt_tokens": 5, "completion_tokens": 3}}`."""
        stream = STREAM_HEAD + delta_chunk(content="Hello")

        with model_server(stream + b"".join(LAST_CHUNKS)) as server:
            reply = streamed_reply(server.url, ignore_text)

        assert reply.usage.completion_tokens == 3

    def test_comment_in_a_stream_is_skipped(self) -> None:
        """Some servers send comments, lines with a colon in front, so that the connection stays
        open."""
        stream = STREAM_HEAD + b": a comment\n\n" + delta_chunk(content="Hello")

        with model_server(stream + b"".join(LAST_CHUNKS)) as server:
            reply = streamed_reply(server.url, ignore_text)

        assert reply.text == "Hello"


class TestMixedStreams:
    """All kinds of pieces may be in one stream: text, thinking, a call of a tool, and comments.

    A comment is a line with a colon in front. `LAST_CHUNKS` says that the reply has three tokens.
    """

    def test_pieces_of_all_kinds_may_be_in_one_stream(self) -> None:
        """The stream has a text and a call in two pieces each, thinking, and a comment, and arrives
        in two parts."""
        call_start = {
            "index": 0,
            "id": "c1",
            "function": {"name": "execute_script", "arguments": '{"code": '},
        }
        call_end = {"index": 0, "function": {"arguments": '"1"}'}}
        stream = STREAM_HEAD
        stream += b": a comment\n\n"
        stream += delta_chunk(content="first ")
        stream += delta_chunk(content="Gr\u00fc\u2028n")
        stream += delta_chunk(reasoning="so")
        stream += delta_chunk(tool_calls=[call_start])
        stream += delta_chunk(tool_calls=[call_end])
        stream += b"".join(LAST_CHUNKS)
        cut = stream.index(b"Gr")

        def respond(request: ModelHttpRequest, connection: socket.socket) -> bytes:
            connection.sendall(stream[:cut])
            return stream[cut:]

        texts: list[str] = []
        with model_server(respond) as server:
            reply = streamed_reply(server.url, texts.append)

        assert texts == ["first ", "Gr\u00fc\u2028n"]
        assert reply.text == "first Gr\u00fc\u2028n"
        assert reply.reasoning == "so"
        assert reply.usage.completion_tokens == 3
        (tool_call,) = reply.tool_calls
        assert tool_call.name == "execute_script"
        assert tool_call.arguments == '{"code": "1"}'


class TestLinesOfStreams:
    """A line ends with a line feed, wherever the parts of the stream that arrive end.

    `stream` is what the server sends: a head, the line with the text, and `LAST_CHUNKS`.
    """

    def test_line_may_arrive_in_two_parts(self) -> None:
        """The first part ends within the line with the text."""
        stream = STREAM_HEAD + delta_chunk(content="Hello") + b"".join(LAST_CHUNKS)
        cut = stream.index(b"llo")

        def respond(request: ModelHttpRequest, connection: socket.socket) -> bytes:
            connection.sendall(stream[:cut])
            return stream[cut:]

        with model_server(respond) as server:
            reply = streamed_reply(server.url, ignore_text)

        assert reply.text == "Hello"

    def test_line_separator_in_a_text_does_not_end_a_line_of_the_stream(self) -> None:
        """Unicode has further characters that end a line in Python, such as U+2028."""
        stream = STREAM_HEAD + delta_chunk(content="Gr\u00fc\u2028n")

        with model_server(stream + b"".join(LAST_CHUNKS)) as server:
            reply = streamed_reply(server.url, ignore_text)

        assert reply.text == "Gr\u00fc\u2028n"


class TestRepliesWithoutStream:
    """A reply may come whole, because the server or nobody wants a stream.

    The server answers with one JSON document, `completion_json("whole")`.
    """

    def test_endpoint_that_refuses_to_stream_is_asked_without_streaming(self) -> None:
        """The server refuses a request for a stream, and answers the second request as a whole."""

        def respond(request: ModelHttpRequest, connection: socket.socket) -> bytes:
            if request.body.get("stream"):
                return error_response(400, "stream_options is not supported")
            return http_response(200, completion_json("plain"))

        with model_server(respond) as server:
            reply = streamed_reply(server.url, ignore_text)

        assert reply.text == "plain"
        assert len(server.asked) == 2

    def test_whole_reply_to_a_request_for_a_stream_is_accepted(self) -> None:
        """Some servers ignore that a stream was requested, and send the reply as one JSON
        document."""
        with model_server(http_response(200, completion_json("whole"))) as server:
            reply = streamed_reply(server.url, ignore_text)

        assert reply.text == "whole"

    def test_no_stream_is_requested_if_nobody_reads_the_text_as_it_arrives(
        self,
    ) -> None:
        with model_server(http_response(200, completion_json("whole"))) as server:
            settings = EndpointSettings(model="m", base_url=server.url, timeout_s=10.0)
            reply = Endpoint(settings).complete(QUESTION, "solve")

        assert reply.text == "whole"
        assert "stream" not in server.asked[0].body


class TestBrokenStreams:
    """A stream that breaks off, or has an error in it, is not a reply.

    The text so far may be half of what the model wanted to say.
    """

    def test_stream_that_ends_early_is_not_a_reply(self) -> None:
        """The stream has no end mark, so the text may be half of a reply."""
        stream_without_end = STREAM_HEAD + delta_chunk(content="half")

        with (
            model_server(stream_without_end) as server,
            pytest.raises(BadReply, match="was cut off"),
        ):
            streamed_reply(server.url, ignore_text)

    def test_error_in_a_stream_is_raised(self) -> None:
        """The server fails after it has sent the status 200."""
        error_chunk = stream_chunk({"error": {"message": "overloaded", "code": 503}})

        with (
            model_server(STREAM_HEAD + error_chunk) as server,
            pytest.raises(Exception, match="overloaded"),
        ):
            streamed_reply(server.url, ignore_text)
