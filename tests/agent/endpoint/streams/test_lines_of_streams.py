r"""A line of a streamed reply ends with a line feed, `\n`, and nothing else.

The parts in which a stream arrives may end anywhere, and a text may have other line separators.
`stream_of(text_piece("Hello"))` is a stream with one line of text.
"""

from tests.agent.endpoint.streams.streamed_replies import (
    sending_in_two_parts,
    stream_of,
    streamed_reply,
    text_piece,
)
from tests.support.endpoints import model_server


def test_line_may_arrive_in_two_parts() -> None:
    """The first part ends with "He"."""
    stream = stream_of(text_piece("Hello"))

    with model_server(
        sending_in_two_parts(stream, second_part_begins_with=b"llo")
    ) as server:
        reply = streamed_reply(server.url)

    assert reply.text == "Hello"


def test_line_separator_in_a_text_does_not_end_a_line_of_the_stream() -> None:
    """Unicode has further characters that end a line in Python, such as U+2028."""
    with model_server(stream_of(text_piece("Gr\u00fc\u2028n"))) as server:
        reply = streamed_reply(server.url)

    assert reply.text == "Gr\u00fc\u2028n"
