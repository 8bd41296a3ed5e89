"""A reply may come whole, and not in pieces, because the server or nobody wants a stream.

The server then answers with one JSON document, `completion_json("whole")`.
"""

import socket

from controlplane.agent.endpoint import Endpoint, EndpointSettings
from controlplane.agent.model import Message
from tests.agent.endpoint.streams.streamed_replies import streamed_reply
from tests.support.endpoints import (
    ModelHttpRequest,
    completion_json,
    error_response,
    http_response,
    model_server,
)


def test_endpoint_that_refuses_to_stream_is_asked_without_streaming() -> None:
    """The server refuses a request for a stream, and answers the second request as a whole."""

    def respond(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        if request.body.get("stream"):
            return error_response(400, "stream_options is not supported")
        return http_response(200, completion_json("plain"))

    with model_server(respond) as server:
        reply = streamed_reply(server.url)

    assert reply.text == "plain"
    assert len(server.asked) == 2


def test_whole_reply_to_a_request_for_a_stream_is_accepted() -> None:
    """Some servers ignore that a stream was requested."""
    with model_server(http_response(200, completion_json("whole"))) as server:
        reply = streamed_reply(server.url)

    assert reply.text == "whole"


def test_no_stream_is_requested_if_nobody_reads_the_text_as_it_arrives() -> None:
    with model_server(http_response(200, completion_json("whole"))) as server:
        settings = EndpointSettings(model="m", base_url=server.url, timeout_s=10.0)
        reply = Endpoint(settings).complete([Message(role="user", content="?")])

    assert reply.text == "whole"
    (request,) = server.asked
    assert "stream" not in request.body
