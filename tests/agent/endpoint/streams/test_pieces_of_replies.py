"""A streamed reply has other pieces than text: a call of a tool, its tokens, and comments.

`stream_of(...)` is what a server sends: one line for each piece, and at the end why the reply ended
and its tokens, `{"usage": {"prompt_tokens": 5, "completion_tokens": 3}}`.
"""

from tests.agent.endpoint.streams.streamed_replies import (
    piece,
    stream_of,
    streamed_reply,
    text_piece,
)
from tests.support.endpoints import model_server


def test_call_of_a_tool_is_put_together_from_its_pieces() -> None:
    """Only the first piece has the name. `index` says to which call a piece belongs."""
    beginning = {
        "index": 0,
        "id": "c1",
        "function": {"name": "execute_script", "arguments": '{"code": '},
    }
    end = {"index": 0, "function": {"arguments": '"1"}'}}
    stream = stream_of(piece(tool_calls=[beginning]), piece(tool_calls=[end]))

    with model_server(stream) as server:
        reply = streamed_reply(server.url)

    (tool_call,) = reply.tool_calls
    assert tool_call.name == "execute_script"
    assert tool_call.arguments == '{"code": "1"}'


def test_tokens_are_read_from_the_last_lines() -> None:
    with model_server(stream_of(text_piece("Hello"))) as server:
        reply = streamed_reply(server.url)

    assert reply.usage.completion_tokens == 3


def test_comment_in_a_stream_is_skipped() -> None:
    """Some servers send comments, lines with a colon in front, so that the connection stays
    open."""
    stream = stream_of(b": a comment\n\n", text_piece("Hello"))

    with model_server(stream) as server:
        reply = streamed_reply(server.url)

    assert reply.text == "Hello"
