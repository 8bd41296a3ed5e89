"""A model's server refuses a request for an unknown reason, and answers a small request.

If the reason is not known, the endpoint sends a second, small request with the same fields and
another conversation. If that is answered, the refusal was due to the conversation, and only this
trial ends. Here, the server refuses the conversation of the trial, and answers any other request.
"""

import socket

from tests.support.endpoint_requests import ACTION_JSON, MESSAGES, error_of_request
from tests.support.endpoints import (
    ModelHttpRequest,
    completion_json,
    error_response,
    http_response,
    model_server,
)


def respond_to_small_request(
    request: ModelHttpRequest, connection: socket.socket
) -> bytes:
    """Refuse the conversation of the trial, and answer any other request."""
    if request.body["messages"] == MESSAGES:
        return error_response(400, "no")
    completion = completion_json(ACTION_JSON, prompt_tokens=11, completion_tokens=7)
    return http_response(200, completion)


def test_unexplained_refusal_of_one_conversation_ends_only_this_trial() -> None:
    with model_server(respond_to_small_request) as server:
        error = error_of_request(server.url)

    assert not error.retryable
    assert not error.affects_all


def test_small_request_has_the_fields_of_the_refused_one() -> None:
    """Otherwise it would not show whether one of the fields is refused. It begins with the same
    system prompt."""
    with model_server(respond_to_small_request) as server:
        error_of_request(server.url)

    refused_request, small_request = server.asked
    assert small_request.body.keys() == refused_request.body.keys()
    assert small_request.body["messages"][0] == MESSAGES[0]


def test_error_has_the_tokens_of_the_answer_to_the_small_request() -> None:
    """The answer costs money, although the trial does not use it."""
    with model_server(respond_to_small_request) as server:
        error = error_of_request(server.url)

    assert error.test_reply is not None
    assert error.test_reply.usage.prompt_tokens == 11
    assert error.test_reply.usage.completion_tokens == 7
