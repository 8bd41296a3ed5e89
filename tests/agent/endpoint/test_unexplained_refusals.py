"""Refusals of a request whose reason is not known, such as `400: temperature must be 1`.

All requests of the run may be refused, or only the conversation of this trial. To find out, the
endpoint sends a small request with the same fields, and another conversation:

| the small request is | then                                          |
| -------------------- | --------------------------------------------- |
| refused, too         | the run is stopped (the error `affects_all`)  |
| answered             | only this trial ends                          |
"""

import socket

import pytest

from tests.support.endpoint_requests import ACTION_JSON, MESSAGES, error_of_request
from tests.support.endpoints import (
    ModelHttpRequest,
    completion_json,
    error_response,
    http_response,
    model_server,
)

JSON_OF_100_000_OBJECTS = f"[{'{},' * 100_000}{{}}]"
"""More values than are read from a reply."""


class TestRefusedRequests:
    """If the small request is refused as well, the run is stopped.

    The refusal is then not due to the conversation, and all other trials would meet it.
    """

    @pytest.mark.parametrize(
        ("refusal", "expected_text"),
        [
            pytest.param(
                error_response(400, "temperature must be 1"),
                "the request is refused (400: temperature must be 1)",
                id="unknown reason",
            ),
            pytest.param(
                http_response(422, '{"detail": [{"msg": "field required"}]}'),
                "the request is refused (422: field required)",
                id="unknown reason in the form of FastAPI",
            ),
            pytest.param(
                http_response(400, f'{{"error": {JSON_OF_100_000_OBJECTS}}}'),
                "the request is refused (400",
                id="error of 100,000 objects",
            ),
        ],
    )
    def test_refusal_of_every_request_for_an_unknown_reason_stops_the_run(
        self, refusal: bytes, expected_text: str
    ) -> None:
        """The small request is refused, too, so the refusal is not due to the conversation."""
        with model_server(refusal) as server:
            error = error_of_request(server.url)

        assert not error.retryable
        assert error.affects_all
        assert expected_text in str(error)
        assert f"127.0.0.1:{server.port}/v1" in str(error)
        assert len(server.asked) == 2


def respond_to_small_request(
    request: ModelHttpRequest, connection: socket.socket
) -> bytes:
    """Refuse the conversation of the trial, and answer any other request."""
    if request.body["messages"] == MESSAGES:
        return error_response(400, "no")
    completion = completion_json(ACTION_JSON, prompt_tokens=11, completion_tokens=7)
    return http_response(200, completion)


class TestRefusedConversations:
    """If the small request is answered, only this trial ends.

    The server refuses the conversation of the trial, and answers any other request.
    """

    def test_unexplained_refusal_of_one_conversation_ends_only_this_trial(self) -> None:
        with model_server(respond_to_small_request) as server:
            error = error_of_request(server.url)

        assert not error.retryable
        assert not error.affects_all

    def test_small_request_has_the_fields_of_the_refused_one(self) -> None:
        """Otherwise it would not show whether one of the fields is refused. It begins with the same
        system prompt."""
        with model_server(respond_to_small_request) as server:
            error_of_request(server.url)

        refused_request, small_request = server.asked
        assert small_request.body.keys() == refused_request.body.keys()
        assert small_request.body["messages"][0] == MESSAGES[0]

    def test_error_has_the_tokens_of_the_answer_to_the_small_request(self) -> None:
        """The answer costs money, although the trial does not use it."""
        with model_server(respond_to_small_request) as server:
            error = error_of_request(server.url)

        assert error.test_reply is not None
        assert error.test_reply.usage.prompt_tokens == 11
        assert error.test_reply.usage.completion_tokens == 7
