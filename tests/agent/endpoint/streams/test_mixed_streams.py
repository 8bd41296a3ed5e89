"""All kinds of pieces may be in one streamed reply: text, thinking, a call of a tool, and comments.

A server sends one line for each piece. The network may cut the stream anywhere.
"""

from tests.agent.endpoint.streams.streamed_replies import (
    piece,
    sending_in_two_parts,
    stream_of,
    streamed_reply,
    text_piece,
)
from tests.support.endpoints import model_server


def test_pieces_of_all_kinds_may_be_in_one_stream() -> None:
    """The text and the call have two pieces each. U+2028 ends a line in Python, and not here."""
    call_start = {
        "index": 0,
        "id": "c1",
        "function": {"name": "execute_script", "arguments": '{"code": '},
    }
    call_end = {"index": 0, "function": {"arguments": '"1"}'}}
    stream = stream_of(
        b": a comment\n\n",
        text_piece("first "),
        text_piece("Gr\u00fc\u2028n"),
        piece(reasoning="so"),
        piece(tool_calls=[call_start]),
        piece(tool_calls=[call_end]),
    )
    texts: list[str] = []

    with model_server(
        sending_in_two_parts(stream, second_part_begins_with=b"Gr")
    ) as server:
        reply = streamed_reply(server.url, on_text=texts.append)

    assert texts == ["first ", "Gr\u00fc\u2028n"]
    assert reply.text == "first Gr\u00fc\u2028n"
    assert reply.reasoning == "so"
    assert reply.usage.completion_tokens == 3  # from the last lines of `stream_of`
    (tool_call,) = reply.tool_calls
    assert tool_call.name == "execute_script"
    assert tool_call.arguments == '{"code": "1"}'
