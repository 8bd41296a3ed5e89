"""A streamed reply that breaks off, or has an error in it, is not a reply.

The text so far may be half of what the model wanted to say. A whole stream ends with
`END_OF_STREAM`, which says why the reply ended.
"""

import pytest

from controlplane.agent.model import BadReply
from tests.agent.endpoint.streams.streamed_replies import (
    STREAM_HEAD,
    stream_line,
    streamed_reply,
    text_piece,
)
from tests.support.endpoints import model_server


def test_stream_that_ends_early_is_not_a_reply() -> None:
    with (
        model_server(STREAM_HEAD + text_piece("half")) as server,
        pytest.raises(BadReply, match="was cut off"),
    ):
        streamed_reply(server.url)


def test_error_in_a_stream_is_raised() -> None:
    """The server fails after it has sent the status 200."""
    error_line = stream_line({"error": {"message": "overloaded", "code": 503}})

    with (
        model_server(STREAM_HEAD + error_line) as server,
        pytest.raises(Exception, match="overloaded"),
    ):
        streamed_reply(server.url)
